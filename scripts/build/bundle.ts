import { writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import manifest from '../../package.json' with { type: 'json' };
import { noticesOf } from './notices.ts';

const root = resolve(import.meta.dirname, '../..');

/** Modules that the published package keeps as files of their own: what `exports`, `bin` and threads name. */
export const ownModules = [
  'src/index',
  'src/testing/index',
  'src/cli/main',
  'src/memory/index/worker',
  'machines/run.machine',
];

/** The licences of the packages whose code is in the bundle. */
const noticesFile = 'THIRD-PARTY-NOTICES.txt';

/**
 * Writes the JavaScript of `modules`, and what they import, into a folder. What is loaded together becomes one file, so
 * that a start opens tens of files instead of hundreds; a dynamic import stays one. Packages that npm does not install
 * with this one are bundled, as far as their code is used, and so is zod, which is a dependency for the types.
 *
 * @param modules without their ending, from the root of the repository.
 */
export async function bundle(modules: readonly string[], folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(modules.map((module) => [module, resolve(root, `${module}.ts`)])),
    external: staysOutside,
    platform: 'node',
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'parts/[name]-[hash].js',
    // Stack traces name the lines of src/ with --enable-source-maps; the sources themselves are in the repository.
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Node keeps the source text in memory: one byte a character if all are ASCII. The types have the comments.
    comments: false,
    charset: 'ascii',
  });
  await build.close();
  const files = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  await writeFile(join(folder, noticesFile), await noticesOf(files));
}

/** A module that is imported from an installed package, or from Node. */
function staysOutside(id: string): boolean {
  if (/^[./]/.test(id) || /^[a-z]:/i.test(id)) return false;
  if (isBuiltin(id)) return true;
  const [name = id] = /^(@[^/]+\/)?[^/]+/.exec(id) ?? [];
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  return name !== 'zod' && Object.hasOwn(installed, name);
}
