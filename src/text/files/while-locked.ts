import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { holdDatabase } from './open-databases.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

const pollMs = 5;
const patienceMs = 10_000;

const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work` under a lock that processes share, and all parts of this one: an exclusive transaction on a file of its own.
 * The operating system releases it when the process ends, however it dies.
 *
 * @param lock is made if it does not exist, and stays; no other code may open it.
 * @param busy the error when another process holds the lock for ten seconds.
 */
export async function whileLocked<Result>(
  lock: string,
  busy: () => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  const file = open(lock);
  try {
    const until = performance.now() + patienceMs;
    while (!file.isTaken()) {
      if (performance.now() > until) throw busy();
      await sleep(pollMs);
    }
    return await work();
  } finally {
    file.close();
  }
}

/** The synchronous version of {@link whileLocked}, for work that takes no time. It blocks the process while it waits. */
export function whileLockedSync<Result>(lock: string, busy: () => Error, work: () => Result): Result {
  const file = open(lock);
  try {
    const until = performance.now() + patienceMs;
    while (!file.isTaken()) {
      if (performance.now() > until) throw busy();
      Atomics.wait(bed, 0, 0, pollMs);
    }
    return work();
  } finally {
    file.close();
  }
}

/** Begins a transaction unless another process holds the lock that it needs. */
export function hasBegun(db: Sqlite.Database, kind: 'EXCLUSIVE' | 'IMMEDIATE'): boolean {
  try {
    db.exec(`BEGIN ${kind}`);
    return true;
  } catch (error) {
    if (/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

function open(lock: string): { isTaken(): boolean; close(): void } {
  makePrivateFolder(dirname(lock));
  makePrivateFile(lock);
  // Loaded here: few processes ever change such a file.
  const Database = createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite;
  const held = holdDatabase(lock, 'lock');
  const db = new Database(lock);
  db.pragma('busy_timeout = 0');
  return {
    isTaken: () => hasBegun(db, 'EXCLUSIVE'),
    close() {
      // This ends the transaction.
      db.close();
      held.close();
    },
  };
}
