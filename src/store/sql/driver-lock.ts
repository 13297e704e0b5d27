import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { databaseError } from './errors.ts';

export interface DriverLock {
  release(): void;
}

const pollMs = 50;

/**
 * Takes the right to write to a database: at most one process has it.
 *
 * The lock is an exclusive transaction on a side file, so the operating system frees it with the process, however that
 * dies; a second process sees it at once.
 *
 * @param file the database; the lock is `<file>-lock`.
 * @param waitMs how long to wait for another process to let go.
 * @param holder finds the process id of the one that has it, for the message.
 * @throws DetentError `DATABASE_LOCKED` when another process keeps it.
 */
export async function takeDriverLock(
  file: string,
  waitMs: number,
  holder: () => number | undefined,
): Promise<DriverLock> {
  if (file === ':memory:') return { release() {} };
  // At least two tries: a reader that asks `isDriven` holds it for an instant.
  const until = Date.now() + Math.max(waitMs, pollMs);
  for (;;) {
    const lock = tryLock(file, 'BEGIN EXCLUSIVE');
    if (lock) return lock;
    if (Date.now() >= until) throw locked(file, holder());
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Whether some process drives the database now. Makes no file. */
export function isDriven(file: string): boolean {
  if (!existsSync(lockFileOf(file))) return false;
  // Shared: two that ask at once do not take each other for a driver.
  const lock = tryLock(file, 'BEGIN; SELECT 1 FROM sqlite_master');
  lock?.release();
  return lock === null;
}

/** A handle that nobody refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<Sqlite.Database>();

const lockFileOf = (file: string) => `${file}-lock`;

function tryLock(file: string, begin: string): DriverLock | null {
  const lockFile = lockFileOf(file);
  let db: Sqlite.Database | undefined;
  try {
    mkdirSync(dirname(lockFile), { recursive: true });
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
    throw databaseError(
      error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
        ? error
        : Object.assign(new Error(error instanceof Error ? error.message : String(error)), {
            code: 'SQLITE_CANTOPEN',
          }),
      file,
    );
  }
}

function locked(file: string, pid: number | undefined): DetentError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new DetentError(
    'DATABASE_LOCKED',
    `database ${file} is in use by ${who}; wait for it to end, stop it, or name another file (--db)`,
    { details: { file, ...(pid !== undefined && { pid }) }, retryable: true },
  );
}
