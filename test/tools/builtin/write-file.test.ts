import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileTool } from '../../../src/tools/builtin/write-file.ts';
import { callTool, probe, temporaryFolder } from '../helpers.ts';

async function setup() {
  const workspace = await temporaryFolder();
  const at = (path: string) => join(workspace, path);
  return {
    at,
    workspace,
    write: (path: string, content: string) => callTool(writeFileTool(), { path, content }, { workspace }),
    status: (path: string, content: string) => probe(writeFileTool(), { path, content }, { workspace }),
  };
}

describe('write_file', () => {
  it('creates a file with its folders, then overwrites it', async () => {
    const { at, write } = await setup();
    expect((await write('a/b/c.txt', '你好')).text).toBe('created a/b/c.txt (6 bytes)');
    expect((await write('a/b/c.txt', 'x')).text).toBe('overwrote a/b/c.txt (1 byte)');
    expect(await readFile(at('a/b/c.txt'), 'utf8')).toBe('x');
  });

  it('leaves nothing but the file behind, also when it fails', async () => {
    const { at, write, workspace } = await setup();
    await write('f.txt', 'x');
    await mkdir(at('d'));
    expect(await write('d', 'x')).toMatchObject({ code: 'IS_A_FOLDER' });
    expect(await write('f.txt/x', 'x')).toMatchObject({ code: 'NOT_A_FOLDER' });
    expect(await write('f.txt/x/y', 'x')).toMatchObject({ code: 'NOT_A_FOLDER' });
    expect((await readdir(workspace)).sort()).toEqual(['d', 'f.txt']);
  });

  it('keeps the mode of an existing file', async () => {
    const { at, write } = await setup();
    await writeFile(at('run.sh'), '');
    await chmod(at('run.sh'), 0o751);
    await write('run.sh', 'echo');
    expect((await stat(at('run.sh'))).mode & 0o7777).toBe(0o751);
  });

  it('replaces the file and does not write into it, so that a reader never sees a part', async () => {
    const { at, write } = await setup();
    await writeFile(at('f'), 'old');
    await link(at('f'), at('before'));
    await write('f', 'new');
    expect(await readFile(at('before'), 'utf8')).toBe('old');
  });

  it('writes through a link that stays inside, and keeps the link', async () => {
    const { at, write } = await setup();
    await writeFile(at('f'), 'old');
    await symlink('f', at('link'));
    await write('link', 'new');
    expect([await readFile(at('f'), 'utf8'), await readFile(at('link'), 'utf8')]).toEqual(['new', 'new']);
  });

  it('takes a name as long as a name can be', async () => {
    const { write } = await setup();
    expect(await write('n'.repeat(255), 'x')).toMatchObject({ isError: false });
  });

  it('ends concurrent writes with one of the contents, whole', async () => {
    const { at, write, workspace } = await setup();
    const contents = Array.from({ length: 10 }, (_, i) => String(i).repeat(100_000));
    await Promise.all(contents.map((content) => write('f', content)));
    expect(contents).toContain(await readFile(at('f'), 'utf8'));
    expect(await readdir(workspace)).toEqual(['f']);
  });

  it('changes nothing when it is cancelled first', async () => {
    const { at, workspace } = await setup();
    const tool = writeFileTool();
    const ctx = { workspace, signal: AbortSignal.abort() };
    expect(await callTool(tool, { path: 'f', content: 'x' }, ctx)).toMatchObject({ code: 'ABORTED' });
    await expect(stat(at('f'))).rejects.toThrow('ENOENT');
  });

  it('asks by default, and is a probe', () => {
    const tool = writeFileTool();
    expect([tool.sideEffect({}), tool.confirm({})]).toEqual(['probe', true]);
  });
});

describe('write_file after a crash', () => {
  it('ran when the file holds the content', async () => {
    const { write, status } = await setup();
    await write('f', '你好');
    expect(await status('f', '你好')).toEqual({ isError: false, code: null, text: 'wrote f (6 bytes)' });
  });

  it('did not run when the file is missing or holds something else', async () => {
    const { at, status } = await setup();
    expect(await status('no/such/file', 'x')).toBe('notRan');
    await writeFile(at('f'), 'y');
    expect(await status('f', 'x')).toBe('notRan');
    expect(await status('f', 'xx')).toBe('notRan');
  });

  it('is unknown when the file cannot show it', async () => {
    const { at, status } = await setup();
    await mkdir(at('d'));
    expect(await status('d', 'x')).toBeNull();
    expect(await status('../out', 'x')).toBeNull();
  });
});
