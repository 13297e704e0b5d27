import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, clockBy } from '../../engine/clock.ts';
import type { DriverSigns } from '../../engine/ownership.ts';
import type { DriverRow } from '../../store/rows.ts';
import type { Presence, PresentDrivers } from '../../store/store.ts';
import type { Signs } from '../driver-ownership.ts';

/** How often the locks are read. */
const readEveryMs = 1_000;

/**
 * The signs of the drivers of a server: each holds a lock there as long as its connection lives, and says something every second.
 *
 * A driver is dead when its lock is free, or the server has heard nothing of it for long, at two readings that are a lease apart. A
 * restart of the server frees all locks at once, and each driver takes its own back within that time.
 */
export class ServerSigns implements Signs {
  readonly time = new ServerClock();
  readonly #presence: Presence;
  /** By epoch, where messages to those that live go, as far as can be said at once. */
  readonly #living = new Map<number, string | null>();
  /** Those that have not been declared ended. */
  #listed: ReadonlySet<number> = new Set();
  /** By epoch, since when a lock has been free, by `performance.now()`. */
  readonly #freeSince = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #newest = 0;
  /** Readings are numbered as they begin; the newest one that has been answered. */
  #begun = 0;
  #read = 0;
  #looked: () => void = () => {};

  constructor(presence: Presence) {
    this.#presence = presence;
    let isReading = false;
    this.#timer = setInterval(() => {
      if (isReading) return;
      isReading = true;
      // The next reading tries again; what has to be known now is asked for.
      void this.read().then(
        () => (isReading = false),
        () => (isReading = false),
      );
    }, readEveryMs).unref();
  }

  /** Sets what is called after each reading. */
  onRead(looked: () => void): void {
    this.#looked = looked;
  }

  async show(name: string): Promise<Pick<DriverSigns, 'address' | 'token'>> {
    await this.#presence.hold(name);
    return { address: this.#presence.channel, token: '' };
  }

  withdraw(): Promise<void> {
    return this.#presence.free();
  }

  async areGone({ epoch }: DriverRow): Promise<boolean> {
    for (;;) {
      await this.read();
      if (!this.#listed.has(epoch)) return true;
      const since = this.#freeSince.get(epoch);
      if (since === undefined) return false;
      const leftMs = since + this.#presence.leaseMs - performance.now();
      if (leftMs <= 0) return true;
      await pause(Math.ceil(leftMs));
    }
  }

  seemAlive(epoch: number): boolean {
    // One that joined since the last reading had its lock before its row.
    return this.#living.has(epoch) || epoch > this.#newest;
  }

  clear(): void {}

  /** Where messages to a driver go; undefined if it is dead. */
  async addressOf(epoch: number): Promise<string | null | undefined> {
    if (!this.#living.has(epoch)) await this.read();
    return this.#living.get(epoch);
  }

  async read(): Promise<void> {
    const n = ++this.#begun;
    const found = await this.#presence.drivers();
    this.time.read(found);
    // Answers of two connections come in any order: one that is older than what is known says of a driver that joined since that it is dead.
    if (n < this.#read) return;
    this.#read = n;
    const { newest, upMs, drivers } = found;
    const { leaseMs } = this.#presence;
    const now = performance.now();
    this.#newest = Math.max(this.#newest, newest);
    this.#listed = new Set(drivers.map(({ epoch }) => epoch));
    const was = new Set(this.#living.keys());
    this.#living.clear();
    for (const { epoch, address, isHeld } of drivers) {
      if (isHeld) this.#freeSince.delete(epoch);
      else if (!this.#freeSince.has(epoch)) this.#freeSince.set(epoch, now);
      const since = this.#freeSince.get(epoch);
      // A lock that was free at the first reading was not lost just now, unless the server has just started.
      const mayComeBack = since !== undefined && now - since < leaseMs && (was.has(epoch) || upMs < leaseMs);
      if (isHeld || mayComeBack) this.#living.set(epoch, address);
    }
    for (const epoch of this.#freeSince.keys()) if (!this.#listed.has(epoch)) this.#freeSince.delete(epoch);
    this.#looked();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** An older reading counts as worse by one millisecond in so many. */
const worseEveryMs = 100;

/** The time of the server, on which all its processes agree however their own clocks are set. */
class ServerClock {
  readonly clock: Clock = clockBy(() => Math.floor(performance.now() + this.#aheadMs));
  /** Until the server has answered. */
  #aheadMs = Date.now() - performance.now();
  #tripMs = Number.POSITIVE_INFINITY;
  #readAt = 0;

  /** A slow answer says less than a quick one that came before it. */
  read({ aheadMs, tripMs }: Pick<PresentDrivers, 'aheadMs' | 'tripMs'>): void {
    const now = performance.now();
    if (tripMs > this.#tripMs + (now - this.#readAt) / worseEveryMs) return;
    this.#aheadMs = aheadMs;
    this.#tripMs = tripMs;
    this.#readAt = now;
  }
}
