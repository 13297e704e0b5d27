import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../src/tools/builtin/edit-file.ts';
import { grepTool } from '../../../src/tools/builtin/grep.ts';
import { listFilesTool } from '../../../src/tools/builtin/list-files.ts';
import { readFileTool } from '../../../src/tools/builtin/read-file.ts';
import { writeFileTool } from '../../../src/tools/builtin/write-file.ts';
import { isInside, resolveInWorkspace } from '../../../src/tools/files/workspace-path.ts';
import cases from '../../fixtures/security/path-traversal.json' with { type: 'json' };
import { isDeep } from '../../support/size.ts';
import { temporaryFolder, toolboxOf, toolContext } from '../helpers.ts';

const canary = 'canary of the house above';
const file = 'canary.txt';

/** A workspace eight folders down, with a canary in every folder above it. */
async function deepWorkspace() {
  const top = await temporaryFolder();
  const folders = Array.from({ length: 8 }, (_, depth) => join(top, ...Array(depth).fill('d')));
  await mkdir(join(folders.at(-1) ?? top, 'ws'), { recursive: true });
  for (const folder of folders) await writeFile(join(folder, file), canary);
  return { top, folders, workspace: join(folders.at(-1) ?? top, 'ws') };
}

/** Each payload as it is, without its leading slash (an absolute path never gets far), and from a subfolder. */
const payloads = cases.map(({ payload }) => payload.replaceAll('{FILE}', file));
const paths = new Set(payloads.flatMap((path) => [path, path.replace(/^\/+/, ''), `sub/${path}`]));

/** Every day the tools get one payload in three as it is; what all the paths resolve to is looked at besides. */
const toolPaths = isDeep ? paths : new Set(payloads.filter((_, i) => i % 3 === 0));

const tools = toolboxOf(readFileTool(), listFilesTool(), grepTool(), writeFileTool(), editFileTool());
const call = (name: string, args: object, workspace: string) =>
  tools.run(name, JSON.stringify(args), toolContext({ workspace }));

describe('path traversal payloads', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(188);
  });

  it('resolve to nothing, or inside the workspace', async () => {
    const { workspace } = await deepWorkspace();
    for (const path of paths) {
      const found = await resolveInWorkspace(workspace, path, null).catch(() => null);
      if (found) expect(isInside(workspace, found.real), path).toBe(true);
    }
  });

  it('read nothing outside', async () => {
    const { workspace } = await deepWorkspace();
    for (const path of toolPaths) {
      const read = await call('read_file', { path }, workspace);
      expect(read.isError, path).toBe(true);
      expect(read.text, path).not.toContain(canary);
      const listed = await call('list_files', { path }, workspace);
      if (!listed.isError) expect(listed.text, path).toBe('[the folder is empty]');
      const globbed = await call('list_files', { glob: path.slice(0, 1_000) }, workspace);
      expect(globbed, path).toMatchObject({ isError: false, text: '[nothing matches]' });
      const searched = await call('grep', { path, pattern: 'canary' }, workspace);
      if (!searched.isError) expect(searched.text, path).toBe('[no match in 0 files]');
    }
  });

  it('write and edit nothing outside', async () => {
    const { top, folders, workspace } = await deepWorkspace();
    for (const path of toolPaths) {
      await call('edit_file', { path, old_text: 'canary', new_text: 'cat' }, workspace);
      await call('write_file', { path, content: 'written' }, workspace);
    }
    for (const folder of folders) expect(await readFile(join(folder, file), 'utf8')).toBe(canary);
    const outside = (await readdir(top, { recursive: true })).filter(
      (name) => !isInside(workspace, join(top, name)),
    );
    expect(outside).toHaveLength(2 * folders.length - 1);
  });
});

describe('a folder that is swapped for a link to the outside while tools use it', () => {
  const houses = ['outside', 'ws/folder'];

  async function setup() {
    const base = await temporaryFolder();
    for (const house of houses) {
      await mkdir(join(base, house, 'sub'), { recursive: true });
      const content = house === 'outside' ? canary : 'own';
      for (const path of [file, `sub/${file}`]) await writeFile(join(base, house, path), content);
    }
    await writeFile(join(base, 'outside', 'neighbour.txt'), '');
    await symlink(join(base, 'outside'), join(base, 'ws', 'link'));
    return { outside: join(base, 'outside'), workspace: join(base, 'ws') };
  }

  /** `folder` is by turns a folder, nothing and a link. */
  async function swap(workspace: string, times: number) {
    const at = (name: string) => join(workspace, name);
    // write_file may be quicker, and make the folder that is gone for a moment.
    const put = async (name: string) => {
      while (
        !(await rename(at(name), at('folder')).then(
          () => true,
          () => false,
        ))
      )
        await rm(at('folder'), { recursive: true, force: true });
    };
    for (let i = 0; i < times; i++) {
      await rename(at('folder'), at('real'));
      await put('link');
      await rename(at('folder'), at('link'));
      await put('real');
    }
  }

  it('lets nothing outside be read or changed', async () => {
    const { outside, workspace } = await setup();
    let over = false;
    const swapping = swap(workspace, 300).finally(() => {
      over = true;
    });
    while (!over) {
      for (const path of [`folder/${file}`, `folder/sub/${file}`]) {
        expect((await call('read_file', { path }, workspace)).text).not.toContain(canary);
        await call('write_file', { path, content: 'own' }, workspace);
        await call('edit_file', { path, old_text: 'canary', new_text: 'cat' }, workspace);
      }
      await call('write_file', { path: 'folder/sub/new/x.txt', content: 'own' }, workspace);
      expect((await call('list_files', { path: 'folder' }, workspace)).text).not.toContain('neighbour');
      expect((await call('list_files', { glob: 'n*' }, workspace)).text).not.toContain('neighbour');
      for (const path of ['.', 'folder', `folder/${file}`])
        expect((await call('grep', { path, pattern: 'canary of' }, workspace)).text).not.toContain(canary);
    }
    await swapping;
    for (const path of [file, `sub/${file}`])
      expect(await readFile(join(outside, path), 'utf8')).toBe(canary);
    expect((await readdir(outside, { recursive: true })).sort()).toEqual([
      file,
      'neighbour.txt',
      'sub',
      `sub/${file}`,
    ]);
  });
});
