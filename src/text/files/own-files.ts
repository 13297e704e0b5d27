import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ResourceLimits, Worker } from 'node:worker_threads';

/** Whether Detent runs from its source. The published package has JavaScript, in files that the build arranges. */
export const isSource: boolean = import.meta.url.endsWith('.ts');

/**
 * The URL of one of the package's own files, wherever the build has put the caller's code.
 *
 * @param path from the package's root: `skills/`, `package.json`.
 */
export function ownFile(path: string): URL {
  let folder = new URL('.', import.meta.url);
  for (let parent = new URL('..', folder); !existsSync(new URL('package.json', folder)); ) {
    if (parent.href === folder.href) break;
    [folder, parent] = [parent, new URL('..', parent)];
  }
  return new URL(path, folder);
}

/** The URL of a module that the build keeps as a file of its own: `src/index`, `src/cli/main`. */
export function ownModule(path: string): string {
  return ownFile(isSource ? `${path}.ts` : `dist/${path}.js`).href;
}

/** What the package says of itself; null where a program has bundled Detent without its `package.json`. */
export function ownManifest(): Manifest | null {
  const file = ownFile('package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : null;
}

/**
 * The modules of the package's entries, by the name that a program imports: `detent/client` is `src/client/index`. The `exports`
 * of `package.json` are the only list of them.
 */
export function ownEntries(): ReadonlyMap<string, string> {
  const { name = '', exports = {} } = ownManifest() ?? {};
  const entries = Object.entries(exports).flatMap(([path, to]): [string, string][] => {
    const module = typeof to === 'string' ? undefined : /^\.\/dist\/(.+)\.js$/.exec(to.default)?.[1];
    // A file that the build makes of another entry has the types of that one.
    const isModule = typeof to !== 'string' && to.types === `./dist/${module}.d.ts`;
    return module !== undefined && isModule ? [[`${name}${path.slice(1)}`, module]] : [];
  });
  return new Map(entries);
}

interface Manifest {
  name: string;
  version: string;
  exports: Readonly<Record<string, string | { types: string; default: string }>>;
}

/**
 * A thread must switch on the compile cache itself, before its first module. Without it Node strips the types of every
 * source file again, which takes a quarter of a second. The published files have no types.
 */
const start = `
const { enableCompileCache } = require('node:module');
const { entry, cache } = require('node:worker_threads').workerData;
if (cache !== null) enableCompileCache(cache);
import(entry);`;

/**
 * Starts a thread that keeps no process alive.
 *
 * @param module a module that the build keeps as a file of its own: `src/memory/index/worker`.
 */
export function startOwnThread(module: string, resourceLimits: ResourceLimits = {}): Worker {
  // Not imported: few starts need a thread, and an older Node, which is told that it is too old, lacks the function.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const { getCompileCacheDir } = process.getBuiltinModule('node:module');
  const cache = getCompileCacheDir() ?? (isSource ? undefined : null);
  const worker = new Worker(start, {
    eval: true,
    workerData: { entry: ownModule(module), cache },
    resourceLimits,
  });
  worker.unref();
  return worker;
}

/** The folder of the user's own settings. */
export function detentHome(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.DETENT_HOME || join(homedir(), '.detent'));
}
