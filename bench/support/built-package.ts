import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';

/** What `script` can name. */
const benchScripts = [
  'database/child',
  'skills/child',
  'steps/cpu-child',
  'steps/concurrent-child',
  'steps/space-child',
].map((name) => `bench/${name}`);

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The package as it would be installed, with the benchmark's own scripts beside it. */
export interface BuiltPackage {
  /** A script inside it can `import('detent')`. */
  home: string;
  /** The benchmark's script of that name, without its ending; it drives the built Detent. */
  script(name: string): URL;
}

/** Builds everything to JavaScript, because users run that, and Node's type stripper would be in the figures. */
export async function buildPackage(folder: string): Promise<BuiltPackage> {
  const home = join(folder, 'package');
  await mkdir(home, { recursive: true });
  await cp(join(root, 'package.json'), join(home, 'package.json'));
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  await cp(join(root, 'skills'), join(home, 'skills'), { recursive: true });
  await bundle(ownModules, join(home, 'dist'));
  // Apart, because one more entry divides the package's code into other files than are published.
  await bundle(benchScripts, join(home, 'dist-bench'));
  return { home, script: (name) => pathToFileURL(join(home, `dist-bench/bench/${name}.js`)) };
}
