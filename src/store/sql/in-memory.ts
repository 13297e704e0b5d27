import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../program.ts';
import type { In, Out, StatementName } from '../statements.ts';
import type { Store } from '../store.ts';
import { databaseError } from './errors.ts';
import { migrate } from './migrate.ts';
import { PreparedStatements } from './prepared-statements.ts';

/** The name of a database in memory, in place of a path. */
const inMemory = ':memory:';

/** The bytes of an empty database with all migrations: those take longer than all that a short run asks. */
let image: Buffer | null = null;

function emptyDatabase(): Buffer {
  if (image !== null) return image;
  const db = new Sqlite(inMemory);
  migrate(db, inMemory);
  image = db.serialize();
  db.close();
  return image;
}

/**
 * Opens an empty SQLite database in memory, for one Detent of one process. It ends with its store.
 *
 * Nothing has to become durable and nobody else writes, so each program has a transaction of its own, at once.
 *
 * Every 64th commit waits for a macrotask. Otherwise a run whose model and tools answer at once would only use
 * microtasks, and starve timers, sockets and the screen.
 *
 * @param maxPages as of `SqliteOptions`
 * @example
 * ```ts
 * const store = openInMemory();
 * const { pk } = await store.commit(() => ask('insertSession', { tenant: 1, key: 'chat', user: null, at: Date.now() }));
 * ```
 */
export function openInMemory({ maxPages }: { maxPages?: number } = {}): Store {
  const db = new Sqlite(emptyDatabase());
  db.pragma('foreign_keys = ON');
  db.pragma('locking_mode = EXCLUSIVE');
  if (maxPages !== undefined) db.pragma(`max_page_count = ${Math.trunc(maxPages)}`);
  return new InMemoryStore(db);
}

const commitsPerBreath = 64;

// Read when the module loads, so that a test that fakes timers later does not stop commits.
const { setTimeout } = globalThis;

class InMemoryStore implements Store {
  readonly #db: Sqlite.Database;
  readonly #statements: PreparedStatements;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  readonly #rollback: Sqlite.Statement;
  /** The last queued commit. */
  #line: Promise<unknown> = Promise.resolve();
  #commits = 0;
  #closed = false;

  constructor(db: Sqlite.Database) {
    this.#db = db;
    this.#statements = new PreparedStatements(db);
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
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
      return this.#statements.execute(name, input) as Out<K>;
    } catch (error) {
      throw databaseError(error, inMemory);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#line;
    this.#db.close();
  }

  #inTransaction<T>(program: () => Program<T>): T {
    this.#begin.run();
    try {
      const value = this.#statements.run(program());
      this.#commit.run();
      return value;
    } catch (error) {
      // A full database has rolled back already.
      if (this.#db.inTransaction) this.#rollback.run();
      throw databaseError(error, inMemory);
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new DetentError('CLOSED', 'this store was closed; open it again');
  }
}
