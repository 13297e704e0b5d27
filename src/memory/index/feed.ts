import type Sqlite from 'better-sqlite3';
import { linesOf } from '../markdown/blocks.ts';
import { chunksOf } from '../markdown/chunk.ts';
import type { LineSource } from '../markdown/provenance.ts';
import { activate, generationToFill } from './database.ts';
import { GenerationWriter, hashOf } from './generation.ts';
import { begun, Pass, type Pause, type SyncState } from './pass.ts';

/** A text that an index is given, instead of finding it in a folder. */
export interface FedDocument {
  /** Names it in the index. */
  path: string;
  /** Changes whenever the text may have. */
  stat: string;
  /** Who alone may find it, besides those who may find everything; null when it is nobody's. */
  owner: string | null;
  text: string;
  /** Who wrote each of its lines. */
  sources: readonly LineSource['from'][];
}

/** What has changed since an index was fed the last time. */
export interface FedChange {
  put: readonly FedDocument[];
  /** Paths of those that are no more. */
  remove: readonly string[];
  /** Whether of what is removed nothing may stay in the file, not even in pages that are free now. */
  erase?: boolean;
}

/** Puts one change into an index: all of it, or nothing. */
export class FeedPass extends Pass {
  readonly state: SyncState = { pending: 0, problems: [], folders: [] };
  readonly #db: Sqlite.Database;
  readonly #change: FedChange;

  constructor(db: Sqlite.Database, change: FedChange) {
    super();
    this.#db = db;
    this.#change = change;
  }

  protected work(): Generator<Pause> {
    return feed(this.#db, this.#change);
  }
}

function* feed(db: Sqlite.Database, { put, remove, erase = false }: FedChange): Generator<Pause> {
  while (!begun(db)) yield 'busy';
  try {
    const generation = generationToFill(db, false);
    const writer = new GenerationWriter(db, generation.id);
    for (const path of remove) {
      const file = writer.file(path);
      if (file) writer.remove(file);
      yield undefined;
    }
    for (const { path, stat, owner, text, sources } of put) {
      const lines = linesOf(text);
      const file = { path, stat, owner, hash: hashOf(text), checkedAt: Date.now(), problem: null };
      yield* writer.put(
        file,
        chunksOf(lines),
        sources.map((from) => ({ from, run: null })),
      );
    }
    if (generation.state === 'building') activate(db, generation.id);
    db.exec('COMMIT');
    if (erase) writer.erase();
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}
