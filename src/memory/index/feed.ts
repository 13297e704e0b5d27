import type Sqlite from 'better-sqlite3';
import { linesOf } from '../markdown/blocks.ts';
import { chunksOf } from '../markdown/chunk.ts';
import type { LineSource } from '../markdown/provenance.ts';
import { activate, generationToFill } from './database.ts';
import { GenerationWriter, hashOf } from './generation.ts';
import { begun, type Pass, type Pause, type SyncState } from './syncer.ts';

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
export class FeedPass implements Pass {
  readonly state: SyncState = { pending: 0, problems: [], folders: [] };
  readonly #work: Generator<Pause>;
  #isWaiting = false;
  #isDone = false;

  constructor(db: Sqlite.Database, change: FedChange) {
    this.#work = feed(db, change);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  step(budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    this.#isWaiting = false;
    while (!this.#isDone && !this.#isWaiting && performance.now() < until) {
      const { done, value } = this.#work.next();
      this.#isDone = done === true;
      this.#isWaiting = value === 'busy';
    }
    return this.#isDone;
  }

  stop(): void {
    this.#work.return(undefined);
    this.#isDone = true;
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
