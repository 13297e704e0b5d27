import type Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../program.ts';
import { Naps } from './naps.ts';
import type { OpenFiles } from './open-files.ts';
import { PreparedStatements } from './prepared-statements.ts';

interface Waiting {
  program: () => Program<unknown>;
  settle(outcome: Outcome): void;
  /** A transaction that it shared has failed. */
  alone?: boolean;
}

type Outcome = { value: unknown } | { error: unknown };

/**
 * A database whose programs that arrive in one turn of the event loop share one transaction, each in a savepoint of its own. With
 * synchronous FULL the fsync dominates the cost of a commit: 100 runs pay for one instead of 100.
 *
 * While another process writes, programs wait and more of them come together.
 */
export abstract class GroupCommit {
  protected readonly db: Sqlite.Database;
  protected readonly statements: PreparedStatements;
  /** Looked at before each transaction is written, and before it is acknowledged. Null for a database that this process does not write. */
  protected readonly files: OpenFiles | null;
  /** The last commit, if there was no room for it. */
  protected full: { error: DetentError; at: number } | null = null;
  /** Counts the transactions of this process, and those of others that it has noticed. */
  protected commits = 0;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #mark: Sqlite.Statement;
  readonly #release: Sqlite.Statement;
  readonly #group: boolean;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;

  /** @param group whether commits share transactions */
  constructor(db: Sqlite.Database, group: boolean, files: OpenFiles | null) {
    this.db = db;
    this.statements = new PreparedStatements(db);
    this.files = files;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#mark = db.prepare('SAVEPOINT one');
    this.#release = db.prepare('RELEASE one');
    this.#group = group;
  }

  /** Throws when the store takes nothing any more. */
  protected abstract refuseWhenClosed(): void;

  /** Is called in each transaction, and throws if this process must not write any more. */
  protected abstract checkSchema(): void;

  /** What a caller gets for an error of the database. */
  protected abstract failed(error: unknown): unknown;

  async commit<T>(program: () => Program<T>): Promise<T> {
    this.refuseWhenClosed();
    const outcome = await new Promise<Outcome>((settle) => {
      this.#waiting.push({ program, settle });
      this.#flushing ??= new Promise((flushed) => {
        setImmediate(() => {
          void this.#flush().then(flushed);
        });
      });
    });
    if ('value' in outcome) {
      this.full = null;
      return outcome.value as T;
    }
    const failure = this.failed(outcome.error);
    if (DetentError.is(failure) && failure.code === 'DATABASE_FULL')
      this.full = { error: failure, at: performance.now() };
    throw failure;
  }

  protected async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #flush(): Promise<void> {
    let naps: Naps | null = null;
    while (this.#waiting.length > 0) {
      const locked = this.#beginOrSay();
      if (locked) {
        naps ??= new Naps();
        try {
          await naps.after(locked.error);
          continue;
        } catch (error) {
          // Do not try each alone: every one would wait for the same lock again.
          for (const { settle } of this.#waiting.splice(0)) settle({ error });
          break;
        }
      }
      naps = null;
      // From here to the end of the transaction nothing is awaited: other processes wait for it.
      const batch = this.#next();
      const isShared = batch.length > 1;
      const outcomes: Outcome[] = [];
      try {
        for (const { program } of batch) {
          if (isShared) this.#mark.run();
          try {
            outcomes.push({ value: this.statements.run(program()) });
          } catch (error) {
            // A full disk or an I/O error rolls back the whole transaction, not only this savepoint.
            if (!isShared || !this.db.inTransaction) throw error;
            this.db.exec('ROLLBACK TO one');
            outcomes.push({ error });
          }
          if (isShared) this.#release.run();
        }
        this.commits++;
        this.#commit.run();
        this.#acknowledge(batch, outcomes);
      } catch (error) {
        this.#rollback();
        // Programs have no side effects, so each can run again, alone.
        if (isShared) this.#waiting.unshift(...batch.map((one) => ({ ...one, alone: true })));
        else batch[0]?.settle({ error });
      }
      this.files?.afterCommit();
    }
    this.#flushing = null;
  }

  /** Begins a transaction. Returns why not, if it does not. */
  #beginOrSay(): { error: unknown } | null {
    try {
      this.#begin.run();
      while (this.files?.areSame() === false) {
        // The change is examined outside of a transaction.
        this.#rollback();
        this.files.prove();
        this.#begin.run();
      }
      this.checkSchema();
      return null;
    } catch (error) {
      this.#rollback();
      return { error };
    }
  }

  /** The programs that share the next transaction. */
  #next(): Waiting[] {
    if (!this.#group || this.#waiting[0]?.alone) return this.#waiting.splice(0, 1);
    return this.#waiting.splice(0);
  }

  /** Each program hears of its own error, and all of a commit that is not where the next process will look for it. Throws nothing. */
  #acknowledge(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    let lost: Outcome | null = null;
    try {
      if (this.files?.isWritten() === false) this.files.prove();
    } catch (error) {
      lost = { error };
    }
    for (const [i, { settle }] of batch.entries()) settle(lost ?? (outcomes[i] as Outcome));
  }

  #rollback(): void {
    if (this.db.inTransaction) this.db.exec('ROLLBACK');
  }
}
