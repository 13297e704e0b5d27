import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '../..');

/** Modules that the published package keeps as files of their own: what `exports`, `bin` and threads name. */
export const ownModules = [
  'src/index',
  'src/testing/index',
  'src/cli/main',
  'src/memory/index/worker',
  'machines/run.machine',
];

/**
 * Writes the JavaScript of `modules`, and what they import, into a folder. What is loaded together becomes one file, so
 * that a start opens tens of files instead of hundreds; a dynamic import stays one. Packages are not bundled.
 *
 * @param modules without their ending, from the root of the repository.
 */
export async function bundle(modules: readonly string[], folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(modules.map((module) => [module, resolve(root, `${module}.ts`)])),
    external: (id) => !/^[./]/.test(id) && !/^[a-z]:/i.test(id),
    platform: 'node',
  });
  await build.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'parts/[name]-[hash].js',
    // Node keeps the source text in memory: one byte a character if all are ASCII. The types have the comments.
    comments: false,
    charset: 'ascii',
  });
  await build.close();
}
