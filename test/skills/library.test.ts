import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SkillCatalogue } from '../../src/skills/files/catalogue.ts';
import { bundledNames, skillRoots } from '../../src/skills/files/roots.ts';
import { scanRoot } from '../../src/skills/files/scan.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { describeWith } from '../support/needs.ts';
import { fixtureSkills, shelf, skillFile } from './support.ts';

const names = (cards: readonly { name: string }[]) => cards.map(({ name }) => name);

describe('where skills are looked for', () => {
  it('is in every folder, each under both names, however deep', async () => {
    const { library } = await shelf(
      {
        'skills/a/SKILL.md': skillFile('a'),
        'skill/b/SKILL.md': skillFile('b'),
        '.agents/skills/deep/er/c/SKILL.md': skillFile('c'),
        '.agents/skill/d/SKILL.md': skillFile('d'),
        '.claude/skills/e/SKILL.md': skillFile('e'),
        '.claude/skill/f/SKILL.md': skillFile('f'),
        'skills/e/inner/g/SKILL.md': skillFile('g'),
        'elsewhere/z/SKILL.md': skillFile('z'),
        'skills/y/skill.md': skillFile('y'),
        'skills/a/node_modules/x/SKILL.md': skillFile('x'),
        'skills/a/assets/template/SKILL.md': skillFile('w'),
      },
      { homeFiles: { 'skills/h/SKILL.md': skillFile('h'), 'skill/i/SKILL.md': skillFile('i') } },
    );
    const { skills, bad } = await library.found();
    expect(names(skills)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
    expect(bad.map(({ reasons }) => reasons.join())).toEqual([
      'it is called "skill.md"; a skill is only found in "SKILL.md"',
    ]);
  });

  it('goes from what comes with Detent to the folders of the configuration, and the later one is meant', async () => {
    const places = ['skills', '.agents/skills', '.claude/skills', 'mine'];
    const files = Object.fromEntries(
      places.map((place) => [`${place}/code-review/SKILL.md`, skillFile('code-review')]),
    );
    const homeFiles = { 'skills/code-review/SKILL.md': skillFile('code-review') };
    const { library, workspace } = await shelf(files, { bundled: true, folders: ['mine'], homeFiles });
    const shown = async () => {
      const { skills, shadowed } = await library.found();
      const one = skills.find(({ name }) => name === 'code-review');
      return {
        from: one?.root.from,
        shadowed: shadowed.filter(({ by }) => by.name === 'code-review').length,
      };
    };
    expect(await shown()).toEqual({ from: 'configured', shadowed: 5 });
    const left = ['configured', 'project', 'project', 'project', 'home'];
    for (const place of places.toReversed()) {
      expect((await shown()).from).toBe(left.shift());
      await rm(join(workspace, place), { recursive: true });
    }
    expect(await shown()).toEqual({ from: 'home', shadowed: 1 });
  });

  it('keeps the first of two in one folder, and says so', async () => {
    const { library } = await shelf({
      'skills/one/SKILL.md': skillFile('same'),
      'skills/two/SKILL.md': skillFile('same'),
    });
    const { skills, shadowed } = await library.found();
    expect(skills[0]?.path).toContain('one');
    expect(shadowed[0]?.skill.path).toContain('two');
  });

  it('has what was added to the skills of a clone of Detent as skills of the folder', async () => {
    const { workspace } = await shelf({
      'skills/code-review/SKILL.md': skillFile('code-review'),
      'skills/mine/SKILL.md': skillFile('mine'),
    });
    const others = { folder: join(workspace, 'skills'), from: 'project', within: workspace } as const;
    const { skills } = await scanRoot({ ...others, from: 'bundled', within: null, others });
    expect(skills.map(({ name, root }) => [name, root.from])).toEqual([
      ['code-review', 'bundled'],
      ['mine', 'project'],
    ]);
    const own = skillRoots({ workspace: join(import.meta.dirname, '../..'), env: {} })[0];
    expect(own).toMatchObject({ from: 'bundled', others: { from: 'project' } });
  });

  it('has those of Detent, which are trusted', async () => {
    const { library } = await shelf({}, { bundled: true });
    const { skills, bad } = await library.found();
    expect({ names: names(skills), bad }).toEqual({
      names: [...bundledNames],
      bad: [],
    });
    expect((await library.show('code-review')).loaded.skill).toMatchObject({
      from: 'bundled',
      isTrusted: true,
    });
  });

  it('has other people’s skills, and those that are bad with the reason', async () => {
    const { library } = await shelf({}, { folders: [fixtureSkills] });
    const { skills, bad } = await library.found();
    expect(skills).toHaveLength(30);
    const reasons = Object.fromEntries(
      bad.map(({ path, reasons }) => [path.split('/').at(-2), reasons.join()]),
    );
    expect(Object.keys(reasons).sort()).toEqual(['invalid-yaml', 'missing-description']);
    expect(reasons['missing-description']).toContain('the description is missing');
    expect(reasons['invalid-yaml']).toContain('cannot be read as YAML');
  });
});

describe('bad folders and files', () => {
  it('do not keep the good ones from being found', async () => {
    const { library, workspace } = await shelf({
      'skills/good/SKILL.md': skillFile('good'),
      'skills/loop/SKILL.md': skillFile('loop'),
      'skills/folder/SKILL.md/x': 'x',
      'skills/binary/SKILL.md': `---\nname: binary\0\n---\n`,
      'skills/empty/SKILL.md': '',
      'skills/huge/SKILL.md': skillFile('huge'),
    });
    await truncate(join(workspace, 'skills/huge/SKILL.md'), 3_000_000_000);
    await symlink('..', join(workspace, 'skills/loop/up'));
    await symlink('nowhere', join(workspace, 'skills/dangling'));
    await symlink('self', join(workspace, 'skills/self'));
    await mkdir(join(workspace, 'skills/lost'));
    await symlink('nowhere.md', join(workspace, 'skills/lost/SKILL.md'));
    await mkdir(join(workspace, 'skills/pipe'));
    execFileSync('/usr/bin/mkfifo', [join(workspace, 'skills/pipe/SKILL.md')]);
    const { skills, bad } = await library.found();
    expect(names(skills)).toEqual(['good', 'loop']);
    const told = Object.fromEntries(bad.map(({ path, reasons }) => [path.split('/').at(-2), reasons.join()]));
    expect(told).toMatchObject({
      folder: expect.stringMatching(/not a file|EISDIR/),
      binary: expect.stringContaining('not text'),
      empty: expect.stringContaining('no frontmatter'),
      huge: expect.stringContaining('3000000000 bytes'),
      lost: expect.stringContaining('ENOENT'),
      pipe: expect.stringContaining('not a file'),
    });
    expect(Object.keys(told)).toHaveLength(6);
  });

  it('that lead out of the workspace show nothing of what is there', async () => {
    const outside = await temporaryWorkspace();
    await writeFiles(outside, { 'x/SKILL.md': skillFile('x'), 'x/secret.txt': 'secret' });
    const { library, workspace } = await shelf({ 'skills/in/SKILL.md': skillFile('in') });
    await symlink(join(outside, 'x'), join(workspace, 'skills/x'));
    await mkdir(join(workspace, 'skills/y'));
    await symlink(join(outside, 'x/SKILL.md'), join(workspace, 'skills/y/SKILL.md'));
    await symlink(outside, join(workspace, '.claude'));
    await writeFiles(outside, { 'skills/z/SKILL.md': skillFile('z') });
    const { skills, bad } = await library.found();
    expect(names(skills)).toEqual(['in']);
    expect(bad.map(({ path }) => path.slice(workspace.length + 1)).sort()).toEqual([
      '.claude/skills',
      'skills/x',
      'skills/y/SKILL.md',
    ]);
    expect(bad.map(({ reasons }) => reasons.join())).toEqual([
      expect.stringContaining('leads out of the workspace'),
      expect.stringContaining('leads out of the workspace'),
      expect.stringContaining('leads out of the workspace'),
    ]);
  });

  it('within the workspace may be links', async () => {
    const { library, workspace } = await shelf({ 'team/tea/SKILL.md': skillFile('tea') });
    await mkdir(join(workspace, 'skills'));
    await symlink('../team/tea', join(workspace, 'skills/tea'));
    expect(names((await library.found()).skills)).toEqual(['tea']);
  });

  describeWith(
    process.getuid?.() !== 0,
    'root reads every file',
    true,
  )('without the right to read', () => {
    it('are told', async () => {
      const { library, workspace } = await shelf({ 'skills/a/SKILL.md': skillFile('a') });
      await chmod(join(workspace, 'skills/a/SKILL.md'), 0);
      expect((await library.found()).bad[0]?.reasons.join()).toContain('EACCES');
    });
  });
});

describe('a folder of a thousand skills', () => {
  it('is read without the texts, and found whole', async () => {
    const files = Array.from({ length: 1_000 }, (_, i) => [
      `skills/s${i}/SKILL.md`,
      skillFile(`s${i}`, '', 'words '.repeat(300)),
    ]);
    const { library } = await shelf(Object.fromEntries(files));
    expect((await library.found()).skills).toHaveLength(1_000);
    expect(library.cards(null)).toHaveLength(1_000);
    expect(JSON.stringify([await library.found(), library.cards(null)])).not.toContain('words words');
  });
});

describe('what changes', () => {
  it('is there when skills are asked for again', async () => {
    const { library, workspace } = await shelf({ 'skills/a/SKILL.md': skillFile('a') });
    const seen = async () => names((await library.found()).skills);
    expect(await seen()).toEqual(['a']);
    await writeFiles(workspace, {
      'skills/b/SKILL.md': skillFile('b'),
      '.claude/skills/c/SKILL.md': skillFile('c'),
    });
    expect(await seen()).toEqual(['a', 'b', 'c']);
    await writeFile(join(workspace, 'skills/a/SKILL.md'), skillFile('renamed'));
    expect(await seen()).toEqual(['b', 'c', 'renamed']);
    await rename(join(workspace, 'skills/b'), join(workspace, 'skills/moved'));
    expect((await library.found()).skills.find(({ name }) => name === 'b')?.path).toContain('moved');
    await rm(join(workspace, 'skills'), { recursive: true });
    expect(await seen()).toEqual(['c']);
  });

  it('to a text of the same length is seen, too', async () => {
    const { library, workspace } = await shelf({ 'skills/a/SKILL.md': skillFile('a') });
    await library.found();
    await writeFile(join(workspace, 'skills/a/SKILL.md'), skillFile('b'));
    await utimes(join(workspace, 'skills/a/SKILL.md'), 1, 2);
    expect(names((await library.found()).skills)).toEqual(['b']);
  });

  it('is looked for at most once a second', async () => {
    const { workspace } = await shelf({ 'skills/a/SKILL.md': skillFile('a') });
    let now = 0;
    const root = { folder: join(workspace, 'skills'), from: 'project' as const, within: workspace };
    const catalogue = new SkillCatalogue([root], { now: () => now });
    await catalogue.refresh();
    await writeFiles(workspace, { 'skills/b/SKILL.md': skillFile('b') });
    await catalogue.refresh();
    expect(names(catalogue.found.skills)).toEqual(['a']);
    now += 1_000;
    await Promise.all([catalogue.refresh(), catalogue.refresh()]);
    expect(names(catalogue.found.skills)).toEqual(['a', 'b']);
  });
});

describe('the skills that may be used', () => {
  const files = Object.fromEntries(
    ['tea', 'coffee', 'cake'].map((name) => [`skills/${name}/SKILL.md`, skillFile(name)]),
  );

  it('are those of the configuration, of which a run names its own', async () => {
    const { library } = await shelf(files, { allowed: ['c*'], disabled: ['cake'] });
    await library.ready();
    expect(names(library.cards(null))).toEqual(['coffee']);
    expect(names(library.cards(['tea', 'coffee']))).toEqual(['coffee']);
    expect(names(library.cards([]))).toEqual([]);
    expect(library.whyDisabled('cake')).toContain('skills.disabled');
    expect(library.whyDisabled('tea')).toContain('skills.allowed');
    expect(await library.invoke('/tea now', null)).toBeNull();
    await expect(library.load('tea', { allowed: null, followed: [] })).rejects.toMatchObject({
      code: 'UNKNOWN_SKILL',
      message: expect.stringContaining('there are coffee'),
    });
  });

  it('are shown on one line each', async () => {
    const { library } = await shelf({
      'skills/a/SKILL.md': '---\nname: a\ndescription: |\n  one\n  - b: two\n---\n',
    });
    await library.ready();
    expect(library.cards(null)).toMatchObject([{ name: 'a', description: 'one - b: two' }]);
  });

  it('can be for people alone, or for models alone', async () => {
    const { library } = await shelf({
      'skills/mine/SKILL.md': skillFile('mine', 'disable-model-invocation: true\n'),
      'skills/its/SKILL.md': skillFile('its', 'user-invocable: false\n'),
    });
    await library.ready();
    expect(names(library.cards(null))).toEqual(['its']);
    expect(await library.invoke('/its x', null)).toBeNull();
    expect((await library.invoke('/mine x', null))?.skill.name).toBe('mine');
    await expect(library.load('mine', { allowed: null, followed: [] })).rejects.toThrow('there is no skill');
    expect((await library.load('mine', { allowed: null, followed: ['mine'] })).skill.name).toBe('mine');
  });
});

describe('a prompt that names a skill', () => {
  const body = 'Run on $ARGUMENTS now; again $ARGUMENTS.\n';

  it.each([
    ['/tea a $& b $1', 'Run on a $& b $1 now; again a $& b $1.'],
    ['/tea', 'Run on  now; again .'],
    ['/tea two\nlines ', 'Run on two\nlines now; again two\nlines.'],
  ])('%j has its text', async (prompt, text) => {
    const { library } = await shelf({ 'skills/tea/SKILL.md': skillFile('tea', '', body) });
    expect((await library.invoke(prompt, null))?.text).toContain(`]\n${text}\n`);
  });

  it.each(['tea x', ' /tea', '/teapot', '/etc/hosts', '/', '//tea', 'do /tea'])(
    '%j names none',
    async (prompt) => {
      const { library } = await shelf({ 'skills/tea/SKILL.md': skillFile('tea') });
      expect(await library.invoke(prompt, null)).toBeNull();
    },
  );

  it('may be in any script', async () => {
    const { library } = await shelf({
      'skills/技能/SKILL.md': '---\nname: 技能\ndescription: 中文\n---\n正文 $ARGUMENTS',
    });
    expect((await library.invoke('/技能 你好', null))?.text).toContain('正文 你好');
  });
});

describe('trust', () => {
  const files = { 'skills/tea/SKILL.md': skillFile('tea'), 'skills/tea/scripts/brew.sh': 'echo tea' };

  it('is for the skill as it was approved, with all of its files', async () => {
    const { library, workspace } = await shelf(files);
    const trusted = async () => (await library.show('tea')).loaded.skill.isTrusted;
    expect(await trusted()).toBe(false);
    const hash = await library.approve('tea');
    expect(await trusted()).toBe(true);
    expect(await library.isTrusted({ name: 'tea', hash })).toBe(true);
    await writeFiles(workspace, { 'skills/tea/scripts/brew.sh': 'echo poison' });
    expect(await trusted()).toBe(false);
    expect(await library.isTrusted({ name: 'tea', hash })).toBe(false);
    await writeFiles(workspace, { 'skills/tea/scripts/brew.sh': 'echo tea' });
    expect(await trusted()).toBe(true);
    await writeFiles(workspace, { 'skills/tea/more.txt': '' });
    expect(await trusted()).toBe(false);
    await rm(join(workspace, 'skills/tea/more.txt'));
    await writeFiles(workspace, { 'skills/tea/node_modules/x/index.js': 'poison' });
    expect(await trusted()).toBe(false);
    await rm(join(workspace, 'skills/tea/node_modules'), { recursive: true });
    expect(await library.revoke('tea')).toBe(1);
    expect(await trusted()).toBe(false);
    expect(await library.revoke('tea')).toBe(0);
  });

  it('can be given by the configuration', async () => {
    const { library } = await shelf(files);
    const { hash } = (await library.show('tea')).loaded.skill;
    const { library: other } = await shelf(files, { approved: [hash ?? ''] });
    expect((await other.show('tea')).loaded.skill.isTrusted).toBe(true);
  });

  it('is kept where no tool can write, and nowhere when that cannot be read', async () => {
    const { library, home } = await shelf(files);
    await library.approve('tea');
    await writeFile(join(home, 'skills-approved.json'), '[');
    expect((await library.show('tea')).loaded.skill.isTrusted).toBe(false);
    await expect(library.approve('tea')).rejects.toMatchObject({ code: 'SKILL_APPROVALS_UNREADABLE' });
  });

  it('is not for a skill with a link, which could come to mean something else', async () => {
    const { library, workspace } = await shelf(files);
    await symlink('scripts/brew.sh', join(workspace, 'skills/tea/link'));
    expect((await library.show('tea')).loaded.skill.hash).toBeNull();
    await expect(library.approve('tea')).rejects.toMatchObject({ code: 'SKILL_TOO_LARGE' });
  });
});

describe('the files of a skill', () => {
  const files = {
    'skills/tea/SKILL.md': skillFile('tea'),
    'skills/tea/references/kinds.md': 'green, black',
    'skills/other/SKILL.md': skillFile('other'),
    'secret.txt': 'secret',
  };

  const read = async (path: string) => {
    const { library, workspace } = await shelf(files);
    await symlink('../../secret.txt', join(workspace, 'skills/tea/link.txt'));
    await writeFile(join(workspace, 'skills/tea/binary'), 'a\0b');
    return library.readFile(await library.load('tea', { allowed: null, followed: [] }), path);
  };

  it('are named as far as that helps', async () => {
    const many = Array.from({ length: 60 }, (_, i) => [`skills/tea/references/${i + 100}.md`, 'x']);
    const { library } = await shelf({ ...files, ...Object.fromEntries(many) });
    const { text = '' } = (await library.invoke('/tea', null)) ?? {};
    expect(text).toContain('references/139.md, and 21 more. Read one with the tool skill');
    expect(text).not.toContain('references/140.md');
  });

  it('are told with its text, and can be read', async () => {
    const { library } = await shelf(files);
    const loaded = await library.load('tea', { allowed: null, followed: [] });
    expect(loaded).toMatchObject({ folder: 'skills/tea', files: ['references/kinds.md'] });
    expect(await read('references/kinds.md')).toBe('green, black');
    expect(await read('./references/../SKILL.md')).toContain('name: tea');
  });

  it.each([
    ['../other/SKILL.md', 'PATH_OUTSIDE_SKILL'],
    ['../../secret.txt', 'PATH_OUTSIDE_SKILL'],
    ['/etc/hostname', 'PATH_OUTSIDE_SKILL'],
    ['link.txt', 'PATH_OUTSIDE_SKILL'],
    ['a\0b', 'PATH_OUTSIDE_SKILL'],
    ['references', 'FILE_NOT_FOUND'],
    ['none.md', 'FILE_NOT_FOUND'],
    ['binary', 'NOT_TEXT'],
  ])('%j is refused as %s', async (path, code) => {
    await expect(read(path)).rejects.toMatchObject({ code });
  });
});
