import { getCompileCacheDir } from 'node:module';
import type { ResourceLimits, Worker } from 'node:worker_threads';
import { isSource, ownModule } from './own-files.ts';

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
  // Not imported: few starts need a thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const cache = getCompileCacheDir() ?? (isSource ? undefined : null);
  const worker = new Worker(start, {
    eval: true,
    workerData: { entry: ownModule(module), cache },
    resourceLimits,
  });
  worker.unref();
  return worker;
}
