import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { openSqlite, type SqliteOptions } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

/** A fresh folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A path for a database in a fresh folder. */
export async function temporaryFile(): Promise<string> {
  return join(await temporaryFolder(), 'detent.sqlite');
}

/** An open database that is closed after the test. */
export async function opened(options: SqliteOptions): Promise<Store> {
  const store = await openSqlite(options);
  onTestFinished(() => store.close());
  return store;
}

/** Does something with a plain handle on a database file. */
export function raw<T>(file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Expects a refusal by its stable code. */
export async function expectCode(work: Promise<unknown>, code: string): Promise<void> {
  await expect(work).rejects.toMatchObject({ name: 'DetentError', code });
}
