import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isOfOpenDatabaseAt, ofOpenDatabase } from './open-databases.ts';
import { privateFileMode } from './private-files.ts';
import { whileLocked } from './while-locked.ts';

interface Replacement {
  /** Permissions of the new file, less the umask. Default 0o666. */
  mode?: number;
  /** Where the content is written first: a path in the same folder. Default: a name that nothing else has. */
  draft?: string;
  /** Gives the new file what else it needs (an owner, permissions), before it is in its place. */
  prepare?(handle: FileHandle): Promise<void>;
  /** Asked once the content is on the disk; false leaves the old file as it is. */
  mayReplace?(): boolean | Promise<boolean>;
}

/**
 * Replaces a file's content, or makes the file in a folder that exists: readers, crashes and power cuts see the old
 * content or the new, never a part.
 *
 * @returns false when `mayReplace` said no.
 * @throws `EDATABASE` for a file of a database that this process has open, and what the file system throws; no draft is left
 * then.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array | AsyncIterable<string>,
  { mode = 0o666, draft = draftBeside(file), prepare, mayReplace }: Replacement = {},
): Promise<boolean> {
  try {
    await writeDurably(draft, content, mode, prepare);
    if (mayReplace && !(await mayReplace())) return false;
    // Not earlier: what gives the content may have opened the database.
    refuseDatabase(file);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return true;
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** The synchronous version of {@link replaceFile}. */
export function replaceFileSync(file: string, content: string, mode: number): void {
  const draft = draftBeside(file);
  try {
    refuseDatabase(file);
    const fd = openSync(draft, 'wx', mode);
    try {
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function refuseDatabase(file: string): void {
  if (isOfOpenDatabaseAt(file)) throw ofOpenDatabase(file);
}

/** Not named after the file, whose name may already be as long as a name can be. */
function draftBeside(file: string): string {
  return join(dirname(file), `.detent-${randomUUID()}.tmp`);
}

async function writeDurably(
  draft: string,
  content: string | Uint8Array | AsyncIterable<string>,
  mode: number,
  prepare: Replacement['prepare'],
): Promise<void> {
  await using handle = await open(draft, 'wx', mode);
  await handle.writeFile(content);
  await prepare?.(handle);
  await handle.sync();
}

/** Syncs the folder, so that the new name survives a power cut, where the system supports it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // Windows does not support it.
  }
}

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
