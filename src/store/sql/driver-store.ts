import { DetentError } from '../../protocol/error.ts';
import { alone, type Program } from '../program.ts';
import type { In, Out, StatementName } from '../statements.ts';
import type { Store } from '../store.ts';
import { rollBack, type SqlDriver, type SqlStatement, withCodes } from './driver.ts';
import { databaseError } from './errors.ts';
import { migrate, needsMigration } from './migrate.ts';
import { PreparedStatements } from './prepared-statements.ts';

/**
 * Opens the store in a database of a host, and creates or migrates it if needed.
 *
 * @param name of the database, for messages
 * @throws DetentError `DATABASE_FOREIGN`, `DATABASE_NEWER`, and what the driver throws.
 */
export function openDriver(driver: SqlDriver, name: string): Store {
  const db = withCodes(driver);
  // They answer with a row.
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
    db.prepare(`PRAGMA ${pragma}`).all([]);
  if (needsMigration(db, name, false)) migrate(db, name);
  return new DriverStore(db, name);
}

const commitsPerBreath = 64;

// Read when the module loads, so that a test that fakes timers later does not stop commits.
const { setTimeout } = globalThis;

/**
 * A store over a SQLite database that one process has to itself: in memory, or of a phone's app.
 *
 * Nobody else writes, so each program has a transaction of its own, at once.
 *
 * Every 64th commit waits for a macrotask. Otherwise a run whose model and tools answer at once would only use
 * microtasks, and starve timers, sockets and the screen.
 */
export class DriverStore implements Store {
  readonly #db: SqlDriver;
  readonly #name: string;
  readonly #statements: PreparedStatements;
  readonly #begin: SqlStatement;
  readonly #commit: SqlStatement;
  /** The last queued commit. */
  #line: Promise<unknown> = Promise.resolve();
  #commits = 0;
  #closed = false;

  /** @param name of the database, for messages. */
  constructor(db: SqlDriver, name: string) {
    this.#db = db;
    this.#name = name;
    this.#statements = new PreparedStatements(db);
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
  }

  async commit<T>(program: () => Program<T>): Promise<T> {
    this.#refuseWhenClosed();
    const mine = this.#line.then(async () => {
      if (++this.#commits % commitsPerBreath === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      return this.#inTransaction(program);
    });
    this.#line = mine.catch(() => {});
    return mine;
  }

  async query<K extends StatementName>(name: K, input: In<K>): Promise<Out<K>> {
    this.#refuseWhenClosed();
    try {
      return this.#statements.run(alone<Out<K>>(name, input));
    } catch (error) {
      throw databaseError(error, this.#name);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#line;
    this.#db.close();
  }

  #inTransaction<T>(program: () => Program<T>): T {
    this.#begin.run([]);
    try {
      const value = this.#statements.run(program());
      this.#commit.run([]);
      return value;
    } catch (error) {
      rollBack(this.#db);
      throw databaseError(error, this.#name);
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new DetentError('CLOSED', 'this store was closed; open it again');
  }
}
