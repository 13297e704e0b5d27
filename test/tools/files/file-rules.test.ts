import { link, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { noFileRules, whyGuarded } from '../../../src/tools/files/file-rules.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { temporaryFolder, toolContext } from '../helpers.ts';

let workspace: string;
beforeEach(async () => {
  workspace = await temporaryFolder();
});

const at = (...names: string[]) => join(workspace, ...names);
const why = (path: string, guarded: readonly string[] = []) =>
  whyGuarded(workspace, path, { ...noFileRules, guarded });

/** Calls a file tool as the agent does. */
function call(
  name: string,
  args: object,
  { database = null as string | null, mayWriteGuarded = false } = {},
) {
  const files = { ...noFileRules, database };
  const toolbox = createToolbox({ tools: builtinTools({ files }), allowed: null, files });
  return toolbox.run(name, JSON.stringify(args), toolContext({ workspace, mayWriteGuarded }));
}

describe('a guarded file', () => {
  it('is known by its name, also before it exists and by an absolute path', async () => {
    expect(await why('.git/hooks/pre-commit')).toBe(
      '.git/hooks/pre-commit, by which git can be made to execute something',
    );
    expect(await why(at('package.json'))).toContain('package.json, by which npm');
    expect(await why('README.md')).toBeNull();
  });

  it('is known through a link to it, and as a link to something else', async () => {
    await mkdir(at('.git', 'hooks'), { recursive: true });
    await mkdir(at('store'));
    await symlink(at('.git', 'hooks'), at('notes'));
    await symlink(at('store'), at('.husky'));
    expect(await why('notes/pre-commit')).toContain('.git/hooks/pre-commit');
    expect(await why('.husky/pre-push')).toContain('git');
  });

  it('is not the file that shares its content: writing replaces a name, and leaves the other', async () => {
    await mkdir(at('.git', 'hooks'), { recursive: true });
    await writeFile(at('.git', 'hooks', 'pre-commit'), 'old');
    await link(at('.git', 'hooks', 'pre-commit'), at('notes'));
    await call('write_file', { path: 'notes', content: 'new' });
    expect(await readFile(at('.git', 'hooks', 'pre-commit'), 'utf8')).toBe('old');
  });

  it('is all of a repository, whatever its folder is called', async () => {
    await mkdir(at('.bare', 'objects'), { recursive: true });
    await mkdir(at('.bare', 'worktrees', 'main'), { recursive: true });
    await writeFile(at('.bare', 'HEAD'), 'ref: refs/heads/main');
    expect(await why('.bare/hooks/post-checkout')).toContain('git');
    expect(await why('.bare/worktrees/main/config.worktree')).toContain('git');
    expect(await why('elsewhere/config')).toBeNull();
  });

  it('is what the configuration names, with all that is in its folders', async () => {
    const guarded = [at('lib', 'rules.ts'), at('team')];
    expect(await why('lib/rules.ts', guarded)).toContain('Detent');
    expect(await why('LIB/Rules.ts', guarded)).toContain('Detent');
    expect(await why('team/greet/run.sh', guarded)).toContain('Detent');
    expect(await why('lib/other.ts', guarded)).toBeNull();
  });

  it('does not count for the folders around the workspace', async () => {
    workspace = join(workspace, '.github', 'ws');
    await mkdir(workspace, { recursive: true });
    expect(await why(at('a.txt'))).toBeNull();
  });

  it('is not written by a call that no person approved for it: a folder became a link since', async () => {
    await mkdir(at('.git', 'hooks'), { recursive: true });
    await mkdir(at('docs'));
    expect(await why('docs/pre-commit')).toBeNull();
    await rename(at('docs'), at('moved'));
    await symlink(at('.git', 'hooks'), at('docs'));
    const args = { path: 'docs/pre-commit', content: '#!/bin/sh' };
    expect(await call('write_file', args)).toMatchObject({ isError: true, code: 'PATH_GUARDED' });
    const edit = { path: 'docs/pre-commit', old_text: 'a', new_text: 'b' };
    expect(await call('edit_file', edit)).toMatchObject({ isError: true, code: 'PATH_GUARDED' });
    expect(await call('write_file', args, { mayWriteGuarded: true })).toMatchObject({ isError: false });
  });
});

describe('the database in the workspace', () => {
  const names = [
    'runs.db',
    'runs.db-wal',
    'runs.db-shm',
    'runs.db-journal',
    'runs.db-lock',
    'runs.search-1.db',
    'drivers/d1.lock',
    'drivers/d1.sock',
  ];
  let database: string;
  beforeEach(async () => {
    await mkdir(at('data', 'drivers'), { recursive: true });
    database = at('data', 'runs.db');
    for (const name of names) await writeFile(at('data', name), 'secret');
    await writeFile(at('data', 'notes.txt'), 'open');
  });

  it.each(names)('is out of reach of every file tool: %s', async (name) => {
    const path = `data/${name}`;
    for (const [tool, args] of [
      ['read_file', { path }],
      ['list_files', { path }],
      ['grep', { path, pattern: 'secret' }],
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_text: 'secret', new_text: 'x' }],
    ] as const)
      expect(await call(tool, args, { database, mayWriteGuarded: true }), tool).toMatchObject({
        code: 'PATH_RESERVED',
      });
    expect(await readFile(at('data', name), 'utf8')).toBe('secret');
  });

  it('is not listed and not searched', async () => {
    expect((await call('list_files', { depth: 5 }, { database })).text).toBe(
      'data/\ndata/drivers/\ndata/notes.txt',
    );
    expect((await call('grep', { pattern: 'secret' }, { database })).text).toContain('no match in 1 file');
  });

  it.each(['read_file', 'edit_file', 'grep'])('is out of reach by another name: %s', async (tool) => {
    await symlink(database, at('link'));
    await link(database, at('hard'));
    for (const path of ['link', 'hard', 'data/../link', 'DATA/RUNS.DB']) {
      const args = { read_file: { path }, grep: { path, pattern: 'secret' } }[tool] ?? {
        path,
        old_text: 'secret',
        new_text: 'x',
      };
      const outcome = await call(tool, args, { database, mayWriteGuarded: true });
      expect(outcome.isError, path).toBe(true);
      expect(outcome.text, path).not.toContain(':secret');
    }
    expect(await readFile(database, 'utf8')).toBe('secret');
  });

  it('is not written where it would be made, nor through a link', async () => {
    const missing = at('later', 'agents.db');
    const args = { path: 'later/agents.db-journal', content: 'x' };
    expect(await call('write_file', args, { database: missing })).toMatchObject({ code: 'PATH_RESERVED' });
    await symlink(at('data'), at('alias'));
    expect(await call('write_file', { path: 'alias/runs.db-wal', content: 'x' }, { database })).toMatchObject(
      {
        code: 'PATH_RESERVED',
      },
    );
  });

  it('leaves other files of its folder alone', async () => {
    expect(await call('read_file', { path: 'data/notes.txt' }, { database })).toMatchObject({ text: 'open' });
    for (const path of ['data/runs.db.md', 'data/runs-notes.md', 'data/other.db', 'data/drivers/usb.c'])
      expect(await call('write_file', { path, content: 'x' }, { database }), path).toMatchObject({
        isError: false,
      });
  });
});

describe('without rules', () => {
  it('names still count', async () => {
    expect(await whyGuarded(workspace, '.envrc', noFileRules)).toContain('direnv');
  });
});
