/** The worker thread that finds the code of a folder anew. `watching-tools.ts` starts it for one question. */

import { parentPort } from 'node:worker_threads';
import { findLocalCode } from './local-code.ts';
import type { FileBytes } from './regular-file.ts';

parentPort?.once('message', async (entries: readonly FileBytes[]) => {
  // What comes from another thread is no Buffer.
  const read = entries.map(({ path, bytes }) => ({ path, bytes: Buffer.from(bytes) }));
  parentPort?.postMessage(await findLocalCode(read));
});
