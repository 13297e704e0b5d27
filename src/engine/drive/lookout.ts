import { noDriver } from '../../store/rows.ts';
import type { Driver } from './driver.ts';
import { whyLeft } from './fit.ts';

/** Finds what other processes left in the database for this one. */
export class Lookout {
  readonly #driver: Driver;
  /** The newest driver that it knows of, alive or dead. */
  #newest = 0;
  /** The other drivers at the last look. */
  #known: ReadonlySet<number> = new Set();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /**
   * Takes the runs that want a driver, starts own runs whose turn has come, and fires timers that are due.
   *
   * @param isProbe asks the other drivers for signs of life, too.
   */
  async look(me: number, isProbe: boolean): Promise<void> {
    const { store, ownership, dispatcher } = this.#driver.options;
    const isLost = (await store.query('findDriver', { epoch: me }))?.endedAt !== null;
    if (isLost) {
      await ownership.renew(me);
      await this.#driver.runs.findLost();
    }
    const isChanged = await this.#attendOthers(isProbe);
    // What another process did to a run may be why it came: then this one may move it.
    if (isChanged) this.reconsider();
    await dispatcher?.dispatch(this.#driver, isProbe);
    if (isLost || isChanged) await this.#watchRunsAtRest();
    for (const head of await store.query('listOwnHeads', { driver: ownership.me ?? me }))
      this.#driver.begin(head);
    await this.#driver.timers.check();
  }

  /** Forgets which runs this program must not move, and whose timers it cannot fire. */
  reconsider(): void {
    this.#driver.options.dispatcher?.reconsider();
    this.#driver.timers.reconsider();
  }

  /**
   * Attends new drivers at every look, and all drivers at a probe, because a connection may have been lost.
   *
   * @returns whether another driver has ended, or has joined, since the last look; it may have done both.
   */
  async #attendOthers(isProbe: boolean): Promise<boolean> {
    const { store, ownership, hints } = this.#driver.options;
    const living = isProbe ? await this.#driver.neighbours.alive() : await store.query('listDrivers', {});
    const others = living.map(({ epoch }) => epoch).filter((epoch) => epoch !== ownership.me);
    for (const epoch of others) if (isProbe || !this.#known.has(epoch)) hints?.attend(epoch);
    const isNew = await this.#isNewer(ownership.me ?? 0);
    const isChanged = isNew || [...this.#known].some((epoch) => !others.includes(epoch));
    this.#known = new Set(others);
    return isChanged;
  }

  /** Whether drivers have joined since the last look. */
  async #isNewer(me: number): Promise<boolean> {
    const known = Math.max(this.#newest, me);
    const newest = await this.#driver.options.store.query('newestDriver', {});
    this.#newest = Math.max(known, newest?.epoch ?? 0);
    return this.#newest > known;
  }

  /**
   * Watches the timers of runs that wait for people in the sessions that this engine drives, if their last driver has ended.
   * An engine that drives all sessions watches them anyway.
   */
  async #watchRunsAtRest(): Promise<void> {
    const driver = this.#driver;
    for (const session of driver.sessions.keys()) {
      const head = await driver.options.store.query('laneHead', { session });
      if (head?.driver !== noDriver || head.lastDriver === driver.me || whyLeft(driver.options, head))
        continue;
      await driver.takeAll([head]);
    }
  }
}
