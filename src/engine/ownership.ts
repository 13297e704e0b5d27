import type { DriverRow, RunRow } from '../store/rows.ts';
import { noDriver } from '../store/rows.ts';
import type { Clock } from './clock.ts';
import { ask, type Store } from './commit/statements.ts';

/** What a driver says of itself when it joins. */
export type DriverSigns = Pick<DriverRow, 'name' | 'address' | 'token'>;

/** The drivers of a database, and which of them are alive. */
export interface Ownership {
  /** The epoch of this driver; null while this process drives nothing. */
  readonly me: number | null;
  /** Registers this process as a driver, once. Resolves with its epoch. */
  join(): Promise<number>;
  /** Whether another driver has ended, however it ended. Never decided by a clock. */
  isDead(driver: DriverRow): Promise<boolean>;
  /** Registers this process again after another process declared its driver `was` dead, unless that was done already. */
  renew(was: number): Promise<number>;
  /** Removes what a driver left behind whose end is stored. */
  clear(driver: DriverRow): void;
  /** Whether the driver of a run seems alive, without asking it: for people to read, not to act on. */
  seemsAlive(epoch: number): boolean;
}

/** Other drivers of the same database, known by their rows and their signs of life. */
export class Neighbours {
  readonly #store: Store;
  readonly #ownership: Ownership;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(store: Store, ownership: Ownership, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#ownership = ownership;
    this.#clock = clock;
  }

  /** Whether another process that lives has the run. Buries the driver if it is dead. */
  async areDriving({ driver }: Pick<RunRow, 'driver'>): Promise<boolean> {
    if (!isForeign(driver, this.#ownership.me)) return false;
    const row = await this.#store.query('findDriver', { epoch: driver });
    return row?.endedAt === null && !(await this.#buryIfDead(row));
  }

  /** Buries all drivers that are dead. Returns those that live. */
  async alive(): Promise<DriverRow[]> {
    const living: DriverRow[] = [];
    for (const row of await this.#store.query('listDrivers', {}))
      if (row.epoch !== this.#ownership.me && !(await this.#buryIfDead(row))) living.push(row);
    return living;
  }

  async #buryIfDead(row: DriverRow): Promise<boolean> {
    if (!(await this.#ownership.isDead(row))) return false;
    await endDriver(this.#store, row.epoch, this.#clock.now());
    this.#ownership.clear(row);
    return true;
  }
}

/** Whether a run belongs to another driver than `me`, dead or alive. */
export function isForeign(driver: number | null, me: number | null): driver is number {
  return driver !== null && driver !== noDriver && driver !== me;
}

/** Writes that a driver ended: its runs want another one, and its reservations are void. */
export async function endDriver(store: Store, epoch: number, at: number): Promise<void> {
  await store.commit(function* () {
    if ((yield* ask('endDriver', { epoch, at })) === 0) return;
    yield* ask('deleteHoldsOfDriver', { driver: epoch });
    yield* ask('abandonRunsOf', { driver: epoch });
  });
}

/**
 * The ownership of a store that one process has to itself: in memory, or a program's own. A driver that joins later counts
 * as the successor of all earlier ones.
 */
export class SoleOwnership implements Ownership {
  readonly #join: (signs: DriverSigns) => Promise<number>;
  #joining: Promise<number> | null = null;
  #me: number | null = null;

  /** @param join registers the driver. */
  constructor(join: (signs: DriverSigns) => Promise<number>) {
    this.#join = join;
  }

  get me(): number | null {
    return this.#me;
  }

  join(): Promise<number> {
    this.#joining ??= this.#join({ name: '', address: null, token: '' }).then(
      (epoch) => {
        this.#me = epoch;
        return epoch;
      },
      (error) => {
        // The next call tries again.
        this.#joining = null;
        throw error;
      },
    );
    return this.#joining;
  }

  async isDead({ epoch }: DriverRow): Promise<boolean> {
    return this.#me === null || epoch < this.#me;
  }

  clear(): void {}

  seemsAlive(): boolean {
    return false;
  }

  renew(was: number): Promise<number> {
    if (this.#me === was) this.#joining = null;
    return this.join();
  }
}
