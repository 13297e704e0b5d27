import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DetentError } from '../../../src/protocol/error.ts';
import { isInside, resolveInWorkspace, type WorkspacePath } from '../../../src/tools/files/workspace-path.ts';
import { temporaryFolder } from '../helpers.ts';

/** outside/ and ws/ side by side; ws has a file, folders, the runtime's folder, and links of every kind. */
async function workspace() {
  const base = await temporaryFolder();
  const ws = join(base, 'ws');
  await mkdir(join(ws, 'sub', 'deep'), { recursive: true });
  await mkdir(join(ws, '.detent'));
  await mkdir(join(base, 'outside'));
  await mkdir(join(base, 'ws-evil'));
  await writeFile(join(ws, 'a.txt'), 'a');
  await writeFile(join(base, 'outside', 'secret.txt'), 'secret');
  await symlink(join(base, 'outside'), join(ws, 'out'));
  await symlink(join(base, 'outside', 'secret.txt'), join(ws, 'sub', 'out.txt'));
  await symlink(join(base, 'outside', 'not-yet.txt'), join(ws, 'dangling'));
  await symlink('../..', join(ws, 'sub', 'up'));
  await symlink('.detent', join(ws, 'runtime'));
  await symlink('loop', join(ws, 'loop'));
  await symlink('sub', join(ws, 'in'));
  return { base, ws };
}

const refusal = (code: string) => expect.objectContaining({ code });

describe('paths in the workspace', () => {
  it('resolves what is there, and what is not there yet', async () => {
    const { ws } = await workspace();
    const shown = async (path: string) => (await resolveInWorkspace(ws, path, null)).shown;
    expect(await shown('a.txt')).toBe('a.txt');
    expect(await shown('./sub/../a.txt')).toBe('a.txt');
    expect(await shown('new/folder/file.txt')).toBe('new/folder/file.txt');
    expect(await shown('.')).toBe('.');
    expect(await shown('..a')).toBe('..a');
    expect(await shown('.detented')).toBe('.detented');
  });

  it('takes an absolute path inside, under either name of a workspace behind a link', async () => {
    const { base, ws } = await workspace();
    const link = join(base, 'link');
    await symlink(ws, link);
    for (const path of ['a.txt', join(ws, 'a.txt'), join(link, 'a.txt')])
      expect(await resolveInWorkspace(link, path, null)).toEqual({
        real: join(ws, 'a.txt'),
        shown: 'a.txt',
        database: null,
      });
  });

  it('follows a link that stays inside', async () => {
    const { ws } = await workspace();
    expect(await resolveInWorkspace(ws, 'in/x.txt', null)).toEqual({
      real: join(ws, 'sub', 'x.txt'),
      shown: 'sub/x.txt',
      database: null,
    });
  });

  it.each([
    '..',
    '../outside/secret.txt',
    'sub/../../outside/secret.txt',
    '/',
    '/etc/passwd',
    '../ws-evil/x',
    'out',
    'out/secret.txt',
    'out/new.txt',
    'sub/out.txt',
    'sub/up/outside/secret.txt',
    'dangling',
    'dangling/x',
  ])('refuses %s, which leads out', async (path) => {
    const { ws } = await workspace();
    await expect(resolveInWorkspace(ws, path, null)).rejects.toEqual(refusal('PATH_OUTSIDE_WORKSPACE'));
  });

  it('answers the same for outside paths that exist and that do not', async () => {
    const { ws } = await workspace();
    const message = (path: string) => resolveInWorkspace(ws, path, null).then(String, String);
    expect((await message('/etc/passwd')).replace('passwd', 'x')).toBe(await message('/etc/x'));
  });

  it.each([
    '.detent',
    '.detent/detent.db',
    'sub/../.detent/x',
    'runtime',
    'runtime/detent.db',
    '.DETENT/x',
    'sub/../.Detent',
  ])('refuses %s, the folder of the runtime', async (path) => {
    const { ws } = await workspace();
    await expect(resolveInWorkspace(ws, path, null)).rejects.toEqual(refusal('PATH_RESERVED'));
  });

  it('refuses the folder of the runtime also where it is a link to', async () => {
    const base = await temporaryFolder();
    await mkdir(join(base, 'state'));
    await symlink('state', join(base, '.detent'));
    await expect(resolveInWorkspace(base, 'state/detent.db', null)).rejects.toEqual(refusal('PATH_RESERVED'));
  });

  it.each(['', '  ', 'a\0b', '\0', '~', '~/x', 'sub\\x', '..\\..\\x', 'C:\\x', 'C:/x', 'loop', 'loop/x'])(
    'refuses %j, which is no path here',
    async (path) => {
      const { ws } = await workspace();
      await expect(resolveInWorkspace(ws, path, null)).rejects.toEqual(refusal('PATH_INVALID'));
    },
  );

  it('refuses names and paths that are too long', async () => {
    const { ws } = await workspace();
    for (const path of ['x'.repeat(300), 'x/'.repeat(3000)])
      await expect(resolveInWorkspace(ws, path, null)).rejects.toEqual(refusal('PATH_INVALID'));
  });

  it('takes encoded dots for an odd name and not for a way out', async () => {
    const { ws } = await workspace();
    expect((await resolveInWorkspace(ws, '%2e%2e%2fx', null)).real).toBe(join(ws, '%2e%2e%2fx'));
  });

  it('says so when the workspace is gone', async () => {
    await expect(resolveInWorkspace('/nowhere/at/all', 'a', null)).rejects.toEqual(
      refusal('WORKSPACE_MISSING'),
    );
  });

  it('never leaves the workspace, whatever the parts of a path', async () => {
    const { base, ws } = await workspace();
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'deep',
      'a.txt',
      'out',
      'in',
      'up',
      'dangling',
      'runtime',
      '.detent',
      'loop',
      'new',
      '%2e%2e',
      'ws',
      'outside',
      'secret.txt',
      '...',
      '．．',
      '\u0000',
      ' ',
    );
    const start = fc.constantFrom('', '/', `${ws}/`, `${base}/`, './');
    await fc.assert(
      fc.asyncProperty(start, fc.array(part, { maxLength: 8 }), async (prefix, parts) => {
        const found = await resolveInWorkspace(ws, prefix + parts.join('/'), null).catch(
          (error: unknown) => error,
        );
        if (DetentError.is(found)) {
          expect(found.code).toMatch(/^PATH_/);
          return;
        }
        const { real } = found as WorkspacePath;
        expect(isInside(ws, real)).toBe(true);
        expect(relative(ws, real).split(sep)[0]).not.toBe('.detent');
        expect(isInside(ws, await realpath(real).catch(() => ws))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
