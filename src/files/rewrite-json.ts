import { privateFileMode } from './private-files.ts';
import { replaceFile } from './replace-file.ts';
import { whileLocked } from './while-locked.ts';

/**
 * Writes a private JSON file anew that processes share, while none of them changes it.
 *
 * @param next reads the file, and makes what it is to hold
 * @param busy the error when another process holds its lock for ten seconds
 */
export async function rewriteJson(
  file: string,
  next: () => Promise<object>,
  busy: () => Error,
): Promise<void> {
  await whileLocked(`${file}.lock`, busy, async () => {
    const text = JSON.stringify(await next(), null, 2);
    await replaceFile(file, `${text}\n`, { mode: privateFileMode });
  });
}
