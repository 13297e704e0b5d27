import { hash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { indexText, segment } from '../../text/ranking.ts';
import type { Chunk } from '../markdown/chunk.ts';
import type { LineSource } from '../markdown/provenance.ts';

/** A file in the index. */
export interface KnownFile {
  id: number;
  path: string;
  stat: string;
  hash: string;
  /** Milliseconds since the epoch, when its content was last looked at. */
  checkedAt: number;
  /** Why it is not indexed; null when it is. */
  problem: string | null;
  /** The only user who may find it, besides searches for all users. */
  owner?: string | null;
}

interface KnownChunk {
  id: number;
  start: number;
  end: number;
  hash: string;
  authors: string;
}

/** The authors of a chunk's lines, as one letter for each line. */
function authorsOf(sources: readonly LineSource[], { start, end }: Pick<Chunk, 'start' | 'end'>): string {
  return sources
    .slice(start - 1, end)
    .map(({ from }) => from[0])
    .join('');
}

interface KeyedChunk extends Omit<Chunk, 'heading'> {
  heading: string;
  key: string;
  authors: string;
}

/** The text of a chunk for the index and for the embedding model. */
export function headed(heading: string, text: string): string {
  return heading === '' ? text : `${heading}\n${text}`;
}

/** Writes one generation. The caller begins and ends transactions. */
export class GenerationWriter {
  readonly #place: { db: Sqlite.Database; id: number };
  readonly #files: Sqlite.Statement;
  readonly #fileAt: Sqlite.Statement;
  readonly #insertFile: Sqlite.Statement;
  readonly #updateFile: Sqlite.Statement;
  readonly #deleteFile: Sqlite.Statement;
  readonly #chunksOf: Sqlite.Statement;
  readonly #insertChunk: Sqlite.Statement;
  readonly #moveChunk: Sqlite.Statement;
  readonly #deleteChunk: Sqlite.Statement;
  readonly #insertTerms: Sqlite.Statement;
  readonly #deleteTerms: Sqlite.Statement;
  readonly #insertWord: Sqlite.Statement;
  /** Hashes known to be in the table; cleared when a transaction is rolled back. */
  #seen = new Set<string>();

  constructor(db: Sqlite.Database, id: number) {
    this.#place = { db, id };
    const known = `SELECT id, path, stat, hash, checked_at AS checkedAt, problem FROM files_${id}`;
    this.#files = db.prepare(known);
    this.#fileAt = db.prepare(`${known} WHERE path = ?`);
    this.#insertFile = db.prepare(
      `INSERT INTO files_${id} (path, stat, hash, checked_at, problem, owner) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET stat = excluded.stat, hash = excluded.hash, checked_at = excluded.checked_at,
         problem = excluded.problem, owner = excluded.owner
       RETURNING id`,
    );
    this.#updateFile = db.prepare(`UPDATE files_${id} SET stat = ?, checked_at = ? WHERE id = ?`);
    this.#deleteFile = db.prepare(`DELETE FROM files_${id} WHERE id = ?`);
    this.#chunksOf = db.prepare(`SELECT id, start, end, hash, authors FROM chunks_${id} WHERE file = ?`);
    this.#insertChunk = db.prepare(
      `INSERT INTO chunks_${id} (file, start, end, hash, heading, text, authors) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#moveChunk = db.prepare(`UPDATE chunks_${id} SET start = ?, end = ?, authors = ? WHERE id = ?`);
    this.#deleteChunk = db.prepare(`DELETE FROM chunks_${id} WHERE id = ?`);
    this.#insertTerms = db.prepare(`INSERT INTO fts_${id} (rowid, text) VALUES (?, ?)`);
    this.#deleteTerms = db.prepare(`DELETE FROM fts_${id} WHERE rowid = ?`);
    this.#insertWord = db.prepare(`INSERT OR IGNORE INTO words_${id} (word) VALUES (?)`);
  }

  files(): KnownFile[] {
    return this.#files.all() as KnownFile[];
  }

  file(path: string): KnownFile | undefined {
    return this.#fileAt.get(path) as KnownFile | undefined;
  }

  /** Updates a file of which only the stat has changed. */
  touch(file: KnownFile, stat: string, at: number): void {
    this.#updateFile.run(stat, at, file.id);
  }

  remove(file: KnownFile): void {
    for (const { id } of this.#chunksOf.all(file.id) as KnownChunk[]) this.#removeChunk(id);
    this.#deleteFile.run(file.id);
  }

  /** Updates the rows of a file; unchanged chunks stay. Yields between chunks. */
  *put(
    file: Omit<KnownFile, 'id'>,
    chunks: Iterable<Chunk>,
    sources: readonly LineSource[],
  ): Generator<undefined> {
    const { path, stat, hash, checkedAt, problem, owner = null } = file;
    const { id } = this.#insertFile.get(path, stat, hash, checkedAt, problem, owner) as { id: number };
    const left = new Map<string, KnownChunk[]>();
    for (const known of this.#chunksOf.all(id) as KnownChunk[])
      left.set(known.hash, [...(left.get(known.hash) ?? []), known]);
    for (const { start, end, text, heading: headings } of chunks) {
      const heading = headings.join(' › ');
      const key = hashOf(headed(heading, text));
      const known = left.get(key)?.shift();
      const authors = authorsOf(sources, { start, end });
      if (!known) this.#addChunk(id, path, { start, end, text, heading, key, authors });
      else if (known.start !== start || known.end !== end || known.authors !== authors)
        this.#moveChunk.run(start, end, authors, known.id);
      yield undefined;
    }
    for (const gone of left.values()) for (const { id: chunk } of gone) this.#removeChunk(chunk);
  }

  forgetSeen(): void {
    this.#seen = new Set();
  }

  /** Erases removed text from the file. Takes time in proportion to the size of the index. */
  erase(): void {
    const { db, id } = this.#place;
    // FTS5 only marks removed texts until its segments are merged.
    db.exec(`INSERT INTO fts_${id} (fts_${id}) VALUES ('optimize')`);
    const isUsed = db.prepare(`SELECT 1 FROM terms_${id} WHERE term = ?`).pluck();
    const drop = db.prepare(`DELETE FROM words_${id} WHERE word = ?`);
    const words = db.prepare(`SELECT word FROM words_${id}`).pluck().all() as string[];
    db.transaction(() => {
      for (const word of words)
        if (segment(word).every(({ term }) => isUsed.get(term) === undefined)) drop.run(word);
    }).immediate();
    this.forgetSeen();
    db.exec('VACUUM');
    db.pragma('wal_checkpoint(TRUNCATE)');
  }

  #addChunk(file: number, path: string, { start, end, text, heading, key, authors }: KeyedChunk): void {
    const { lastInsertRowid } = this.#insertChunk.run(file, start, end, key, heading, text, authors);
    // Index the file name, too: it says what the file is about, or its day.
    const name = path.replace(/^.*\//, '').replace(/\.\w+$/, '');
    const terms = indexText(`${name}\n${headed(heading, text)}`, (word) => {
      if (this.#seen.has(word)) return;
      this.#seen.add(word);
      this.#insertWord.run(word);
    });
    this.#insertTerms.run(lastInsertRowid, terms);
  }

  #removeChunk(id: number): void {
    this.#deleteTerms.run(id);
    this.#deleteChunk.run(id);
  }
}

export function hashOf(text: string | Uint8Array): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
