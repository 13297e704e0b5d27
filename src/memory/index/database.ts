import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { makePrivateFile, makePrivateFolder } from '../../text/files.ts';
import { segmentation } from '../../text/ranking.ts';
import { chunking } from '../markdown/chunk.ts';

/** Version of the tables below. A file of another version is deleted. */
const format = '2';

/**
 * After this time without progress a half-built generation counts as abandoned. Its builder notes progress every few
 * seconds. If the builder died, the next rebuild continues the generation, so it is kept for a while.
 */
const abandonedMs = 60 * 60_000;

/** Identifies the way in which files were cut into chunks and words. Indexes that differ in it are incompatible. */
export const identity = `${chunking} ${segmentation}`;

/**
 * One complete index. A new one is built beside the active one, and then replaces it. Ids are never reused, so that an id
 * never refers to another generation.
 */
interface Generation {
  id: number;
  identity: string;
  state: 'active' | 'building';
}

/** A generation that a pass will bring up to date. */
export interface GenerationToFill extends Generation {
  /** Another builder began it and may have died: compare its entries with the files. */
  isTakenUp: boolean;
}

/** Two handles, so that searches neither see nor wait for a long transaction of the writer. */
export interface IndexDatabase {
  write: Sqlite.Database;
  read: Sqlite.Database;
  close(): void;
}

/** Opens the index. Replaces a file that is no index, is damaged, or is of another version. */
export function openIndex(file: string): IndexDatabase {
  if (!isInMemory(file)) makePrivateFolder(dirname(file));
  try {
    return opened(file);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    removeIndex(file);
    return opened(file);
  }
}

/** Deletes the files of an index; this costs only the time to rebuild it. */
export function removeIndex(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** Whether an error says that the file is not a usable index. */
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
/** The builder was suspended so long that another process dropped its generation as abandoned. */
const lostGeneration = 'the generation that was built is there no more';

function opened(file: string): IndexDatabase {
  if (!isInMemory(file)) makePrivateFile(file);
  const write = new Sqlite(isInMemory(file) ? ':memory:' : file);
  let read: Sqlite.Database | undefined;
  try {
    write.pragma('busy_timeout = 10000');
    write.pragma('journal_mode = WAL');
    // Changes that a power cut loses are indexed again.
    write.pragma('synchronous = NORMAL');
    // Read first, because another process may be in a long transaction.
    if (tableNames(write).size === 0) makeIndex(write);
    const found = write.prepare("SELECT value FROM meta WHERE key = 'format'").pluck().get();
    if (found !== format) throw new Error(foreignFormat);
    read = isInMemory(file) ? write : new Sqlite(file, { readonly: true });
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

const isInMemory = (file: string) => file.startsWith(':memory:');

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
 * The generation to fill: the active one if it has our identity, else a half-built one, else a new one. A new one becomes
 * active at once if there is no other.
 *
 * @param isAnew never takes the active one: continues a half-built one, or begins a new one.
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

/** Notes progress of a build. Call it in every transaction that builds a generation. */
export function noteProgress(db: Sqlite.Database, id: number): void {
  db.prepare('UPDATE generations SET progress_at = ? WHERE id = ?').run(Date.now(), id);
}

/** Whether there are abandoned generations. */
export function hasAbandoned(db: Sqlite.Database): boolean {
  return abandonedIn(db).length > 0;
}

/**
 * Drops abandoned generations; call it in a transaction.
 *
 * @param kept keeps those of this identity, because the caller is about to continue them.
 */
export function dropAbandoned(db: Sqlite.Database, kept?: string): void {
  for (const { id, identity: its } of abandonedIn(db)) if (its !== kept) dropGeneration(db, id);
}

/** A time far in the future also counts as abandoned: the clock has been set back since. */
function abandonedIn(db: Sqlite.Database): Pick<Generation, 'id' | 'identity'>[] {
  const now = Date.now();
  return db
    .prepare(
      "SELECT id, identity FROM generations WHERE state = 'building' AND progress_at NOT BETWEEN ? AND ?",
    )
    .all(now - abandonedMs, now + abandonedMs) as Pick<Generation, 'id' | 'identity'>[];
}

/** Replaces the active generation by a complete one. */
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
