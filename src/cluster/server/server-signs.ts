import { setTimeout as pause } from 'node:timers/promises';
import type { DriverSigns } from '../../engine/ownership.ts';
import type { DriverRow } from '../../store/rows.ts';
import type { Presence } from '../../store/store.ts';
import type { Signs } from '../driver-ownership.ts';

/** How often the locks are read. */
const readEveryMs = 1_000;

/**
 * The signs of the drivers of a server: each holds a lock there as long as its connection lives.
 *
 * A driver is dead when its lock is free at two readings that are a lease apart. A restart of the server frees all locks at once,
 * and each driver takes its own back within that time.
 */
export class ServerSigns implements Signs {
  readonly #presence: Presence;
  /** By epoch, where messages to those that live go. */
  readonly #living = new Map<number, string | null>();
  /** By epoch, since when a lock has been free, by `performance.now()`. */
  readonly #freeSince = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #newest = 0;
  #ended: (epoch: number) => void = () => {};

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

  /** Sets what is called when a driver is found to be dead. */
  onEnd(ended: (epoch: number) => void): void {
    this.#ended = ended;
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
      if (!this.#living.has(epoch)) return true;
      const since = this.#freeSince.get(epoch);
      if (since === undefined) return false;
      await pause(Math.max(1, since + this.#presence.leaseMs - performance.now()));
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
    const { newest, drivers } = await this.#presence.drivers();
    const now = performance.now();
    this.#newest = Math.max(this.#newest, newest);
    const was = [...this.#living.keys()];
    this.#living.clear();
    for (const { epoch, address, isHeld } of drivers) {
      if (isHeld) this.#freeSince.delete(epoch);
      else if (!this.#freeSince.has(epoch)) this.#freeSince.set(epoch, now);
      const since = this.#freeSince.get(epoch);
      if (since === undefined || now - since < this.#presence.leaseMs) this.#living.set(epoch, address);
    }
    for (const epoch of was) if (!this.#living.has(epoch)) this.#ended(epoch);
    const listed = new Set(drivers.map(({ epoch }) => epoch));
    for (const epoch of this.#freeSince.keys()) if (!listed.has(epoch)) this.#freeSince.delete(epoch);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
