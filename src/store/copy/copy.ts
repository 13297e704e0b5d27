import { existsSync, realpathSync } from 'node:fs';
import { DetentError } from '../../protocol/error.ts';
import { isPostgresUrl, shownDatabase } from '../../text/wording.ts';
import type { TableName } from '../rows.ts';
import type { Backup, BackupOptions } from '../sql/backup.ts';
import { databaseError } from '../sql/errors.ts';
import { type CopyTarget, columnsIn, copiedTables, type Rows, type Values } from './rows.ts';

export interface CopyOptions {
  /** Called when a table was copied. */
  onTable?: (table: string, rows: number) => void;
  /** After so many milliseconds without an answer Detent asks the server whether it is at work on the question. Default 5,000. */
  silentMs?: number;
}

/** What was copied, by table. Tables without rows are left out. */
export type Copied = Record<string, number>;

/** Rows of the copy are not those of the source. */
class Differs extends Error {}

/**
 * Copies a database into another one: a SQLite file into PostgreSQL, or back. The source is read as it is at one moment. Each row of
 * the copy is compared with its source at the end. A copy that was killed goes on where it was, when it is asked for again: until its
 * end nothing opens it.
 *
 * No other process may drive runs in the source: both databases would go on with them. The caller has to see to that.
 *
 * @param from a SQLite file, or the address of a PostgreSQL database
 * @param to an empty PostgreSQL database; or a file that does not exist
 * @throws DetentError `DATABASE_UNREACHABLE`, also when the server dies in the middle; `DATABASE_NOT_EMPTY`, `FILE_EXISTS`, `DATABASE_UNFINISHED` for a source that is a part of a copy itself,
 * `COPY_DIFFERS`, and as the store does.
 */
export async function copyDatabase(from: string, to: string, options: CopyOptions = {}): Promise<Copied> {
  if (!isPostgresUrl(from) && !isPostgresUrl(to))
    throw new DetentError('INVALID_ARGUMENTS', 'both are files: copy a file with "detent backup FILE"');
  if (isPostgresUrl(to)) {
    const { postgresTarget } = await import('./postgres-rows.ts');
    return between(from, () => postgresTarget(to, options.silentMs), options);
  }
  const [{ writeDatabase }, { sqliteTarget }] = [
    await import('../sql/backup.ts'),
    await import('./sqlite-rows.ts'),
  ];
  let copied: Copied = {};
  await writeDatabase(
    to,
    async (draft) => {
      copied = await between(from, async () => sqliteTarget(draft, to), options);
    },
    // Its name says whose it is, so that the next call finds it.
    { draft: `${to}.copying` },
  );
  return copied;
}

/**
 * Copies a PostgreSQL database into a SQLite file, while processes work on it: as it is at one moment, each row compared. Every command
 * reads the file. Like every copied database it resumes unfinished runs only when it is told to.
 *
 * @param url of the database
 * @param to absolute path; its folder exists
 * @throws DetentError `FILE_EXISTS`, `CANNOT_WRITE`, `COPY_DIFFERS`, and as the store does.
 */
export async function backupPostgres(url: string, to: string, options: BackupOptions = {}): Promise<Backup> {
  const [{ writeDatabase }, { noteOrigin, sqliteTarget }] = [
    await import('../sql/backup.ts'),
    await import('./sqlite-rows.ts'),
  ];
  const fill = async (draft: string) => {
    await between(url, async () => sqliteTarget(draft, to), {});
    noteOrigin(draft, shownDatabase(url));
  };
  return writeDatabase(to, fill, options);
}

async function between(
  from: string,
  openTarget: () => Promise<CopyTarget>,
  options: CopyOptions,
): Promise<Copied> {
  const source = await openRows(from, options.silentMs);
  try {
    await source.check();
    const target = await openTarget();
    try {
      return await copied(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openRows(from: string, silentMs?: number): Promise<Rows> {
  if (isPostgresUrl(from)) return (await import('./postgres-rows.ts')).openServerRows(from, silentMs);
  if (!existsSync(from)) throw new DetentError('NOT_FOUND', `there is no database ${from}`);
  return (await import('./sqlite-rows.ts')).openFileRows(realpathSync.native(from));
}

async function copied(source: Rows, target: CopyTarget, options: CopyOptions): Promise<Copied> {
  const isResumed = await target.begin(source.place);
  try {
    return await allTables(source, target, options);
  } catch (error) {
    if (!isResumed || !isOfChange(error)) throw differing(error, source, target);
  }
  // The source has changed since the copy began. This time all of it is read as it is at one moment.
  await target.clear();
  try {
    return await allTables(source, target, options);
  } catch (error) {
    throw differing(error, source, target);
  }
}

async function allTables(source: Rows, target: CopyTarget, { onTable }: CopyOptions): Promise<Copied> {
  const copied: Copied = {};
  for (const table of copiedTables) {
    await copyTable(source, target, table);
    const rows = await source.count(table);
    if (rows === 0) continue;
    copied[table] = rows;
    onTable?.(table, rows);
  }
  for (const table of copiedTables) await compareTable(source, target, table);
  await target.finish(await source.lastKeys());
  return copied;
}

async function copyTable(source: Rows, target: CopyTarget, table: TableName): Promise<void> {
  const keyOf = await keysOf(source, table);
  const cursor = await target.cursor(table);
  let key = cursor === null ? null : (JSON.parse(cursor) as Values);
  for (;;) {
    const rows = await source.after(table, key);
    const last = rows.at(-1);
    if (!last) return;
    key = keyOf(last);
    await target.put(table, rows, JSON.stringify(key));
  }
}

async function compareTable(source: Rows, target: CopyTarget, table: TableName): Promise<void> {
  const keyOf = await keysOf(source, table);
  const keptRow = (row: Values) => row.map((value) => target.kept(value));
  for (let key: Values | null = null; ; ) {
    const rows: Values[] = await source.after(table, key);
    const last = rows.at(-1);
    if (!last) break;
    key = keyOf(last);
    const there = await target.having(table, rows.map(keyOf));
    const known = new Set(there.map((row) => JSON.stringify(row)));
    const missing = rows.find((row) => !known.has(JSON.stringify(keptRow(row))));
    if (missing) throw new Differs(`a row of ${table}, ${JSON.stringify(keyOf(missing))}`);
  }
  const [here, there] = [await source.count(table), await target.count(table)];
  if (here !== there) throw new Differs(`${table}, which has ${there} rows in place of ${here}`);
}

async function keysOf(source: Rows, table: TableName): Promise<(row: Values) => Values> {
  const places = (await source.keyOf(table)).map((name) => columnsIn(table).indexOf(name));
  return (row) => places.map((place) => row[place] ?? null);
}

/** Whether a resumed copy went wrong for what had changed in the source: rows that differ, or that are in each other's way. */
function isOfChange(error: unknown): boolean {
  if (error instanceof Differs) return true;
  if (DetentError.is(error)) return /^23/.test(String(error.details?.sqlstate));
  return error instanceof Error && 'code' in error && /^SQLITE_CONSTRAINT/.test(String(error.code));
}

function differing(error: unknown, source: Rows, target: Rows): unknown {
  const file = isPostgresUrl(target.place) ? source.place : target.place;
  if (!(error instanceof Differs)) return databaseError(error, file);
  return new DetentError(
    'COPY_DIFFERS',
    `the copy in ${target.place} is not what ${source.place} holds: ${error.message}; do not use it, and see that no other process writes there`,
    { cause: error },
  );
}

/** What `detent db status` says of a database. */
export interface DatabaseStatus {
  kind: 'sqlite' | 'postgres';
  /** Without a password. */
  place: string;
  /** Of SQLite, or of the server. */
  version: string;
  bytes: number;
  /** The migrations that it lacks: all of them for an empty database. */
  pending: readonly string[];
  /** By table, without those that have none. */
  rows: Copied;
}

/** @param place a SQLite file, or the address of a PostgreSQL database. @throws DetentError as the store does. */
export async function databaseStatus(place: string): Promise<DatabaseStatus> {
  const rows = await openRows(place);
  try {
    // First: it says what a file is that has no tables.
    const found = await examined(place);
    const counts: Copied = {};
    for (const table of await rows.tables()) {
      const count = await rows.count(table);
      if (count > 0) counts[table] = count;
    }
    return { ...found, place: rows.place, rows: counts };
  } finally {
    await rows.close();
  }
}

async function examined(place: string): Promise<Omit<DatabaseStatus, 'place' | 'rows'>> {
  if (!isPostgresUrl(place)) {
    const { examineFile } = await import('./sqlite-rows.ts');
    return { kind: 'sqlite', ...examineFile(place) };
  }
  const { PostgresStore } = await import('../postgres/postgres.ts');
  const store = new PostgresStore({ url: place, readonly: true, connections: 1 });
  try {
    const { version, bytes, pending } = await store.examine();
    return { kind: 'postgres', version, bytes, pending };
  } finally {
    await store.close();
  }
}
