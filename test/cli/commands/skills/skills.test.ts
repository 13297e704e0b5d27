import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SkillDetails, SkillList, SkillWhy } from '../../../../src/index.ts';
import { fixtureSkills, skillFile } from '../../../skills/support.ts';
import { answering, by, newWorkspace, type Workspace } from '../../../support/cli.ts';
import { writeFiles } from '../../../support/files.ts';

interface Validated {
  path: string;
  loads: boolean;
  name: string;
  description: string | null;
  warnings: string[];
  errors: string[];
}

/** A workspace with these skills, and a home of its own. */
async function shelf(files: Readonly<Record<string, string>> = {}) {
  const workspace = await newWorkspace();
  await writeFiles(workspace.folder, files);
  const home = workspace.path('.home');
  await mkdir(home, { recursive: true });
  const env = { DETENT_HOME: home, HOME: home };
  const json = async <T>(...args: string[]) => (await workspace.json<T>(['skills', ...args], { env })).view;
  const detent = (...args: string[]) => workspace.detent(['skills', ...args], { env });
  return { workspace, env, json, detent };
}

const hasNoDatabase = async ({ folder }: Workspace) => {
  await rm(join(folder, '.detent'), { recursive: true });
  return () => expect(readFile(join(folder, '.detent/detent.db'))).rejects.toThrow('ENOENT');
};

describe('detent skills list', () => {
  it('has those of Detent, of the home and of the workspace, and says what is bad', async () => {
    const { workspace, json, detent } = await shelf({
      'skills/tea/SKILL.md': skillFile('tea'),
      'skills/code-review/SKILL.md': skillFile('code-review'),
      'skills/bad/SKILL.md': '# no frontmatter',
      '.home/skills/mine/SKILL.md': skillFile('mine', 'disable-model-invocation: true\n'),
    });
    const stayed = await hasNoDatabase(workspace);
    const { skills, bad, folders } = await json<SkillList>('list');
    expect(skills.map(({ name, from }) => [name, from])).toEqual([
      ['code-review', 'project'],
      ['daily-summary', 'bundled'],
      ['mine', 'home'],
      ['research-notes', 'bundled'],
      ['shopping-assistant', 'bundled'],
      ['skill-creator', 'bundled'],
      ['tea', 'project'],
    ]);
    expect(skills[0]?.shadows).toEqual([expect.stringMatching(/skills\/code-review\/SKILL\.md$/)]);
    expect(bad).toEqual([
      {
        path: workspace.path('skills/bad/SKILL.md'),
        reasons: [expect.stringContaining('no frontmatter')],
        sentences: [{ code: 'skill_no_frontmatter', params: {} }],
      },
    ]);
    expect(folders.at(0)).toMatchObject({ from: 'bundled' });
    const { stdout, stderr, code } = await detent('list');
    expect(stdout).toMatch(/^tea +project, not trusted +Does tea\.$/m);
    expect(stdout).toMatch(/^mine +home, not trusted, for people only/m);
    expect(stderr).toContain('bad/SKILL.md is left out: no frontmatter');
    expect(code).toBe(0);
    await stayed();
  });
});

describe('detent skills show', () => {
  it('has the text and all that is known of it', async () => {
    const { json, detent } = await shelf({
      'skills/tea/SKILL.md': skillFile(
        'tea',
        'allowed-tools: Bash(git:*) Read\nconfirm-before: []\nlicense: MIT\n',
        '# Tea\n\nMakes tea.\n\n## Checklist\n- hot\n',
      ),
      'skills/tea/references/kinds.md': 'green',
    });
    expect(await json<SkillDetails>('show', 'tea')).toMatchObject({
      name: 'tea',
      title: 'Tea',
      summary: 'Makes tea.',
      checklist: ['hot'],
      allowed: ['shell (git:*)', 'shell_output', 'shell_kill', 'read_file'],
      confirm: [],
      files: ['references/kinds.md'],
      isTrusted: false,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await detent('show', 'tea')).stdout).toContain(
      'confirms  nothing (no effect on questions: the skill is not trusted)',
    );
  });

  it('of a skill that there is not ends with 4, and names the nearest', async () => {
    const { detent } = await shelf();
    expect(await detent('show', 'code-revew')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('did you mean "code-review"?'),
    });
  });
});

describe('detent skills validate', () => {
  it('reports every file, whether it loads, and why not', async () => {
    const { workspace, detent } = await shelf();
    const { view, code } = await workspace.json<Validated[]>(['skills', 'validate', fixtureSkills]);
    expect(code).toBe(1);
    expect(view).toHaveLength(32);
    const bad = view.filter(({ loads }) => !loads);
    expect(bad.map(({ name, description }) => [name, description])).toEqual([
      ['invalid-yaml', null],
      ['missing-description', null],
    ]);
    expect(view.every(({ loads, errors }) => loads === (errors.length === 0))).toBe(true);
    const { warnings } = view.find(({ name }) => name === 'bad--name') ?? { warnings: [] };
    expect(warnings).toHaveLength(2);
    const { stdout } = await detent('validate', fixtureSkills);
    expect(stdout).toMatch(/^bad {3}.*missing-description\/SKILL\.md\n +error: the description is missing/m);
  });

  it('takes a file, looks everywhere, and ends with 0 when all of it is good', async () => {
    const { json, detent } = await shelf({
      'x/tea/SKILL.md': skillFile(
        'tea',
        'allowed-tools: Read Teleport mcp__a__b\nconfirm-before: Bash\nmodel: gpt\n',
      ),
      'x/tea/assets/inner/SKILL.md': skillFile('inner', 'confirm-before: Bash\n'),
    });
    const files = await json<Validated[]>('validate', 'x');
    expect(files.map(({ path, loads }) => [path, loads])).toEqual([
      ['x/tea/SKILL.md', true],
      ['x/tea/assets/inner/SKILL.md', true],
    ]);
    expect(files[0]?.warnings).toEqual([
      'the field "model" is none of the format',
      'there is no tool "Teleport"',
    ]);
    expect(files[1]?.warnings.join()).toContain('without allowed-tools');
    expect(await json<Validated[]>('validate', 'x/tea/SKILL.md')).toHaveLength(1);
    expect((await detent('validate', 'x')).code).toBe(0);
    expect(await detent('validate', 'nowhere')).toMatchObject({ code: 4 });
    expect(await detent('validate', '.home')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no SKILL.md'),
    });
  });

  it('has nothing to say of the skills of Detent', async () => {
    const { json } = await shelf();
    const folder = new URL('../../../../skills', import.meta.url).pathname;
    const files = await json<Validated[]>('validate', folder);
    expect(files).toHaveLength(5);
    expect(files.flatMap(({ warnings, errors }) => [...warnings, ...errors])).toEqual([]);
  });
});

describe('detent skills new', () => {
  it('makes a skill that is found and has nothing wrong with it', async () => {
    const { workspace, json, detent } = await shelf();
    const about = 'Says "hello": loudly. Use when # asked.';
    const { path } = await json<{ path: string }>('new', 'greet-all', '--description', about);
    expect(path).toBe(workspace.path('skills/greet-all/SKILL.md'));
    expect(await json<Validated[]>('validate', 'skills')).toMatchObject([
      { loads: true, description: about, warnings: [] },
    ]);
    expect((await json<SkillDetails>('show', 'greet-all')).title).toBe('Greet all');
    expect(await detent('new', 'greet-all')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already'),
    });
    expect((await detent('new', 'tea', '--in', '.claude/skills')).code).toBe(0);
    expect((await json<SkillDetails>('show', 'tea')).path).toContain('.claude');
  });
});

describe('detent skills why', () => {
  it('has the scores, and what the model would be shown', async () => {
    const { json, detent } = await shelf({ 'skills/tea/SKILL.md': skillFile('tea') });
    expect(await json<SkillWhy>('why', 'review the code of my last commit')).toMatchObject({
      named: null,
      offered: 6,
      mode: 'listed',
      scores: [{ name: 'code-review' }, ...[]],
    });
    expect(await json<SkillWhy>('why', '/tea with milk')).toMatchObject({ named: 'tea' });
    expect(await json<SkillWhy>('why', 'quarterly seismograph calibration')).toMatchObject({ scores: [] });
    expect((await detent('why', 'quarterly seismograph calibration')).stdout).toContain(
      'no skill matches the words of the prompt',
    );
    expect((await detent('why')).code).toBe(2);
  });
});

describe('detent skills approve and revoke', () => {
  it('trust a skill with its current files', async () => {
    const { workspace, json, detent } = await shelf({ 'skills/tea/SKILL.md': skillFile('tea') });
    const { hash } = await json<{ hash: string }>('approve', 'tea');
    expect(await json<SkillDetails>('show', 'tea')).toMatchObject({ hash, isTrusted: true });
    expect((await detent('list')).stdout).toMatch(/^tea +project, trusted/m);
    await workspace.write('skills/tea/SKILL.md', `${skillFile('tea')}more`);
    expect((await detent('list')).stdout).toMatch(/^tea +project, not trusted/m);
    expect(await json<SkillDetails>('show', 'tea')).toMatchObject({ isTrusted: false });
    expect((await detent('revoke', 'tea')).code).toBe(0);
    expect((await detent('revoke', 'tea')).code).toBe(4);
    expect((await detent('approve', 'none')).code).toBe(4);
  });
});

describe('a run that uses a skill', () => {
  it('is shown by detent runs show', async () => {
    const { workspace, env } = await shelf({
      'skills/tea/SKILL.md': skillFile('tea', 'allowed-tools: datetime\n', 'Boil water for $ARGUMENTS.'),
    });
    const provider = await answering({ text: 'Done.' });
    const { view } = await workspace.json(['run', ...by(provider), '/tea my guests'], { env });
    expect(JSON.stringify(provider.requests)).toContain('Boil water for my guests.');
    expect(view.skills?.followed).toMatchObject([{ name: 'tea', by: 'prompt', allowed: ['datetime'] }]);
    const { stdout } = await workspace.detent(['runs', 'show', view.runId], { env });
    expect(stdout).toMatch(
      /^skills {3}tea \(named by the prompt; score [\d.]+; project; tools: datetime\)$/m,
    );
    const why = await workspace.detent(['runs', 'why', view.runId], { env });
    expect(why.stdout).toContain('skill tea (named by the prompt');
  });

  it('has the skills that it is given', async () => {
    const { workspace, env } = await shelf({ 'skills/tea/SKILL.md': skillFile('tea') });
    const provider = await answering({ text: 'Done.' }, { text: 'Done.' });
    const { stderr } = await workspace.detent(['run', ...by(provider), '--skills', 'te*,none', 'hello'], {
      env,
    });
    expect(stderr).toContain('--skills: there is no skill "none"; there are code-review,');
    await workspace.detent(['run', ...by(provider), '--skills', '', 'hello'], { env });
    const [some, none] = provider.requests.map((request) => JSON.stringify(request));
    expect(some).toContain('- tea: Does tea.');
    expect(some).not.toContain('code-review');
    expect(none).not.toContain('"name":"skill"');
  });

  it('begins with a word about files that are no skills', async () => {
    const { workspace, env } = await shelf({ 'skills/tea/SKILL.md': 'no frontmatter' });
    const { stderr, code } = await workspace.detent(['run', '--model', 'demo/demo', 'hello'], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('skills/tea/SKILL.md cannot be used as a skill; "detent skills list" says why');
    const { stdout } = await workspace.detent(['doctor', '--offline'], { env });
    expect(stdout).toMatch(/^warn {2}Skills +5 skills; left out: .*tea.SKILL.md \(no frontmatter/m);
  });

  it('begins with a word about names of the configuration that no skill has', async () => {
    const config = {
      'detent.config.yaml': 'skills: { allowed: [code-reviw, "team-*"], disabled: [gone] }\n',
    };
    const { workspace, env } = await shelf(config);
    const { stderr, code } = await workspace.detent(['run', '--model', 'demo/demo', 'hello'], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('skills.allowed: there is no skill "code-reviw"; did you mean "code-review"?\n');
    expect(stderr).toContain('skills.disabled: there is no skill "gone"\n');
    expect(stderr).not.toContain('team-*');
    const { stdout } = await workspace.detent(['doctor', '--offline'], { env });
    expect(stdout).toMatch(
      /^warn {2}Skills +5 skills; skills.allowed names "code-reviw", .*which no skill has/m,
    );
    expect(stdout).toContain('did you mean "code-review"?');
  });

  it('begins in a chat by its name', async () => {
    const { workspace, env } = await shelf({
      'skills/tea/SKILL.md': skillFile('tea', '', 'Boil $ARGUMENTS.'),
    });
    const provider = await answering({ text: 'Done.' });
    const { stderr } = await workspace.detent(['chat', ...by(provider)], {
      env,
      input: '/tea water\n/coffee\n',
    });
    expect(JSON.stringify(provider.requests)).toContain('Boil water.');
    expect(provider.requests).toHaveLength(1);
    expect(stderr).toContain('there is no command /coffee');
  });

  it('is no riddle to the demo', async () => {
    const { workspace, env } = await shelf({
      'skills/sum/SKILL.md': skillFile('sum', '', 'Say what 1 + 1 is. What time is it? $ARGUMENTS'),
    });
    const { stdout } = await workspace.detent(['run', '--model', 'demo/demo', '/sum What is 17 * 23?'], {
      env,
    });
    expect(stdout).toContain('391');
    expect(stdout).not.toContain('1 + 1');
  });
});
