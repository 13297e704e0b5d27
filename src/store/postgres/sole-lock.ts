import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DetentError } from '../../protocol/error.ts';
import { isGone, postgresError, unreachable } from './errors.ts';

/** Of the lock that one process has: any number that nobody else uses. */
const key = 0x64_65_75;

/**
 * The lock of a database that one process has while it lives. The server frees it when the connection that took it ends, however it
 * ends. https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export class SoleLock {
  readonly #url: string;
  readonly #place: string;
  #client: pg.Client | null = null;
  /** Resolves while this process has the lock. */
  #held: Promise<void> = Promise.resolve();
  #isHeld = false;
  #isReleased = false;

  /** @param place the database without its password */
  constructor(url: string, place: string) {
    this.#url = url;
    this.#place = place;
  }

  /** @throws DetentError `DATABASE_BUSY` if another process has it; after `patienceMs` `DATABASE_UNREACHABLE`. */
  async take(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    for (;;)
      try {
        return await this.#connect();
      } catch (error) {
        if (!isGone(error) || performance.now() >= until) throw postgresError(error, this.#place);
        await pause(100);
      }
  }

  /**
   * Waits until the lock is there again, if its connection broke.
   *
   * @param until how long, by `performance.now()`
   * @throws DetentError `DATABASE_LOST` if another process has it now, `DATABASE_UNREACHABLE` if the server stays away.
   */
  async held(until: number): Promise<void> {
    if (this.#isHeld) return;
    const held = new AbortController();
    const tooLong = pause(Math.max(0, until - performance.now()), 'too long', { signal: held.signal });
    const first = await Promise.race([this.#held, tooLong]).finally(() => held.abort());
    if (first === 'too long') throw unreachable(this.#place, 'the connection broke');
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'detent lock',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        key,
      ]);
      if (!rows[0]?.taken) throw busy(this.#place);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#isHeld = true;
    // A program that has nothing else to do may end.
    if ('unref' in client && typeof client.unref === 'function') client.unref();
    client.once('end', () => {
      this.#isHeld = false;
      if (this.#isReleased) return;
      this.#held = this.#again();
      // Those that wait for it hear of it.
      this.#held.catch(() => {});
    });
  }

  async #again(): Promise<void> {
    for (;;)
      try {
        return await this.#connect();
      } catch (error) {
        if (this.#isReleased) return;
        if (DetentError.is(error) && error.code === 'DATABASE_BUSY') throw lost(this.#place);
        await pause(100);
      }
  }
}

const busy = (place: string) =>
  new DetentError(
    'DATABASE_BUSY',
    `another process has database ${place}, and one has it at a time; stop that process, or wait until it has ended`,
    { details: { database: place }, retryable: true },
  );

const lost = (place: string) =>
  new DetentError(
    'DATABASE_LOST',
    `while database ${place} could not be reached, another process took it; start this process again when that one has ended`,
    { details: { database: place } },
  );
