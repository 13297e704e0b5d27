import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFilesTool } from '../../../src/tools/builtin/list-files.ts';
import { callTool, temporaryFolder } from '../helpers.ts';

async function listing(paths: readonly string[], args: object = {}) {
  const workspace = await temporaryFolder();
  for (const path of paths) {
    await mkdir(join(workspace, path, '..'), { recursive: true });
    await (path.endsWith('/') ? mkdir(join(workspace, path)) : writeFile(join(workspace, path), ''));
  }
  await symlink('/etc', join(workspace, 'link'));
  const { text } = await callTool(listFilesTool(), args, { workspace });
  return text.split('\n');
}

describe('list_files', () => {
  it('lists one folder, sorted, with folders and links marked', async () => {
    expect(await listing(['b.txt', 'a/x', 'B.txt'])).toEqual([
      'B.txt',
      'a/',
      'b.txt',
      'link (symbolic link)',
    ]);
  });

  it('opens folders down to a depth, and gives paths that the other tools take', async () => {
    expect(await listing(['a/b/c', 'a/d', 'e'], { depth: 2 })).toEqual([
      'a/',
      'a/b/',
      'a/d',
      'e',
      'link (symbolic link)',
    ]);
    expect(await listing(['a/b/c', 'a/d'], { path: 'a', depth: 5 })).toEqual(['a/b/', 'a/b/c', 'a/d']);
  });

  it('leaves .git and node_modules closed, and says so', async () => {
    const files = ['.git/HEAD', 'node_modules/x/index.js', 'src/a'];
    expect(await listing(files, { depth: 3 })).toEqual([
      '.git/',
      'link (symbolic link)',
      'node_modules/',
      'src/',
      'src/a',
      '[not opened: .git/, node_modules/]',
    ]);
    expect(await listing(files, { path: 'node_modules' })).toEqual(['node_modules/x/']);
  });

  it('hides the folder of the runtime', async () => {
    expect(await listing(['.detent/detent.db', 'a'], { depth: 3 })).toEqual(['a', 'link (symbolic link)']);
  });

  it('says how many entries it left out', async () => {
    const files = Array.from({ length: 30 }, (_, i) => `f${String(i).padStart(2, '0')}`);
    const lines = await listing(files, { limit: 3 });
    expect(lines).toEqual(['f00', 'f01', 'f02', '[28 more; list a subfolder, or raise limit]']);
  });

  it('does not let a file name forge an entry', async () => {
    expect(await listing(['a\nb'])).toEqual(['"a\\nb"', 'link (symbolic link)']);
  });

  it('says that a folder is empty', async () => {
    expect(await listing(['d/'], { path: 'd' })).toEqual(['[the folder is empty]']);
  });

  it('refuses files and folders that are not there', async () => {
    const workspace = await temporaryFolder();
    await writeFile(join(workspace, 'f'), '');
    const list = (path: string) => callTool(listFilesTool(), { path }, { workspace });
    expect(await list('f')).toMatchObject({ code: 'NOT_A_FOLDER' });
    expect(await list('no')).toMatchObject({
      code: 'FILE_NOT_FOUND',
      text: '"no" does not exist; list_files shows what there is',
    });
  });
});
