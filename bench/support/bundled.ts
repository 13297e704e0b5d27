import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache');

/**
 * Bundles scripts as the published package is, and hands `work` their addresses. From source, what reads the types away is most of
 * a process's memory.
 *
 * @param scripts from the root of the repository, without their ending
 */
export async function withBundled<Result>(
  scripts: readonly string[],
  work: (script: (name: string) => URL) => Promise<Result>,
): Promise<Result> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'detent-bench-'));
  try {
    await bundle([...ownModules, ...scripts], join(folder, 'dist'));
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
    await symlink(join(root, 'skills'), join(folder, 'skills'));
    return await work((name) => pathToFileURL(join(folder, 'dist', `${name}.js`)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
