import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache');

/**
 * Bundles scripts as the published package is, and hands `work` the address of each. From source, what reads the types away is most
 * of a process's memory.
 */
export async function withBundled<Result>(
  scripts: readonly URL[],
  work: (bundled: (script: URL) => URL) => Promise<Result>,
): Promise<Result> {
  const nameOf = (script: URL) => relative(root, fileURLToPath(script)).replace(/\.ts$/, '');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'detent-bench-'));
  try {
    await bundle([...ownModules, ...scripts.map(nameOf)], join(folder, 'dist'));
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
    await symlink(join(root, 'skills'), join(folder, 'skills'));
    return await work((script) => pathToFileURL(join(folder, 'dist', `${nameOf(script)}.js`)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
