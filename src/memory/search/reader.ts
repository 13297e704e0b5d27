import type Sqlite from 'better-sqlite3';

/** A chunk in the index. */
interface StoredChunk {
  id: number;
  path: string;
  start: number;
  end: number;
  heading: string;
  text: string;
  /** The author of each of its lines, as one letter. */
  authors: string;
}

/** Reads one generation. */
export class GenerationReader {
  readonly id: number;
  readonly #db: Sqlite.Database;
  /** Cached, because counting visits all rows; valid for one version of the file. */
  #counted: { version: unknown; counts: { files: number; chunks: number } } | null = null;
  readonly #docsOf: Sqlite.Statement;
  readonly #match: Sqlite.Statement;
  readonly #matchOf: Sqlite.Statement;
  readonly #chunk: Sqlite.Statement;
  readonly #stats: Sqlite.Statement;
  readonly #words: Sqlite.Statement;
  readonly #counts: Sqlite.Statement;
  readonly #changes: Sqlite.Statement;
  readonly #ofHash: Sqlite.Statement;
  readonly #without: Sqlite.Statement;
  readonly #countWithout: Sqlite.Statement;

  constructor(db: Sqlite.Database, id: number) {
    this.id = id;
    this.#db = db;
    this.#docsOf = db.prepare(`SELECT doc FROM terms_${id} WHERE term = ?`).pluck();
    // Not by "rank", for which FTS5 sorts all matches: this way SQLite keeps only the best ones, in three quarters of the time.
    this.#match = db.prepare(
      `SELECT rowid AS id, -bm25(fts_${id}) AS score FROM fts_${id} WHERE fts_${id} MATCH ? ORDER BY score DESC LIMIT ?`,
    );
    // The unary `+` makes SQLite test the ids of each match, instead of searching for each id.
    this.#matchOf = db.prepare(
      `SELECT rowid AS id, -bm25(fts_${id}) AS score FROM fts_${id} WHERE fts_${id} MATCH ?
         AND +rowid IN (SELECT c.id FROM files_${id} AS f JOIN chunks_${id} AS c ON c.file = f.id WHERE f.owner = ?)
       ORDER BY score DESC LIMIT ?`,
    );
    this.#chunk = db.prepare(
      `SELECT c.id, f.path, c.start, c.end, c.heading, c.text, c.authors
       FROM chunks_${id} AS c JOIN files_${id} AS f ON f.id = c.file WHERE c.id = ?`,
    );
    this.#stats = db.prepare(`SELECT path, stat FROM files_${id}`);
    this.#words = db.prepare(`SELECT id, word FROM words_${id} WHERE id > ? ORDER BY id`);
    this.#ofHash = db.prepare(`SELECT id FROM chunks_${id} WHERE hash = ?`).pluck();
    const without = `FROM chunks_${id} AS c WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.model = ? AND v.hash = c.hash)`;
    this.#without = db.prepare(
      `SELECT c.hash, c.heading, c.text ${without} AND c.hash > ? GROUP BY c.hash LIMIT ?`,
    );
    this.#countWithout = db.prepare(`SELECT count(DISTINCT c.hash) ${without}`).pluck();
    this.#changes = db.prepare('SELECT total_changes()').pluck();
    this.#counts = db.prepare(
      `SELECT (SELECT count(*) FROM files_${id}) AS files, (SELECT count(*) FROM chunks_${id}) AS chunks`,
    );
  }

  /** The number of chunks with a term. */
  docsOf(term: string): number {
    return (this.#docsOf.get(term) as number | undefined) ?? 0;
  }

  /** Best first. @param expression FTS5 syntax. @param owner only this user's chunks; null for all. */
  match(expression: string, limit: number, owner: string | null): { id: number; score: number }[] {
    const found =
      owner === null ? this.#match.all(expression, limit) : this.#matchOf.all(expression, owner, limit);
    return found as { id: number; score: number }[];
  }

  chunk(id: number): StoredChunk | undefined {
    return this.#chunk.get(id) as StoredChunk | undefined;
  }

  /** Chunks of one text; several files may have it. */
  chunksOfHash(hash: string): number[] {
    return this.#ofHash.all(hash) as number[];
  }

  /** Texts without a vector, by hash. @param after continues after this hash. */
  chunksWithout(
    model: string,
    after: string,
    limit: number,
  ): { hash: string; heading: string; text: string }[] {
    return this.#without.all(model, after, limit) as { hash: string; heading: string; text: string }[];
  }

  countWithout(model: string): number {
    return this.#countWithout.get(model) as number;
  }

  /** The `stat` of every file, by path. */
  stats(): Map<string, string> {
    return new Map(this.#stats.raw().all() as [string, string][]);
  }

  wordsAfter(id: number): { id: number; word: string }[] {
    return this.#words.all(id) as { id: number; word: string }[];
  }

  counts(): { files: number; chunks: number } {
    const version = this.version();
    const known = this.#counted?.version === version ? this.#counted : null;
    const counts = known?.counts ?? (this.#counts.get() as { files: number; chunks: number });
    if (!known) this.#counted = { version, counts };
    return counts;
  }

  /** Changes after each change of the file, by any handle. */
  version(): string {
    return `${this.#db.pragma('data_version', { simple: true })} ${this.#changes.get()}`;
  }
}
