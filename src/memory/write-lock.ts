import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFile, makePrivateFolder } from '../files/private-files.ts';
import { DetentError } from '../protocol/error.ts';
import { KeyedQueue } from '../text/keyed-queue.ts';

const pollMs = 5;
const patienceMs = 10_000;

const queue = new KeyedQueue();

/**
 * Runs `work` under the memory's write lock: a queue within this process, and between processes an exclusive transaction
 * on a side file. The operating system releases that lock when the process ends, however it dies.
 *
 * @throws DetentError `MEMORY_BUSY` when another process holds the lock for ten seconds.
 */
export function whileLocked<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  return queue.enqueue(home, () => locked(home, work));
}

async function locked<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const { default: Sqlite } = await import('better-sqlite3');
  const file = join(home, '.detent', 'memory-lock');
  makePrivateFolder(dirname(file));
  makePrivateFile(file);
  const db = new Sqlite(file);
  try {
    db.pragma('busy_timeout = 0');
    const until = Date.now() + patienceMs;
    while (!taken(db)) {
      if (Date.now() > until) throw busy(home);
      await sleep(pollMs);
    }
    return await work();
  } finally {
    // Closing it ends the transaction.
    db.close();
  }
}

function taken(db: { exec(sql: string): unknown }): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

function busy(home: string): DetentError {
  return new DetentError('MEMORY_BUSY', `another process is writing to the memory in ${home}; try again`, {
    retryable: true,
  });
}
