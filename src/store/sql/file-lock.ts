import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { databaseError } from './errors.ts';
import { blockUntilFree, isBusy } from './naps.ts';

/** An exclusive lock on a file, for as long as this process lives. */
export interface FileLock {
  release(): void;
}

/**
 * Takes an exclusive lock on a file, or null if another process or another part of this one holds it.
 *
 * It is an exclusive transaction of SQLite: the operating system releases it when the process ends, however it ends, and
 * others see that at once. On POSIX systems the process loses its locks when it closes any descriptor of the file that
 * SQLite did not open: nothing else may open it.
 *
 * @param file is made if it does not exist; its folder must exist.
 * @throws what SQLite throws when the file cannot be made or locked.
 */
export function takeFileLock(file: string): FileLock | null {
  return blockUntilFree(() => {
    try {
      return lock(file, 'BEGIN EXCLUSIVE');
    } catch (error) {
      if (isBusy(error) && isLocked(file)) return null;
      // A process that only looks is in the way for a moment, and holds nothing.
      throw error;
    }
  });
}

/** Whether a process holds the lock on a file now. Creates no file. @throws DetentError when that cannot be found out. */
export function isLocked(file: string): boolean {
  try {
    // A shared lock: two processes that look at the same time do not take each other for the holder.
    lock(file, 'BEGIN; SELECT 1 FROM sqlite_master', true).release();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // The holder of a lock may remove its file at any time.
    if (!existsSync(file)) return false;
    throw databaseError(error, file);
  }
}

/** References to open lock handles: without one the garbage collector closes a handle and so releases its lock. */
const held = new Set<Sqlite.Database>();

function lock(file: string, begin: string, fileMustExist = false): FileLock {
  const handle = new Sqlite(file, { fileMustExist });
  try {
    handle.pragma('busy_timeout = 0');
    handle.pragma('journal_mode = MEMORY');
    handle.exec(begin);
  } catch (error) {
    handle.close();
    throw error;
  }
  held.add(handle);
  return {
    release() {
      held.delete(handle);
      handle.close();
    },
  };
}
