import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { segmentation } from '../../text/segment.ts';
import { chunking } from '../markdown/chunk.ts';

/** Of the tables below. A file of another format is thrown away. */
const format = '2';

/**
 * A half-built generation that nobody has gone on with for so long is nobody's any more. Whoever builds one says so every
 * few seconds; one whose builder died is worth keeping for a while, because the next rebuild goes on with it.
 */
const abandonedMs = 60 * 60_000;

/** What tells apart indexes that one and the same search cannot read. */
export const identity = `${chunking} ${segmentation}`;

/**
 * One complete index. A new one is built beside the one in use, and then takes its place. No number is given twice, so that
 * who knows a generation by it never reads or writes another.
 */
export interface Generation {
  id: number;
  identity: string;
  state: 'active' | 'building';
}

/** One that is to be brought up to the files. */
export interface GenerationToFill extends Generation {
  /** Somebody has begun to build it, and may have died: what it says of a file is to be compared with that file. */
  isTakenUp: boolean;
}

/** Two handles: what a long transaction of the writer has not committed, no search sees or waits for. */
export interface IndexDatabase {
  write: Sqlite.Database;
  read: Sqlite.Database;
  close(): void;
}

/** Opens the index, or makes a new one in the place of a file that is none, is damaged, or of another format. */
export function openIndex(file: string): IndexDatabase {
  mkdirSync(dirname(file), { recursive: true });
  try {
    return opened(file);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    removeIndex(file);
    return opened(file);
  }
}

/** Deletes the files of an index; nothing is lost but the time to make it again. */
export function removeIndex(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** Whether an error says that the file is no index, or none that can be used any more. */
export function isUnreadable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(String(code));
  return (
    isDamaged ||
    message === foreignFormat ||
    message === lostGeneration ||
    /^(no such (table|column)|malformed)/.test(String(message))
  );
}

const foreignFormat = 'an index of another format';
/** Its builder slept so long that others took it for dead. */
const lostGeneration = 'the generation that was built is there no more';

function opened(file: string): IndexDatabase {
  const isInMemory = file.startsWith(':memory:');
  const write = new Sqlite(isInMemory ? ':memory:' : file);
  let read: Sqlite.Database | undefined;
  try {
    write.pragma('busy_timeout = 10000');
    write.pragma('journal_mode = WAL');
    // What a power cut takes is indexed again.
    write.pragma('synchronous = NORMAL');
    // Reading first: others may be in the middle of a long transaction.
    if (tableNames(write).size === 0) makeIndex(write);
    const found = write.prepare("SELECT value FROM meta WHERE key = 'format'").pluck().get();
    if (found !== format) throw new Error(foreignFormat);
    read = isInMemory ? write : new Sqlite(file, { readonly: true });
    read.pragma('busy_timeout = 10000');
    read.pragma('cache_size = -65536');
    const handles = { write, read };
    return {
      ...handles,
      close() {
        handles.read.close();
        handles.write.close();
      },
    };
  } catch (error) {
    read?.close();
    write.close();
    throw error;
  }
}

function tableNames(db: Sqlite.Database): Set<unknown> {
  return new Set(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all());
}

function makeIndex(db: Sqlite.Database): void {
  db.transaction(() =>
    db.exec(`
      CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS generations (
        id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL, state TEXT NOT NULL,
        progress_at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS vectors (
        id INTEGER PRIMARY KEY, model TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (model, hash));
      INSERT OR IGNORE INTO meta VALUES ('format', '${format}');`),
  ).immediate();
}

/** The generation that searches read; null before there is one. */
export function activeGeneration(db: Sqlite.Database): Generation | null {
  const row = db.prepare("SELECT id, identity, state FROM generations WHERE state = 'active'").get();
  return (row as Generation | undefined) ?? null;
}

/**
 * The generation that is to be filled: the active one if it is of our identity, else the one that is being built or was
 * left half-built, else a new one, which is active at once where there was none.
 *
 * @param isAnew goes on with one that is being built, or begins a new one, in any case.
 */
export function generationToFill(db: Sqlite.Database, isAnew: boolean): GenerationToFill {
  const current = activeGeneration(db);
  if (!isAnew && current?.identity === identity) return { ...current, isTakenUp: false };
  return db
    .transaction((): GenerationToFill => {
      const active = activeGeneration(db);
      if (!isAnew && active?.identity === identity) return { ...active, isTakenUp: false };
      dropAbandoned(db, identity);
      const row = db
        .prepare("SELECT id, identity, state FROM generations WHERE state = 'building' AND identity = ?")
        .get(identity) as Generation | undefined;
      if (row) {
        noteProgress(db, row.id);
        return { ...row, isTakenUp: true };
      }
      const state = active === null ? 'active' : 'building';
      const { lastInsertRowid } = db
        .prepare('INSERT INTO generations (identity, state, progress_at) VALUES (?, ?, ?)')
        .run(identity, state, Date.now());
      const id = Number(lastInsertRowid);
      makeTables(db, id);
      return { id, identity, state, isTakenUp: false };
    })
    .immediate();
}

/** Says that a generation is being built. Belongs into every transaction that builds it. */
export function noteProgress(db: Sqlite.Database, id: number): void {
  db.prepare('UPDATE generations SET progress_at = ? WHERE id = ?').run(Date.now(), id);
}

/** Whether there are half-built generations that nobody builds any more. */
export function hasAbandoned(db: Sqlite.Database): boolean {
  return abandonedIn(db).length > 0;
}

/**
 * Drops them; call it in a transaction.
 *
 * @param kept of this identity they are kept: they are about to be gone on with.
 */
export function dropAbandoned(db: Sqlite.Database, kept?: string): void {
  for (const { id, identity: its } of abandonedIn(db)) if (its !== kept) dropGeneration(db, id);
}

/** A time that lies far ahead is of a clock that has been set back since. */
function abandonedIn(db: Sqlite.Database): Pick<Generation, 'id' | 'identity'>[] {
  const now = Date.now();
  return db
    .prepare(
      "SELECT id, identity FROM generations WHERE state = 'building' AND progress_at NOT BETWEEN ? AND ?",
    )
    .all(now - abandonedMs, now + abandonedMs) as Pick<Generation, 'id' | 'identity'>[];
}

/** Lets a generation that is complete take the place of the one in use. */
export function activate(db: Sqlite.Database, id: number): void {
  db.transaction(() => {
    const active = activeGeneration(db);
    if (active?.id === id) return;
    if (active) dropGeneration(db, active.id);
    const { changes } = db.prepare("UPDATE generations SET state = 'active' WHERE id = ?").run(id);
    if (changes === 0) throw new Error(lostGeneration);
  }).immediate();
}

function dropGeneration(db: Sqlite.Database, id: number): void {
  for (const table of ['files', 'chunks', 'fts', 'words', 'terms'])
    db.exec(`DROP TABLE IF EXISTS ${table}_${id}`);
  db.prepare('DELETE FROM generations WHERE id = ?').run(id);
}

function makeTables(db: Sqlite.Database, id: number): void {
  db.exec(`
    CREATE TABLE files_${id} (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stat TEXT NOT NULL, hash TEXT NOT NULL, checked_at INTEGER NOT NULL,
      problem TEXT, owner TEXT);
    CREATE INDEX files_${id}_owner ON files_${id} (owner) WHERE owner IS NOT NULL;
    CREATE TABLE chunks_${id} (
      id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
      hash TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL, authors TEXT NOT NULL);
    CREATE INDEX chunks_${id}_file ON chunks_${id} (file);
    CREATE INDEX chunks_${id}_hash ON chunks_${id} (hash);
    CREATE VIRTUAL TABLE fts_${id} USING fts5 (
      text, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'");
    CREATE VIRTUAL TABLE terms_${id} USING fts5vocab (fts_${id}, row);
    CREATE TABLE words_${id} (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);`);
}
