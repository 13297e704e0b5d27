import type Sqlite from 'better-sqlite3';

/** How far an index is behind its files. */
export interface SyncState {
  /** Files that have changed and are not in it yet; null while that is being found out. */
  pending: number | null;
  /** Files that could not be read, and why. */
  problems: readonly { path: string; problem: string }[];
  /** Folders that were seen, from the root. */
  folders: readonly string[];
}

/** Between two pieces of work; `busy`: another process writes or may want to, and it is to be gone on with a little later. */
export type Pause = 'busy' | undefined;

/** Work on an index that is done in small steps, each as long as its caller lets it. */
export abstract class Pass {
  #steps: Generator<Pause> | null = null;
  #isWaiting = false;
  #isDone = false;

  abstract readonly state: SyncState;

  protected abstract work(): Generator<Pause>;

  /** Whether it waits for another process. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Works for about so long; true when all is done. @throws what SQLite throws; then it is over. */
  step(budgetMs: number): boolean {
    this.#steps ??= this.work();
    const until = performance.now() + budgetMs;
    this.#isWaiting = false;
    while (!this.#isDone && !this.#isWaiting && performance.now() < until) {
      const { done, value } = this.#steps.next();
      this.#isDone = done === true;
      this.#isWaiting = value === 'busy';
    }
    return this.#isDone;
  }

  /** Gives up what was not committed. */
  stop(): void {
    this.#steps?.return(undefined);
    this.#isDone = true;
  }
}

/** Begins a transaction. Does not wait: this thread has searches to answer. */
export function begun(db: Sqlite.Database): boolean {
  db.pragma('busy_timeout = 0');
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))) return false;
    throw error;
  } finally {
    db.pragma('busy_timeout = 10000');
  }
}
