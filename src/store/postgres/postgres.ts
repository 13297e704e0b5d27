import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isPostgresUrl, shownDatabase } from '../../text/wording.ts';
import type { Program } from '../program.ts';
import type { In, Out, StatementName } from '../statements.ts';
import type { Companion, Presence, Sql, Store } from '../store.ts';
import { connectionTo } from './connection.ts';
import { codeOf, isGone, type Mark, OutcomeUnknown, postgresError, unreachable } from './errors.ts';
import { migrate, refuseCopy, schemaOf } from './migrate.ts';
import { PostgresPresence } from './presence.ts';
import { execute, isCommitted, runProgram } from './run-program.ts';
import { SilentConnections } from './silent-connections.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the settings of TLS. */
  url: string;
  /** Maximum of open connections. Default 8. */
  connections?: number;
  /** How long to wait for an unreachable database, in milliseconds. Default 30,000. */
  patienceMs?: number;
  /** Is called once an outage, when Detent has waited for the database for more than 2 seconds. */
  onWait?: (error: DetentError) => void;
  /**
   * How long the lock of a process must be free before others take its runs over, in milliseconds. A process whose connection broke
   * takes its lock again within this time. Default 1,000.
   */
  leaseMs?: number;
  /**
   * How long a process that holds its lock may be silent before others take its runs over, in milliseconds by the clock of the server:
   * it was stopped, or its machine is out of reach. After as long without an answer a connection is broken, unless the server says that it
   * is at work on the question. Default 10,000.
   */
  silentMs?: number;
  /** Only reads: refuses commits, and a database that needs a migration. */
  readonly?: boolean;
}

/** What `databaseStatus` finds out about a database. */
export interface PostgresReport {
  /** Its address without the password. */
  place: string;
  version: string;
  bytes: number;
  isReadonly: boolean;
  schema: 'new' | 'older' | 'current';
  /** The migrations that it lacks. */
  pending: readonly string[];
}

/** Deadlocks and failed serialisations, and a race for a key that another program won. */
const retried: Readonly<Record<string, number>> = { '40001': 200, '40P01': 200, '23505': 3 };

/**
 * Opens a PostgreSQL database as the store of a Detent, and creates or migrates its tables if needed. Any number of processes may
 * share it.
 *
 * While the database is unreachable, reads and commits wait. When the answer to a commit is lost, Detent looks the commit up, so it
 * neither loses nor repeats it.
 *
 * @throws DetentError `INVALID_CONFIG` for another address; `DATABASE_UNREACHABLE`, `DATABASE_UNUSABLE`, `DATABASE_NEWER`, `DATABASE_FOREIGN`;
 * `DATABASE_UNFINISHED` while a copy is being made there; `DATABASE_LOCKED` if it needs a migration while another process is at work in it; `DATABASE_OLDER` if it needs one and is only read.
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
  readonly #silent: SilentConnections;
  readonly #place: string;
  readonly #patienceMs: number;
  readonly #isReadonly: boolean;
  readonly #onWait: (error: DetentError) => void;
  #isToldOfWait = false;
  readonly #newPresence: () => PostgresPresence;
  /** By key, the last program that was asked for. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #places = new WeakMap<pg.ClientBase, number>();
  #lastMark = 0;
  #companion: Companion | null = null;
  #closed = false;

  constructor({
    url,
    connections = 8,
    patienceMs = 30_000,
    onWait = () => {},
    leaseMs = 1_000,
    silentMs = 10_000,
    readonly = false,
  }: PostgresOptions) {
    if (!isPostgresUrl(url)) throw notPostgres();
    this.#place = shownDatabase(url);
    this.#patienceMs = patienceMs;
    this.#onWait = onWait;
    this.#isReadonly = readonly;
    const connection = connectionTo(url);
    const clientOf = (application_name: string) =>
      new pg.Client({ ...connection, pipeline: true, application_name, query_timeout: silentMs });
    this.#newPresence = () =>
      new PostgresPresence({
        leaseMs,
        silentMs,
        newClient: () => clientOf('detent lock'),
        ask: (work) => this.#patiently(work),
        patiently: (attempt) => this.#repeatedly(attempt),
      });
    this.#silent = new SilentConnections(() => clientOf('detent probe'), silentMs);
    this.#pool = new pg.Pool({
      ...connection,
      max: connections,
      pipeline: true,
      application_name: 'detent',
      allowExitOnIdle: true,
      // A process that is stopped in a transaction keeps its rows locked until then; twice as long if another one of its waits for them.
      idle_in_transaction_session_timeout: 2_500,
    });
    // An idle connection that broke: the next program gets another one.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Migrates the database. */
  async open(): Promise<void> {
    await this.#patiently(async (client) => {
      await refuseCopy(client, this.#place);
      await migrate(client, this.#place, this.#isReadonly);
      if (this.#isReadonly) return;
      const { rows } = await client.query<{ now: number }>(
        'select extract(epoch from clock_timestamp()) * 1000 as now',
      );
      const now = Math.floor(rows[0]?.now ?? 0);
      this.#lastMark = firstMark(now);
      // Nobody looks for what became of a commit so long ago.
      await client.query('delete from commit_marks where n < $1', [firstMark(now - markLifeMs)]);
    });
  }

  async checkThere(): Promise<void> {
    const answer = this.#attempt((client) => client.query('select 1'));
    answer.catch(() => {});
    const late = pause(answerMs, undefined, { ref: false }).then(() => {
      throw unreachable(this.#place, `no answer within ${answerMs / 1_000} s`);
    });
    late.catch(() => {});
    try {
      await Promise.race([answer, late]);
    } catch (error) {
      throw postgresError(error, this.#place);
    }
  }

  /** Inspects the server and the database. Changes nothing. */
  examine(): Promise<PostgresReport> {
    return this.#patiently(async (client) => {
      const { rows } = await client.query<Omit<PostgresReport, 'place' | 'schema' | 'pending'>>(
        `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
          current_setting('transaction_read_only') = 'on' as "isReadonly"`,
      );
      const [found] = rows;
      if (!found) throw new Error('the server says nothing of itself');
      return { ...found, place: this.#place, ...(await schemaOf(client, this.#place)) };
    });
  }

  openPresence(): Presence {
    return this.#newPresence();
  }

  accompany(companion: Companion | null): Sql {
    this.#companion = companion;
    return (text, values) => {
      if (this.#closed) return Promise.reject(closedError());
      return this.#patiently(async (client) => {
        try {
          return await client.query<Record<string, unknown>>(text, values);
        } catch (error) {
          // A text that begins a transaction and fails in it leaves it open, for whoever has the connection next.
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      });
    };
  }

  commit<T>(program: () => Program<T>, key?: string): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#isReadonly) return Promise.reject(readonlyError(this.#place));
    const before = key === undefined ? undefined : this.#lines.get(key);
    const commit = () =>
      this.#patiently((client) =>
        runProgram(client, program, { mark: this.#nextMark(client), companion: this.#companion }),
      );
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
    return this.#patiently((client) => execute(client, name, input, 'alone')) as Promise<Out<K>>;
  }

  /** Never complete: the server keeps deleted bytes in its log, its replicas and its backups. */
  async erase<T>(program: () => Program<T>): Promise<{ value: T; complete: boolean }> {
    return { value: await this.commit(program), complete: false };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#pending);
    await this.#pool.end();
    this.#silent.stop();
  }

  /** Works with a connection of the pool; see {@link #repeatedly}. */
  #patiently<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#repeatedly(() => this.#attempt(work));
  }

  /** Tries again where that may help: while the database is away, and where others were faster. */
  async #repeatedly<T>(attempt: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const until = began + this.#patienceMs;
    for (let tries = 1; ; tries++) {
      try {
        const value = await attempt();
        this.#isToldOfWait = false;
        return value;
      } catch (thrown) {
        const found = thrown instanceof OutcomeUnknown ? await this.#outcomeOf<T>(thrown, until) : null;
        if (found) return found.value;
        // It was rolled back, as if the connection had broken before the COMMIT.
        const error = thrown instanceof OutcomeUnknown ? thrown.cause : thrown;
        const isOver = isGone(error) ? performance.now() >= until : tries >= (retried[codeOf(error)] ?? 0);
        if (isOver) throw postgresError(error, this.#place);
        // One broken connection says little: the server also ends a transaction in which this process stood still.
        const isAway = isGone(error) && tries > 1 && performance.now() - began > quietMs;
        if (isAway) this.#tellOfWait(error);
      }
      await pause(Math.random() * Math.min(2 ** tries, 200));
    }
  }

  #tellOfWait(cause: unknown): void {
    if (this.#isToldOfWait) return;
    this.#isToldOfWait = true;
    const seconds = Math.round(this.#patienceMs / 1_000);
    this.#onWait(
      unreachable(this.#place, messageOf(cause), `Detent waits for it, up to ${seconds} s`, cause),
    );
  }

  async #attempt<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    using _watched = this.#silent.watch(client);
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
        const isDone = await this.#attempt((client) => isCommitted(client, unknown.mark));
        return isDone ? { value: unknown.value as T } : null;
      } catch (error) {
        if (!isGone(error) || performance.now() >= until) throw postgresError(unknown, this.#place);
        await pause(50 + Math.random() * 100);
      }
  }

  /** Of a connection, the mark of its next transaction. */
  #nextMark(client: pg.ClientBase): Mark {
    // Of all connections of all processes, no two have the same.
    const place = this.#places.get(client) ?? randomInt(2 ** 48 - 1);
    this.#places.set(client, place);
    return { place, n: ++this.#lastMark };
  }
}

/** A restart of a server is no news. */
const quietMs = 2_000;
/** A probe that asks whether a database is there has a limit of its own, mostly of seconds. */
const answerMs = 2_000;

/** Marks of one process grow, and those of a later one are greater: by the clock of the server. */
const firstMark = (at: number) => at * 1_000;
const markLifeMs = 24 * 60 * 60_000;

/** Without the address, which may hold a password. */
const notPostgres = () =>
  new DetentError(
    'INVALID_CONFIG',
    'openPostgres takes the address of a PostgreSQL database: postgres://user:password@host:port/database',
  );

const readonlyError = (place: string) =>
  new DetentError('DATABASE_READONLY', `database ${place} was opened only for reading`, {
    details: { database: place },
  });

const closedError = () => new DetentError('CLOSED', 'this store was closed; open it again');
