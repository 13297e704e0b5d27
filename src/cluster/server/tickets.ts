import { AsyncLocalStorage } from 'node:async_hooks';
import type { Job, PgBoss } from 'pg-boss';
import { ownSessions } from '../../protocol/access.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { Request } from '../../store/program.ts';
import type { Companion, Sql, Store } from '../../store/store.ts';
import { bossOf, queue, queueOptions, ticketsError } from './ticket-tables.ts';

/** How long after a failure it is seen whether pg-boss works again. */
const againMs = 5_000;

interface TicketsOptions {
  /** Whether this process removes old tickets, too. */
  isKeeper: boolean;
  report(error: unknown): void;
}

/**
 * Tickets by pg-boss, each of which says that a run wants a driver. They are written in the commits that leave runs, and are settled in
 * those that hand runs out. The rows alone decide who gets which run, so a ticket may be lost, late, or there twice.
 */
export class Tickets implements Companion {
  readonly #boss: PgBoss;
  readonly #within: AsyncLocalStorage<Sql>;
  readonly #report: TicketsOptions['report'];
  /** Those that the next commit that hands runs out settles. */
  #fetched: Job<unknown>[] = [];
  #again: NodeJS.Timeout | null = null;
  #isUsable = true;
  #isClosed = false;

  private constructor(boss: PgBoss, within: AsyncLocalStorage<Sql>, { report }: TicketsOptions) {
    this.#boss = boss;
    this.#within = within;
    this.#report = report;
  }

  /** Null where pg-boss is not installed, and where its tables are not those of its version: either is reported. */
  static async open(store: Store, options: TicketsOptions): Promise<Tickets | null> {
    const sql = store.accompany?.(null);
    if (!sql) return null;
    // In a transaction, pg-boss now and then reads its queue as well: by another connection, which those in transactions may have taken all.
    const within = new AsyncLocalStorage<Sql>();
    const either: Sql = (...asked) => (within.getStore() ?? sql)(...asked);
    const boss = await bossOf(either, options.isKeeper);
    if (!boss) {
      options.report(notInstalled());
      return null;
    }
    const tickets = new Tickets(boss, within, options);
    try {
      const error = await ticketsError(boss);
      if (error) throw error;
      boss.on('error', (failure) => tickets.failed(failure));
      await boss.start();
      await boss.createQueue(queue, queueOptions);
      store.accompany?.(tickets);
      return tickets;
    } catch (error) {
      options.report(error);
      await tickets.close();
      return null;
    }
  }

  /** Whether commits write tickets at present. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Whether runs may want a driver: there are tickets, or nothing can be said. @param limit how many tickets this process takes */
  async fetch(limit: number): Promise<boolean> {
    if (!this.#isUsable) return true;
    try {
      this.#fetched.push(...(await this.#boss.fetch(queue, { batchSize: limit })));
    } catch (error) {
      this.failed(error);
      return true;
    }
    return this.#fetched.length > 0;
  }

  /** The commit is through that settled what was fetched. */
  settled(): void {
    this.#fetched = [];
  }

  concerns(asked: Request): boolean {
    if (!this.#isUsable) return false;
    return asked[0] === 'claimWanted' ? this.#fetched.length > 0 : leaves(asked);
  }

  join(asked: readonly Request[], sql: Sql): Promise<void> {
    return this.#within.run(sql, () => this.#join(asked, { db: { executeSql: sql } }));
  }

  async #join(asked: readonly Request[], options: { db: { executeSql: Sql } }): Promise<void> {
    if (asked.some(([name]) => name === 'claimWanted'))
      await this.#boss.deleteJob(queue, this.#fetched, options);
    // People before jobs.
    const priority = asked.some(isOfSlot) ? 0 : 1;
    const left = asked.filter(leaves).map(([, input]) => ({ data: { run: runOf(input) }, priority }));
    if (left.length > 0) await this.#boss.insert(queue, left, options);
  }

  failed(error: unknown): void {
    if (this.#isClosed) return;
    if (this.#isUsable && !isAway(error)) this.#report(failedError(error));
    this.#isUsable = false;
    this.#again ??= setTimeout(() => void this.#tryAgain(), againMs).unref();
  }

  /** Its tables may have been emptied. */
  async #tryAgain(): Promise<void> {
    this.#again = null;
    try {
      await this.#boss.createQueue(queue, queueOptions);
      this.#isUsable = true;
    } catch (error) {
      this.failed(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#again) clearTimeout(this.#again);
    await this.#boss.stop({ graceful: false }).catch(() => {});
  }
}

const notInstalled = () =>
  new DetentError(
    'PACKAGE_MISSING',
    'pg-boss is not installed: processes look at the rows alone for runs that want a driver, and lose none; to have it, see "pg-boss" in docs/postgres.md',
    { details: { package: 'pg-boss' } },
  );

/** The server is told of by whoever waits for it. */
const isAway = (error: unknown) => DetentError.is(error) && error.code === 'DATABASE_UNREACHABLE';

const failedError = (cause: unknown) =>
  new DetentError(
    'DATABASE_FAILED',
    `pg-boss failed (${messageOf(cause)}): until it works again, processes look at the rows alone for runs that want a driver`,
    { cause },
  );

/** Whether a run wants a driver after this. */
const leaves = ([name, input]: Request) =>
  name === 'abandonRunsOf' ||
  ((name === 'insertRun' || name === 'passRun') && 'driver' in input && input.driver === null);

/** Only people who look at the tables read it. */
const runOf = (input: object) =>
  ('id' in input && input.id) || ('pk' in input && input.pk) || ('driver' in input && `of ${input.driver}`);

const isOfSlot = ([name, input]: Request) =>
  name === 'findSession' &&
  'key' in input &&
  typeof input.key === 'string' &&
  input.key.startsWith(ownSessions.job);
