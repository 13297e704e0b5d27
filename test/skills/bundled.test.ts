import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { DetentOptions } from '../../src/index.ts';
import { headOf } from '../../src/skills/files/head.ts';
import { parseSkill } from '../../src/skills/files/parse-skill.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';

const folder = new URL('../../skills/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(`${name}/SKILL.md`, folder), 'utf8');

/** A run that begins with a bundled skill, whose model makes these calls one after the other; what became of each. */
async function use(
  prompt: string,
  calls: readonly [tool: string, args: object][],
  options: DetentOptions = {},
) {
  const workspace = await temporaryWorkspace();
  await writeFiles(workspace, { 'notes/heat.md': 'old', 'src/a.ts': 'export const a = 1;' });
  const script: ScriptLine[] = calls.map(([name, args]) => ({ toolCalls: [{ name, arguments: args }] }));
  const { detent, model } = await scripted([...script, { text: 'end' }], {
    workspace,
    env: { DETENT_HOME: await temporaryWorkspace() },
    sandbox: 'none',
    ...options,
  });
  const view = await detent.run(prompt, { approve: 'none' }).result;
  const codes = view.steps.flatMap(({ toolCalls }) => toolCalls.map(({ status, code }) => code ?? status));
  return {
    view,
    codes,
    request: model.requests[0],
    tools: model.requests[0]?.tools.map(({ name }) => name) ?? [],
  };
}

describe('the skills that come with Detent', () => {
  it('are read when the package is built: their heads are JSON', async () => {
    for (const name of await readdir(folder)) {
      const head = await headOf(textOf(name), name);
      expect(JSON.parse(JSON.stringify(head))).toEqual(head);
    }
  });

  it('are these, and go with the package', async () => {
    expect((await readdir(folder)).sort()).toEqual([
      'code-review',
      'daily-summary',
      'research-notes',
      'shopping-assistant',
      'skill-creator',
    ]);
    expect(packageJson.files).toContain('skills');
  });

  it.each(['code-review', 'daily-summary', 'research-notes', 'shopping-assistant', 'skill-creator'])(
    '%s keeps to what it asks of others',
    (name) => {
      const text = textOf(name);
      const { warnings, errors, title, summary, checklist, allowedTools, metadata, body } = parseSkill(
        text,
        name,
      );
      expect({ warnings, errors }).toEqual({ warnings: [], errors: [] });
      expect(title).not.toBeNull();
      expect(summary).not.toBe('');
      expect(checklist.length).toBeGreaterThan(2);
      expect(allowedTools?.length).toBeGreaterThan(2);
      expect(metadata.keywords).toMatch(/\p{sc=Han}/u);
      expect(body).toContain('$ARGUMENTS');
      expect(text.split('\n').length).toBeLessThan(200);
    },
  );
});

describe('used', () => {
  it('code-review reads, and asks git, and changes nothing', async () => {
    const { view, codes, request, tools } = await use('/code-review src', [
      ['read_file', { path: 'src/a.ts' }],
      ['grep', { pattern: 'export' }],
      ['shell', { command: 'git push' }],
      ['shell', { command: 'git diff HEAD; rm -rf .' }],
      ['shell', { command: 'git diff HEAD' }],
    ]);
    expect(request?.messages.at(-1)?.text).toContain('What to review: src\n');
    expect(tools).not.toContain('write_file');
    expect(codes).toEqual(['done', 'done', 'TOOL_NOT_ALLOWED', 'TOOL_NOT_ALLOWED', 'REJECTED_BY_POLICY']);
    expect(view.skills?.followed).toMatchObject([{ name: 'code-review', from: 'bundled', isTrusted: true }]);
  });

  it('daily-summary looks at the day', async () => {
    const { codes, tools } = await use('/daily-summary yesterday', [
      ['datetime', {}],
      ['list_files', {}],
      ['shell', { command: 'git log --since=yesterday --oneline' }],
    ]);
    expect(codes).toEqual(['done', 'done', 'REJECTED_BY_POLICY']);
    expect(tools).toEqual(expect.arrayContaining(['datetime', 'memory_search', 'memory_write']));
    expect(tools).not.toContain('http_get');
  });

  it('research-notes writes notes, and nothing else, and is asked once a page has been read', async () => {
    const quiet = await use('/research-notes heat pumps', [
      ['write_file', { path: 'notes/pumps.md', content: 'x' }],
      ['write_file', { path: 'src/a.ts', content: 'x' }],
    ]);
    expect(quiet.codes).toEqual(['done', 'TOOL_NOT_ALLOWED']);
    expect(quiet.view.steps[0]?.toolCalls[0]?.why).toContain('trusted skill: research-notes');
    const { codes } = await use('/research-notes heat pumps', [
      ['http_get', { url: 'http://127.0.0.1:1/' }],
      ['write_file', { path: 'notes/pumps.md', content: 'x' }],
    ]);
    expect(codes.at(-1)).toBe('REJECTED_BY_POLICY');
  });

  it('skill-creator writes skills where skills are', async () => {
    const { codes } = await use('/skill-creator release notes', [
      ['list_files', { path: 'notes' }],
      ['write_file', { path: 'skills/release-notes/SKILL.md', content: 'x' }],
      ['write_file', { path: 'release-notes.md', content: 'x' }],
    ]);
    expect(codes).toEqual(['done', 'REJECTED_BY_POLICY', 'TOOL_NOT_ALLOWED']);
  });
});
