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

  it('finds files by a glob, however deep', async () => {
    const files = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.md', 'node_modules/m/e.ts'];
    expect(await listing(files, { glob: '*.ts' })).toEqual([
      'a.ts',
      'src/b.ts',
      'src/deep/c.ts',
      '[not opened: node_modules/]',
    ]);
    expect(await listing(files, { glob: 'deep/*', path: 'src' })).toEqual(['src/deep/c.ts']);
    expect(await listing(files, { glob: '*.ts', path: 'src', depth: 1 })).toEqual(['src/b.ts']);
    expect(await listing(files, { glob: '*.py' })).toEqual(['[nothing matches; not opened: node_modules/]']);
  });

  it('leaves out what .gitignore does, says so, and lists it with `ignored`', async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, 'dist/sub'), { recursive: true });
    for (const [path, text] of Object.entries({
      '.gitignore': 'dist\n*.log\n',
      'a.log': '',
      b: '',
      'dist/c': '',
    }))
      await writeFile(join(workspace, path), text);
    const list = async (args: object) =>
      (await callTool(listFilesTool(), args, { workspace })).text.split('\n');
    expect(await list({ depth: 3 })).toEqual([
      '.gitignore',
      'b',
      '[2 left out by .gitignore; set ignored to list them]',
    ]);
    expect(await list({ depth: 3, ignored: true })).toEqual([
      '.gitignore',
      'a.log',
      'b',
      'dist/',
      'dist/c',
      'dist/sub/',
    ]);
    expect(await list({ path: 'dist' })).toEqual(['dist/c', 'dist/sub/']);
    await writeFile(join(workspace, 'dist/.gitignore'), '*');
    expect(await list({ path: 'dist' })).toEqual(['[3 left out by .gitignore; set ignored to list them]']);
  });

  it('reads no rules through a link, nor from a pipe', async () => {
    const workspace = await temporaryFolder();
    await writeFile(join(workspace, 'rules'), 'b');
    await writeFile(join(workspace, 'b'), '');
    await symlink(join(workspace, 'rules'), join(workspace, '.gitignore'));
    const { text } = await callTool(listFilesTool(), {}, { workspace });
    expect(text).toBe('.gitignore (symbolic link)\nb\nrules');
  });

  it('hides the folder that the folder of the runtime is a link to', async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, 'state'));
    await writeFile(join(workspace, 'state/detent.db'), '');
    await symlink(join(workspace, 'state'), join(workspace, '.detent'));
    await writeFile(join(workspace, 'a'), '');
    expect((await callTool(listFilesTool(), { depth: 3 }, { workspace })).text).toBe('a');
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
