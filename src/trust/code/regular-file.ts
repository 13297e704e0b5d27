import { closeSync, fstatSync, readSync } from 'node:fs';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { openToReadSync } from '../../text/files.ts';

/** Larger than any file that a person writes, small enough to be read at every start. */
const maxBytes = 8 * 2 ** 20;

/** A file's path and content, read once: what was judged is what is used. */
export interface FileBytes {
  path: string;
  bytes: Buffer;
}

/**
 * Reads a file that another person may have put there. It never waits (a named pipe) and never reads without bound.
 *
 * @throws DetentError `INVALID_CONFIG` for anything but a readable regular file of at most 8 MB.
 */
export function readRegularFile(path: string): Buffer {
  const invalid = (why: string, cause?: unknown) =>
    new DetentError('INVALID_CONFIG', `${path} cannot be read: ${why}`, { details: { file: path }, cause });
  let fd: number;
  try {
    fd = openToReadSync(path);
  } catch (error) {
    throw invalid(messageOf(error), error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw invalid('it is not a regular file');
    const tooLarge = `it is larger than ${maxBytes / 2 ** 20} MB`;
    if (stat.size > maxBytes) throw invalid(tooLarge);
    // One byte more than its size shows whether it grows meanwhile.
    const buffer = Buffer.alloc(stat.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(fd, buffer, length, buffer.length - length, null);
    if (length > stat.size) throw invalid('it changed while it was read');
    return buffer.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
