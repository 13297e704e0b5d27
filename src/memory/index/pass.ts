import type Sqlite from 'better-sqlite3';
import { hasBegun } from '../../text/files.ts';

/** How far an index is behind its files. */
export interface PassState {
  /** Number of changed files that are not in it yet; null while they are counted. */
  pending: number | null;
  /** Files that could not be read, and why. */
  problems: { path: string; problem: string }[];
  /** Folders that the walk visited, relative to the root. */
  folders: string[];
}

/** A yield between two pieces of work. `busy`: another process writes, or should get a chance to; continue a little later. */
export type Pause = 'busy' | undefined;

/** Work on an index, in steps whose length the caller sets. */
export class Pass {
  readonly state: Readonly<PassState>;
  readonly #steps: Generator<Pause>;
  #isWaiting = false;
  #isDone = false;

  /** @param state as the work leaves it at each pause */
  constructor(steps: Generator<Pause>, state: PassState) {
    this.#steps = steps;
    this.state = state;
  }

  /** Whether it waits for another process. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Works for about this long; true when all is done. @throws what SQLite throws; then the pass has ended. */
  step(budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    this.#isWaiting = false;
    while (!this.#isDone && !this.#isWaiting && performance.now() < until) {
      const { done, value } = this.#steps.next();
      this.#isDone = done === true;
      this.#isWaiting = value === 'busy';
    }
    return this.#isDone;
  }

  /** Rolls back what was not committed. */
  stop(): void {
    this.#steps.return(undefined);
    this.#isDone = true;
  }
}

/** Tries to begin a transaction, without waiting, because this thread also answers searches. */
export function begun(db: Sqlite.Database): boolean {
  db.pragma('busy_timeout = 0');
  try {
    return hasBegun(db, 'IMMEDIATE');
  } finally {
    db.pragma('busy_timeout = 10000');
  }
}
