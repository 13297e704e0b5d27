import { once } from 'node:events';
import { startOwnThread } from '../../text/files.ts';
import type { LocalCode } from './local-code.ts';
import type { FileBytes } from './regular-file.ts';

/**
 * As `findLocalCode`, in a thread of its own. Once a process has loaded the code of a folder, Node remembers where links and
 * packages led then, and its hooks refuse what is new.
 *
 * @throws what that throws.
 */
export async function findCodeAnew(entries: readonly FileBytes[]): Promise<LocalCode> {
  const worker = startOwnThread('src/cli/trust/code-thread');
  worker.ref();
  try {
    worker.postMessage(entries);
    const [code] = (await once(worker, 'message')) as [LocalCode];
    const files = code.files.map(({ path, bytes }) => ({ path, bytes: Buffer.from(bytes) }));
    return { ...code, files };
  } finally {
    await worker.terminate();
  }
}
