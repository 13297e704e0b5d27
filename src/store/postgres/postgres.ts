import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../program.ts';
import type { In, Out, StatementName } from '../statements.ts';
import type { Store } from '../store.ts';
import { codeOf, isGone, type Mark, OutcomeUnknown, postgresError } from './errors.ts';
import { migrate } from './migrate.ts';
import { execute, isCommitted, runProgram } from './run-program.ts';
import { SoleLock } from './sole-lock.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the settings of TLS. */
  url: string;
  /** Most connections at once. Default 8. */
  connections?: number;
  /** How long an unreachable database is waited for, in milliseconds. Default 30,000. */
  patienceMs?: number;
}

const int8 = 20;
const numeric = 1700;

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 || oid === numeric ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format),
};

/** Deadlocks and failed serialisations, and a race for a key that another program won. */
const retried: Readonly<Record<string, number>> = { '40001': 200, '40P01': 200, '23505': 3 };

/** The URL without its password, to be shown. */
function shownUrl(url: string): string {
  try {
    const shown = new URL(url);
    return `${shown.protocol}//${shown.username && `${shown.username}@`}${shown.host}${shown.pathname}`;
  } catch {
    return 'of DATABASE_URL';
  }
}

/**
 * Opens a PostgreSQL database as the store of a Detent, and creates or migrates its tables if needed. One process has it at a time:
 * another one is refused as long as this one lives.
 *
 * While the database cannot be reached, reads and commits wait for it. A commit whose answer was lost is looked up, so it is neither
 * lost nor made twice.
 *
 * @throws DetentError `DATABASE_BUSY` while another process has it; `DATABASE_UNREACHABLE`, `DATABASE_UNUSABLE`, `DATABASE_NEWER`,
 * `DATABASE_FOREIGN`.
 * @example
 * ```ts
 * const store = await openPostgres({ url: process.env.DATABASE_URL ?? '' });
 * const detent = createDetent({ store });
 * ```
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const store = new PostgresStore(options);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store in a PostgreSQL database. Programs of one key run in the order in which they came, others side by side. */
export class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  readonly #lock: SoleLock;
  readonly #place: string;
  readonly #patienceMs: number;
  /** By key, the last program that was asked for. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #places = new WeakMap<pg.ClientBase, number>();
  #placesGiven = 0;
  #marksGiven = 0;
  #closed = false;

  constructor({ url, connections = 8, patienceMs = 30_000 }: PostgresOptions) {
    this.#place = shownUrl(url);
    this.#lock = new SoleLock(url, this.#place);
    this.#patienceMs = patienceMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      pipeline: true,
      types,
      application_name: 'detent',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      allowExitOnIdle: true,
      // A process that is stopped in a transaction keeps its rows locked until then.
      idle_in_transaction_session_timeout: 5_000,
    });
    // An idle connection that broke: the next program gets another one.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Takes the database, and migrates it. */
  async open(): Promise<void> {
    await this.#lock.take(this.#patienceMs);
    await this.#patiently(async (client) => {
      await migrate(client, this.#place);
      // Nobody looks for those of an earlier process any more.
      await client.query('delete from commit_marks');
    });
  }

  commit<T>(program: () => Program<T>, key?: string): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    const before = key === undefined ? undefined : this.#lines.get(key);
    const commit = () => this.#patiently((client) => runProgram(client, program, this.#nextMark(client)));
    const done = before === undefined ? commit() : before.then(commit, commit);
    if (key !== undefined) this.#lines.set(key, done);
    this.#pending.add(done);
    const settle = () => {
      this.#pending.delete(done);
      if (key !== undefined && this.#lines.get(key) === done) this.#lines.delete(key);
    };
    done.then(settle, settle);
    return done;
  }

  async query<K extends StatementName>(name: K, input: In<K>): Promise<Out<K>> {
    if (this.#closed) throw closedError();
    return this.#patiently((client) => execute(client, name, input, false)) as Promise<Out<K>>;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#pending);
    await this.#pool.end();
    await this.#lock.release();
  }

  /** Works with a connection, again where that may help: while the database is away, and where others were faster. */
  async #patiently<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const until = performance.now() + this.#patienceMs;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(work, until);
      } catch (error) {
        const found = error instanceof OutcomeUnknown ? await this.#outcomeOf<T>(error, until) : null;
        if (found) return found.value;
        const isOver = isGone(error) ? performance.now() >= until : tries >= (retried[codeOf(error)] ?? 0);
        if (isOver && !(error instanceof OutcomeUnknown)) throw postgresError(error, this.#place);
      }
      await pause(Math.random() * Math.min(2 ** tries, 200));
    }
  }

  async #attempt<T>(work: (client: pg.PoolClient) => Promise<T>, until: number): Promise<T> {
    await this.#lock.held(until);
    const client = await this.#pool.connect();
    let isBroken = false;
    try {
      return await work(client);
    } catch (error) {
      isBroken = isGone(error) || error instanceof OutcomeUnknown;
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** What became of a transaction whose COMMIT has no answer; null if it was rolled back. */
  async #outcomeOf<T>(unknown: OutcomeUnknown, until: number): Promise<{ value: T } | null> {
    for (;;)
      try {
        const isDone = await this.#attempt((client) => isCommitted(client, unknown.mark), until);
        return isDone ? { value: unknown.value as T } : null;
      } catch (error) {
        if (!isGone(error) || performance.now() >= until) throw postgresError(unknown, this.#place);
        await pause(50 + Math.random() * 100);
      }
  }

  /** Of a connection, the mark of its next transaction. */
  #nextMark(client: pg.ClientBase): Mark {
    const place = this.#places.get(client) ?? ++this.#placesGiven;
    this.#places.set(client, place);
    return { place, n: ++this.#marksGiven };
  }
}

const closedError = () => new DetentError('CLOSED', 'this store was closed; open it again');
