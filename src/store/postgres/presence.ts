import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DetentError } from '../../protocol/error.ts';
import { randomId } from '../../text/ids.ts';
import type { Presence, PresentDriver, PresentDrivers } from '../store.ts';
import { goodbye } from './wire.ts';

/**
 * A driver's lock is a number made of its name. The server frees it when the connection that took it ends, however it ends.
 * https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
const keyOf = (name: string) => `hashtextextended(${name}, 0)`;

/**
 * Each driver that has not been declared ended, whether it holds its lock, and since when it has said nothing there. The server knows
 * that of each connection, so it costs no row; of another user's, who may not see it, it counts as 0.
 * https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW
 */
export const presentDrivers = `
  select epoch, address, held.pid is not null as "isHeld",
    coalesce(extract(epoch from clock_timestamp() - held.state_change) * 1000, 0) as "silentMs"
  from drivers left join lateral (
    select pid, state_change from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and objsubid = 1 and granted
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = ${keyOf('drivers.name')}
    limit 1
  ) as held on true
  where ended_at is null`;

/**
 * A server that hears nothing of a machine any more frees its locks after some 20 seconds. While it has something to tell that machine, only the last
 * of these counts.
 */
const keepAlive =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3; set tcp_user_timeout = 20000';

interface PresenceOptions {
  leaseMs: number;
  silentMs: number;
  /** A connection of its own, not connected yet. */
  newClient(): pg.Client;
  /** Works with any connection, and waits for a server that is away. */
  ask<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  /** Waits as that does. Needs no other connection: all may be taken by those who wait for this one. */
  patiently<T>(attempt: () => Promise<T>): Promise<T>;
}

type PresentRow = Pick<PresentDrivers, 'newest' | 'upMs'> & { now: number; silentMs: number } & {
  [K in keyof PresentDriver]: PresentDriver[K] | null;
};

/** A process among those that share a PostgreSQL database, by a connection that holds a lock and listens. */
export class PostgresPresence implements Presence {
  readonly channel: string = randomId('detent');
  readonly leaseMs: number;
  readonly #options: PresenceOptions;
  readonly #joined = new Set<string>();
  #name: string | null = null;
  #line: Line | null = null;
  #connecting: Promise<Line> | null = null;
  #on: (text: string) => void = () => {};
  #missed: () => void = () => {};
  #isClosed = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.leaseMs = options.leaseMs;
  }

  async hold(name: string): Promise<void> {
    this.#name = name;
    await this.#connected();
    // A connection that was there before has not taken it.
    await this.#options.patiently(async () => this.#take(await this.#connected(), name));
  }

  async free(): Promise<void> {
    this.#name = null;
    await this.#line?.ask('select pg_advisory_unlock_all()').catch(() => {});
  }

  drivers(): Promise<PresentDrivers> {
    const ask = async (client: Pick<Line, 'ask'>) => {
      const askedAt = performance.now();
      const text = `select newest, extract(epoch from clock_timestamp()) * 1000 as now,
          extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000 as "upMs", present.*
          from (select coalesce(max(epoch), 0) as newest from drivers) as all_drivers
          left join (${presentDrivers}) as present on true`;
      const { rows } = await client.ask<PresentRow>(text);
      const drivers = rows.flatMap(({ epoch, address, isHeld, silentMs }) =>
        epoch === null
          ? []
          : [{ epoch, address, isHeld: isHeld === true && silentMs < this.#options.silentMs }],
      );
      const [{ newest, upMs, now } = { newest: 0, upMs: 0, now: 0 }] = rows;
      const tripMs = performance.now() - askedAt;
      return { newest, upMs, drivers, aheadMs: now - askedAt - tripMs / 2, tripMs };
    };
    // The connection that holds the lock: whatever it asks says that this process lives.
    return this.#options.patiently(() =>
      this.#line
        ? ask(this.#line)
        : this.#options.ask((client) => ask({ ask: (text) => client.query(text) })),
    );
  }

  async tell(messages: readonly { to: string; text: string }[]): Promise<void> {
    const columns = [messages.map(({ to }) => to), messages.map(({ text }) => text)];
    const notify =
      'select pg_notify(channel, text) from unnest($1::text[], $2::text[]) as said (channel, text)';
    await this.#options.ask((client) => client.query(notify, columns));
  }

  async hear(on: (text: string) => void, missed: () => void): Promise<void> {
    this.#on = on;
    this.#missed = missed;
    await this.#connected();
  }

  async join(channel: string): Promise<void> {
    this.#joined.add(channel);
    // A connection that was there before does not listen to it.
    await (await this.#connected()).ask(`listen ${channel}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#name = null;
    await this.#connecting?.catch(() => {});
    const line = this.#line;
    if (!line) return;
    // Else a process that has nothing else to do ends before its connection, and with an error.
    line.hold(1);
    await goodbye(line.client);
  }

  /** The connection, made if there is none; while the server is away, as often as that helps. */
  #connected(): Promise<Line> {
    if (this.#line) return Promise.resolve(this.#line);
    this.#connecting ??= this.#options
      .patiently(() => this.#connect())
      .finally(() => {
        this.#connecting = null;
      });
    return this.#connecting;
  }

  async #connect(): Promise<Line> {
    const client = this.#options.newClient();
    const line = new Line(client);
    client.on('error', () => {});
    client.on('notification', ({ payload }) => this.#on(payload ?? ''));
    try {
      await client.connect();
      await client.query(keepAlive);
      for (const channel of [this.channel, ...this.#joined]) await client.query(`listen ${channel}`);
      if (this.#name !== null) await this.#take(line, this.#name);
      if (this.#isClosed) throw new DetentError('CLOSED', 'this process has left the server');
    } catch (error) {
      await goodbye(client);
      throw error;
    }
    client.once('end', () => void this.#again(line));
    this.#line = line;
    line.hold(0);
    return line;
  }

  /** A connection that broke may hold the lock until the server has noticed. */
  async #take(line: Line, name: string): Promise<void> {
    const taken = `select exists (${presentLock}) or pg_try_advisory_lock(${keyOf('$1')}) as taken`;
    while (this.#name === name) {
      const { rows } = await line.ask<{ taken: boolean }>(taken, [name]);
      if (rows[0]?.taken) return;
      await pause(50);
    }
  }

  async #again(was: Line): Promise<void> {
    if (this.#line !== was) return;
    this.#line = null;
    while (!this.#isClosed)
      try {
        await this.#connected();
        return this.#missed();
      } catch {
        await pause(250, undefined, { ref: false });
      }
  }
}

/** This connection's own hold of a lock: taken twice it would have to be freed twice. */
const presentLock = `select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted and pid = pg_backend_pid()
  and (classid::bigint << 32 | objid::bigint) = ${keyOf('$1')}`;

/** The connection by which a process is present. */
class Line {
  readonly client: pg.Client;
  /** Questions that keep the process alive: a connection that only listens keeps none. */
  #open = 0;

  constructor(client: pg.Client) {
    this.client = client;
  }

  /** Keeps the process alive until the answer has come. */
  async ask<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<R>> {
    this.hold(1);
    try {
      return await this.client.query<R>(text, values);
    } finally {
      this.hold(-1);
    }
  }

  /** Keeps the process alive for one question more, or for one less. */
  hold(by: 1 | 0 | -1): void {
    const { client } = this;
    this.#open += by;
    const how = this.#open > 0 ? 'ref' : 'unref';
    const turn: unknown = how in client && Reflect.get(client, how);
    if (typeof turn === 'function') turn.call(client);
  }
}
