import type Sqlite from 'better-sqlite3';
import type { Program } from '../program.ts';

interface Waiting {
  program: () => Program<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { value: unknown } | { error: unknown };

/**
 * Runs the programs that arrive in one turn of the event loop in one transaction, each in a savepoint of its own. With
 * synchronous FULL the fsync dominates the cost of a commit: 100 runs pay for one instead of 100.
 */
export class GroupCommit {
  readonly #db: Sqlite.Database;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #mark: Sqlite.Statement;
  readonly #release: Sqlite.Statement;
  readonly #group: boolean;
  readonly #run: (program: Program<unknown>) => unknown;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;

  constructor(db: Sqlite.Database, group: boolean, run: (program: Program<unknown>) => unknown) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#mark = db.prepare('SAVEPOINT one');
    this.#release = db.prepare('RELEASE one');
    this.#group = group;
    this.#run = run;
  }

  add<T>(program: () => Program<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ program, resolve: resolve as (value: unknown) => void, reject });
      this.#flushing ??= new Promise((flushed) => {
        setImmediate(() => {
          this.#flushing = null;
          this.#flush();
          flushed();
        });
      });
    });
  }

  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (this.#group && batch.length > 1 && this.#together(batch)) return;
    for (const one of batch) this.#alone(one);
  }

  #alone({ program, resolve, reject }: Waiting): void {
    let value: unknown;
    try {
      this.#begin.run();
      value = this.#run(program());
      this.#commit.run();
    } catch (error) {
      this.#rollback();
      reject(error);
      return;
    }
    resolve(value);
  }

  /** False if the shared transaction failed. Programs have no side effects, so the caller runs each again, alone. */
  #together(batch: Waiting[]): boolean {
    try {
      this.#begin.run();
    } catch (error) {
      // Do not run each alone: every one would block this process for the same lock again.
      for (const { reject } of batch) reject(error);
      return true;
    }
    const outcomes: Outcome[] = [];
    try {
      for (const { program } of batch) outcomes.push(this.#inSavepoint(program));
      this.#commit.run();
    } catch {
      this.#rollback();
      return false;
    }
    batch.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i] as Outcome;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    });
    return true;
  }

  #inSavepoint(program: () => Program<unknown>): Outcome {
    this.#mark.run();
    try {
      const value = this.#run(program());
      this.#release.run();
      return { value };
    } catch (error) {
      // A full disk or an I/O error rolls back the whole transaction, not only this savepoint.
      if (!this.#db.inTransaction) throw error;
      this.#db.exec('ROLLBACK TO one');
      this.#release.run();
      return { error };
    }
  }

  #rollback(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }
}
