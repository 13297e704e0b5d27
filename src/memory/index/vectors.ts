import type Sqlite from 'better-sqlite3';
import { messageOf } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { EmbeddingsOptions } from '../embeddings/embeddings-options.ts';
import { VectorMatrix } from '../embeddings/matrix.ts';
import { askServer } from '../embeddings/server.ts';
import { embedHere, whyUnusable } from '../embeddings/transformers.ts';
import type { Found } from '../search/lexical.ts';
import type { GenerationReader } from '../search/reader.ts';
import type { IndexDatabase } from './database.ts';
import { headed } from './generation.ts';

/** The vectors that a search can use. */
interface VectorsNow {
  /** One search for each query; null for a search by words only. */
  searches: ((limit: number) => Found[])[] | null;
  /** Why vectors are missing, all or some; null when none are. */
  problem: string | null;
}

/** Pause after a failure of the server. */
const pauseMs = 30_000;
/** Maximum queries whose vectors are cached. */
const maxQueries = 100;

/**
 * The vectors of the chunks, as rows beside the index. Their key is the hash of the text, so that they survive a rebuild
 * and a renamed file. After a change of the model, old vectors stay unused and new ones are made only by an explicit
 * rebuild, because that costs money.
 */
export class Vectors {
  readonly #options: EmbeddingsOptions;
  readonly #model: string;
  readonly #stop = new AbortController();
  readonly #queries = new Map<string, Float32Array>();
  #matrix: VectorMatrix | null = null;
  #lastId = 0;
  #problem: string | null = null;
  /** Number of texts without a vector, at the last count. */
  #missing = 0;
  /** The version of the index at which every text had a vector. Avoids searching again, which scans all texts. */
  #completeAt: string | null = null;
  #notBefore = 0;

  constructor(options: EmbeddingsOptions) {
    this.#options = options;
    this.#model = modelOf(options);
  }

  close(): void {
    this.#stop.abort();
  }

  /** Clears all cached state, after the file was replaced or emptied. */
  forget(): void {
    this.#matrix = null;
    this.#lastId = 0;
    this.#completeAt = null;
  }

  /** Makes missing vectors. Never throws: the next search reports a problem. */
  async fill(database: () => IndexDatabase, generation: () => GenerationReader | null): Promise<void> {
    if (performance.now() < this.#notBefore) return;
    this.#problem = null;
    let isCounted = false;
    let after = '';
    try {
      for (;;) {
        const index = generation();
        const { write } = database();
        if (!index || this.#stop.signal.aborted || this.#isPaused(write)) return;
        const most = batchOf(this.#options);
        const state = `${index.id} ${index.version()}`;
        if (state === this.#completeAt) return;
        const missing = index.chunksWithout(this.#model, after, most);
        if (!isCounted)
          this.#missing = missing.length < most ? missing.length : index.countWithout(this.#model);
        isCounted = true;
        if (missing.length === 0 && after === '') {
          this.#completeAt = state;
          return;
        }
        // At the end, start again from the beginning, for texts that were added meanwhile.
        after = missing.at(-1)?.hash ?? '';
        if (missing.length === 0) continue;
        const texts = missing.map(({ heading, text }) => headed(heading, text));
        const vectors = await embed(this.#options, 'document', texts, this.#stop.signal);
        this.#keep(database().write, missing, vectors);
        this.#missing -= missing.length;
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#problem = messageOf(error);
      this.#notBefore = performance.now() + pauseMs;
    }
  }

  /** Deletes the vectors of other models, and starts with this one. */
  begin(db: Sqlite.Database): void {
    db.transaction(() => {
      db.prepare('DELETE FROM vectors WHERE model <> ?').run(this.#model);
      db.prepare("INSERT OR REPLACE INTO meta VALUES ('vectors', ?)").run(this.#model);
    }).immediate();
    this.forget();
    this.#notBefore = 0;
  }

  async search(
    { read, write }: IndexDatabase,
    index: GenerationReader,
    queries: readonly string[],
  ): Promise<VectorsNow> {
    if (this.#isPaused(write))
      return {
        searches: null,
        problem: 'the vectors are from another model; "detent memory index --rebuild" creates them again',
      };
    this.#load(read);
    const matrix = this.#matrix;
    if (!matrix || matrix.size === 0)
      return { searches: null, problem: this.#problem ?? (await this.#whyNone()) };
    const partly = this.#missing > 0 ? `${this.#missing} chunks have no vector yet` : null;
    const problem = [partly, this.#problem].filter((each) => each !== null).join('; ') || null;
    try {
      const vectors = await Promise.all(queries.map((query) => this.#queryVector(query)));
      const wrong = vectors.find((vector) => vector.length !== matrix.dims);
      if (wrong)
        return {
          searches: null,
          problem: `the model now makes vectors of ${wrong.length} numbers, not ${matrix.dims}`,
        };
      const searches = vectors.map(
        (vector) => (limit: number) =>
          matrix.nearest(vector, limit * 2).flatMap(({ hash, score }) =>
            // Drops texts that are no longer in any file.
            index.chunksOfHash(hash).map((id) => ({ id, score })),
          ),
      );
      return { searches, problem };
    } catch (error) {
      return { searches: null, problem: messageOf(error) };
    }
  }

  /** Why there are no vectors yet. The first search of a process comes before the first vector or error. */
  async #whyNone(): Promise<string> {
    const options = this.#options;
    const why = options.api === 'transformers' ? await whyUnusable(options) : null;
    return why ?? 'there are no vectors yet';
  }

  async #queryVector(query: string): Promise<Float32Array> {
    const known = this.#queries.get(query);
    if (known) return known;
    const [vector = new Float32Array()] = await embed(this.#options, 'query', [query], this.#stop.signal);
    if (this.#queries.size >= maxQueries) this.#queries.clear();
    this.#queries.set(query, vector);
    return vector;
  }

  /** Whether the existing vectors are of another model. */
  #isPaused(db: Sqlite.Database): boolean {
    const model = db.prepare("SELECT value FROM meta WHERE key = 'vectors'").pluck().get();
    if (model === undefined) {
      this.begin(db);
      return false;
    }
    return model !== this.#model;
  }

  #keep(db: Sqlite.Database, chunks: readonly { hash: string }[], vectors: readonly Float32Array[]): void {
    const dims = db
      .prepare('SELECT length(vector) / 4 FROM vectors WHERE model = ? LIMIT 1')
      .pluck()
      .get(this.#model);
    const length = vectors[0]?.length;
    if (dims !== undefined && dims !== length)
      throw new Error(`${this.#options.model} made vectors of ${dims} numbers, and now of ${length}`);
    const insert = db.prepare('INSERT OR IGNORE INTO vectors (model, hash, vector) VALUES (?, ?, ?)');
    db.transaction(() => {
      for (const [i, { hash }] of chunks.entries()) insert.run(this.#model, hash, bytesOf(vectors[i]));
    }).immediate();
  }

  /** Loads vectors that are new since the last search, including those of other processes. */
  #load(db: Sqlite.Database): void {
    const rows = db.prepare('SELECT id, hash, vector FROM vectors WHERE model = ? AND id > ? ORDER BY id');
    for (const { id, hash, vector } of rows.iterate(this.#model, this.#lastId) as Iterable<VectorRow>) {
      this.#lastId = id;
      const values = new Float32Array(
        vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength),
      );
      this.#matrix ??= new VectorMatrix(values.length);
      if (values.length === this.#matrix.dims) this.#matrix.add(hash, values);
    }
  }
}

interface VectorRow {
  id: number;
  hash: string;
  vector: Buffer;
}

function bytesOf(vector: Float32Array = new Float32Array()): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The identity of a model: options with the same identity make comparable vectors. */
function modelOf(options: EmbeddingsOptions): string {
  const { api, model, dimensions, queryPrefix, documentPrefix } = options;
  const prefixes = hex(sha256(JSON.stringify([queryPrefix, documentPrefix]))).slice(0, 8);
  const from = options.api === 'transformers' ? `${options.dtype} ${options.pooling}` : options.baseUrl;
  return `${api} ${from} ${model} ${dimensions ?? ''} ${prefixes}`;
}

/** The input of common models ends at some 8,000 tokens; a chunk is of 400. */
const maxChars = 8_000;

/**
 * Vectors of texts, each of length 1, in the order of the texts.
 *
 * @throws DetentError `EMBEDDINGS_FAILED` (no server, a refusal, an answer that is none, a model that does not run),
 * `EMBEDDINGS_PACKAGE_MISSING`, `EMBEDDINGS_MODEL_MISSING`.
 */
export function embed(
  options: EmbeddingsOptions,
  kind: 'query' | 'document',
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const prefix = kind === 'query' ? options.queryPrefix : options.documentPrefix;
  const input = texts.map((text) => `${prefix}${text}`.slice(0, maxChars));
  return options.api === 'transformers'
    ? embedHere(options, kind, input, signal)
    : askServer(options, kind, input, signal);
}

/** Texts per request. Servers are faster with many; with a local model a small batch loses little when the process dies. */
function batchOf({ api }: EmbeddingsOptions): number {
  return api === 'transformers' ? 8 : 64;
}
