import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makePrivateFile, makePrivateFolder } from '../../files/private-files.ts';
import { DetentError } from '../../protocol/error.ts';
import { databaseError } from './errors.ts';

export interface DriverLock {
  release(): void;
}

const pollMs = 50;

/**
 * Takes the driver lock of a database: at most one process holds it, and only that one may write.
 *
 * The lock is an exclusive transaction on a file beside the database. The operating system releases it when the process
 * ends, also by a crash, and a second process sees that at once.
 *
 * @param file the database; the lock is `<file>-lock`.
 * @param waitMs how long to wait for another process to release it.
 * @param holder finds the process id of the holder, for the error message.
 * @throws DetentError `DATABASE_LOCKED` if another process keeps it.
 */
export async function takeDriverLock(
  file: string,
  waitMs: number,
  holder: () => number | undefined,
): Promise<DriverLock> {
  if (file === ':memory:') return { release() {} };
  makeLockFile(file);
  // Try at least twice: a process that calls `isDriven` holds the lock for a moment.
  const until = Date.now() + Math.max(waitMs, pollMs);
  for (;;) {
    const lock = tryLock(file, 'BEGIN EXCLUSIVE');
    if (lock) return lock;
    if (Date.now() >= until) throw locked(file, holder());
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Whether a process drives the database now. Creates no file. */
export function isDriven(file: string): boolean {
  if (!existsSync(lockFileOf(file))) return false;
  // A shared lock: two processes that check at the same time do not take each other for a driver.
  const lock = tryLock(file, 'BEGIN; SELECT 1 FROM sqlite_master');
  lock?.release();
  return lock === null;
}

/** References to open lock handles: without one the garbage collector closes a handle and so releases its lock. */
const held = new Set<Sqlite.Database>();

const lockFileOf = (file: string) => `${file}-lock`;

function tryLock(file: string, begin: string): DriverLock | null {
  const lockFile = lockFileOf(file);
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(lockFile);
    db.pragma('busy_timeout = 0');
    db.pragma('journal_mode = MEMORY');
    db.exec(begin);
    const handle = db;
    held.add(handle);
    return {
      release() {
        held.delete(handle);
        handle.close();
      },
    };
  } catch (error) {
    db?.close();
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY'))
      return null;
    throw unusable(error, file);
  }
}

/** @throws DetentError `DATABASE_UNUSABLE` when the folder cannot be made or written. */
function makeLockFile(file: string): void {
  try {
    makePrivateFolder(dirname(file));
    makePrivateFile(lockFileOf(file));
  } catch (error) {
    throw unusable(error, file);
  }
}

function unusable(error: unknown, file: string): unknown {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_'))
    return databaseError(error, file);
  const message = error instanceof Error ? error.message : String(error);
  return databaseError(Object.assign(new Error(message), { code: 'SQLITE_CANTOPEN' }), file);
}

function locked(file: string, pid: number | undefined): DetentError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new DetentError(
    'DATABASE_LOCKED',
    `database ${file} is in use by ${who}; wait for it to end, stop it, or name another file (--db)`,
    { details: { file, ...(pid !== undefined && { pid }) }, retryable: true },
  );
}
