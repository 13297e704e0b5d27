import type Sqlite from 'better-sqlite3';
import type { Program } from '../program.ts';
import { Naps } from './naps.ts';
import type { OpenFiles } from './open-files.ts';
import type { PreparedStatements } from './prepared-statements.ts';

interface Waiting {
  program: () => Program<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** A transaction that it shared has failed. */
  alone?: boolean;
}

type Outcome = { value: unknown } | { error: unknown };

/**
 * Runs the programs that arrive in one turn of the event loop in one transaction, each in a savepoint of its own. With
 * synchronous FULL the fsync dominates the cost of a commit: 100 runs pay for one instead of 100.
 *
 * While another process writes, programs wait and more of them come together.
 */
export class GroupCommit {
  readonly #db: Sqlite.Database;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #mark: Sqlite.Statement;
  readonly #release: Sqlite.Statement;
  readonly #group: boolean;
  readonly #statements: PreparedStatements;
  readonly #check: () => void;
  readonly #files: OpenFiles | null;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;

  /**
   * @param check is called in each transaction, and throws if this process must not write any more.
   * @param files are looked at before each transaction is written, and before it is acknowledged.
   */
  constructor(
    db: Sqlite.Database,
    group: boolean,
    statements: PreparedStatements,
    check: () => void,
    files: OpenFiles | null,
  ) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#mark = db.prepare('SAVEPOINT one');
    this.#release = db.prepare('RELEASE one');
    this.#group = group;
    this.#statements = statements;
    this.#check = check;
    this.#files = files;
  }

  add<T>(program: () => Program<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ program, resolve: resolve as (value: unknown) => void, reject });
      this.#flushing ??= new Promise((flushed) => {
        setImmediate(() => {
          void this.#flush().then(flushed);
        });
      });
    });
  }

  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #flush(): Promise<void> {
    let naps: Naps | null = null;
    while (this.#waiting.length > 0) {
      try {
        this.#begin.run();
        // From here to the end of the transaction nothing is awaited: other processes wait for it.
        this.#checkAll();
        const batch = this.#next();
        // Neither throws: each program hears of its own errors.
        if (batch.length === 1) this.#finish(batch[0] as Waiting);
        else if (!this.#together(batch))
          this.#waiting.unshift(...batch.map((one) => ({ ...one, alone: true })));
        naps = null;
        this.#files?.afterCommit();
      } catch (error) {
        naps ??= new Naps();
        try {
          await naps.after(error);
        } catch (reason) {
          // Do not try each alone: every one would wait for the same lock again.
          for (const { reject } of this.#waiting.splice(0)) reject(reason);
          break;
        }
      }
    }
    this.#flushing = null;
  }

  /** After a commit: whether it is where the next process will look for it. Throws if not. */
  #prove(): void {
    if (this.#files?.isWritten() === false) this.#files.prove();
  }

  #checkAll(): void {
    try {
      while (this.#files?.areSame() === false) {
        // The change is examined outside of a transaction.
        this.#rollback();
        this.#files.prove();
        this.#begin.run();
      }
      this.#check();
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  /** The programs that share the next transaction. */
  #next(): Waiting[] {
    if (!this.#group || this.#waiting[0]?.alone) return this.#waiting.splice(0, 1);
    return this.#waiting.splice(0);
  }

  #finish({ program, resolve, reject }: Waiting): void {
    let value: unknown;
    try {
      value = this.#statements.run(program());
      this.#commit.run();
      this.#prove();
    } catch (error) {
      this.#rollback();
      reject(error);
      return;
    }
    resolve(value);
  }

  /** False if the shared transaction failed. Programs have no side effects, so each can run again, alone. */
  #together(batch: readonly Waiting[]): boolean {
    const outcomes: Outcome[] = [];
    try {
      for (const { program } of batch) outcomes.push(this.#inSavepoint(program));
      this.#commit.run();
    } catch {
      this.#rollback();
      return false;
    }
    try {
      this.#prove();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return true;
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
      const value = this.#statements.run(program());
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
