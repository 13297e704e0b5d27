import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isLocked } from '../store/sqlite.ts';
import { driversFolderName, makePrivateFolder } from '../text/files.ts';
import { shortHash } from '../text/ids.ts';

/** How long making a lock and taking it may take. */
const takingMs = 60_000;

/** A longer path of a socket fails with EINVAL: 104 bytes on macOS and 108 on Linux, with the final zero. */
const maxSocketBytes = 103;

/**
 * The folder of the locks and sockets of the processes that drive a database.
 *
 * @param file the real path of the database.
 */
export function driversFolder(file: string): string {
  return join(dirname(file), driversFolderName);
}

/** Several databases may share the folder. */
const prefixOf = (file: string) => `${basename(file)}-`;

export function lockFileOf(file: string, name: string): string {
  return join(driversFolder(file), `${prefixOf(file)}${name}.lock`);
}

/** The locks of all drivers of a database that lived until now, or live. */
export function lockFiles(file: string): string[] {
  const folder = driversFolder(file);
  try {
    const names = readdirSync(folder);
    return names
      .filter((name) => name.startsWith(prefixOf(file)) && name.endsWith('.lock'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Makes the folder of locks, and finds the place of a driver's socket: beside its lock, or, where that path is too long, in
 * a folder of this user in the temporary directory.
 *
 * @returns null where no socket can be made that other users cannot open.
 */
export function socketPathOf(file: string, name: string): string | null {
  if (process.platform === 'win32') return `\\\\.\\pipe\\detent-${shortHash(file)}-${name}`;
  const beside = join(driversFolder(file), `${prefixOf(file)}${name}.sock`);
  if (Buffer.byteLength(beside) <= maxSocketBytes) return beside;
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `detent-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const stat = statSync(folder);
    if (stat.uid !== uid) return null;
    chmodSync(folder, 0o700);
  } catch {
    return null;
  }
  const path = join(folder, `${name}.sock`);
  return Buffer.byteLength(path) <= maxSocketBytes ? path : null;
}

/** @throws what the file system throws. */
export function makeDriversFolder(file: string): void {
  makePrivateFolder(driversFolder(file));
}

/** Removes the locks that nobody holds any more, but for those that a process may be about to take. */
export function removeLeftLocks(file: string): void {
  for (const path of lockFiles(file)) {
    const isOld = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > takingMs;
    if (!isOld || isLocked(path)) continue;
    const name = basename(path, '.lock').slice(prefixOf(file).length);
    removeDriverFiles(file, { name, address: socketPathOf(file, name) });
  }
}

/** Removes what a driver that ended left. */
export function removeDriverFiles(
  file: string,
  { name, address }: { name: string; address: string | null },
): void {
  const paths = [
    lockFileOf(file, name),
    ...(address !== null && process.platform !== 'win32' ? [address] : []),
  ];
  for (const path of name === '' ? [] : paths)
    try {
      rmSync(path, { force: true });
    } catch {
      // It only takes room.
    }
}
