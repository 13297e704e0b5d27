import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isOfOpenDatabase, ofOpenDatabase } from './open-databases.ts';

interface Opening {
  /** Whether a link at the end of the path is followed. Default true. */
  followsLink?: boolean;
  /** Whether to wait for the writer of a pipe: for files that a person names, such as `<(command)`. Default false. */
  waitsForPipe?: boolean;
}

/** Linux's O_PATH: finds a file without opening it, so that closing the descriptor drops no lock. Node does not name it. */
const pathOnly = 0o10000000;
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/**
 * Opens a file to read it. All of Detent reads files of other people through this: it never opens a file of a database that
 * the process has open, under whatever name, because closing that would drop SQLite's locks on it.
 *
 * On Linux nothing can be swapped between the check and the open. Elsewhere a short race remains.
 *
 * @throws `EDATABASE` for a file of an open database, and what the file system throws: `ELOOP` for a link to refuse.
 */
export async function openToRead(path: string, how: Opening = {}): Promise<FileHandle> {
  const found = find(path, how);
  try {
    return await open(found.path, found.flags);
  } catch (error) {
    throw withOwnPath(error, found.path, path);
  } finally {
    found.close();
  }
}

/** The synchronous version of {@link openToRead}. The caller closes the descriptor. */
export function openToReadSync(path: string, how: Opening = {}): number {
  const found = find(path, how);
  try {
    return openSync(found.path, found.flags);
  } catch (error) {
    throw withOwnPath(error, found.path, path);
  } finally {
    found.close();
  }
}

/** The content of a file. @throws as {@link openToRead} does. */
export async function readWhole(path: string, how?: Opening): Promise<Buffer> {
  await using file = await openToRead(path, how);
  return await file.readFile();
}

/** The synchronous version of {@link readWhole}. */
export function readWholeSync(path: string, how?: Opening): Buffer {
  const file = openToReadSync(path, how);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** A checked file: the path that opens exactly that one, until `close`. */
interface Found {
  path: string;
  flags: number;
  close(): void;
}

function find(path: string, { followsLink = true, waitsForPipe = false }: Opening): Found {
  // Without O_NONBLOCK, opening a pipe without a writer blocks for ever.
  const reading = O_RDONLY | (waitsForPipe ? 0 : O_NONBLOCK);
  const finding = followsLink ? 0 : O_NOFOLLOW;
  const direct: Found = { path, flags: reading | finding, close() {} };
  if (process.platform !== 'linux') {
    const stat = statSync(path, { bigint: true });
    if (isOfOpenDatabase(realpathSync(path), stat)) throw ofOpenDatabase(path);
    return direct;
  }
  const descriptor = openSync(path, pathOnly | finding);
  const close = () => closeSync(descriptor);
  try {
    const through = `/proc/self/fd/${descriptor}`;
    const real = realOf(through);
    if (isOfOpenDatabase(real ?? realpathSync(path), fstatSync(descriptor, { bigint: true })))
      throw ofOpenDatabase(path);
    if (real !== null) return { path: through, flags: reading, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return direct;
}

/** Null without `/proc`. */
function realOf(through: string): string | null {
  try {
    return readlinkSync(through);
  } catch {
    return null;
  }
}

/** An error that names the path as the caller knows it. */
function withOwnPath(error: unknown, opened: string, path: string): unknown {
  if (opened === path || !(error instanceof Error) || !('code' in error)) return error;
  const message = error.message.replaceAll(opened, path);
  return Object.assign(new Error(message, { cause: error }), { code: error.code, path });
}
