import { noDriver } from '../../store/rows.ts';
import { ask } from '../commit/statements.ts';
import type { Driver } from './driver.ts';
import { whyLeft } from './fit.ts';

/** How often it is looked whether a run of this driver was dropped. */
const sweepMs = 15_000;

/** Finds what other processes left in the database for this one. */
export class Lookout {
  readonly #driver: Driver;
  /** The newest driver that it knows of, alive or dead. */
  #newest = 0;
  /** The other drivers at the last look. */
  #known: ReadonlySet<number> = new Set();
  /** The epoch of this driver at the last look. */
  #me: number | null = null;
  #sweptAt = 0;
  /** The runs that this driver had at the last sweep and did not move, as they were then. */
  #idle: ReadonlySet<string> = new Set();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /**
   * Takes the runs that want a driver, starts own runs whose turn has come, and fires timers that are due. Does nothing in a process
   * that drives nothing.
   *
   * @param was the epoch of this driver; null where it has none, as it could not join again when it was last declared dead
   * @param isProbe asks the other drivers for signs of life, too.
   */
  async look(was: number | null, isProbe: boolean): Promise<void> {
    const { sessions, options } = this.#driver;
    const { store, ownership, dispatcher } = options;
    if (was === null && !sessions.areAll && sessions.keys().length === 0) return;
    const isLost = was === null || (await store.query('findDriver', { epoch: was }))?.endedAt !== null;
    const me = isLost ? await (was === null ? ownership.join() : ownership.renew(was)) : was;
    if (isLost) await this.#driver.runs.findLost();
    if (me !== this.#me) await this.#leaveRunsOf(this.#me);
    this.#me = me;
    const isChanged = await this.#attendOthers(isProbe);
    // What another process did to a run may be why it came: then this one may move it.
    if (isChanged) this.reconsider();
    await dispatcher?.dispatch(this.#driver, isProbe);
    if (isLost || isChanged) await this.#watchRunsAtRest();
    for (const head of await store.query('listOwnHeads', { driver: ownership.me ?? me }))
      this.#driver.begin(head);
    await this.#takeDropped(ownership.me ?? me);
    await this.#driver.timers.check();
  }

  /** Whoever only wrote down that this driver had ended left it its runs. */
  async #leaveRunsOf(was: number | null): Promise<void> {
    if (was !== null) await this.#driver.options.store.commit(() => ask('abandonRunsOf', { driver: was }));
  }

  /**
   * Takes runs over that this driver has and does not move, at two sweeps: the outcome of a commit that moved or claimed them never came to
   * be known here. Only a server can leave that open.
   */
  async #takeDropped(me: number): Promise<void> {
    const { store, clock } = this.#driver.options;
    if (!store.checkThere || Math.abs(clock.now() - this.#sweptAt) < sweepMs) return;
    this.#sweptAt = clock.now();
    const { runs, sessions } = this.#driver;
    const begun = await store.query('listBegunRunsOf', { driver: me });
    const idle = begun.filter((row) => {
      const run = runs.find(row);
      return sessions.covers(row.session) && !(run?.hot || run?.isStalled || run?.isBusy);
    });
    const stateOf = ({ pk, seq, fence }: (typeof idle)[number]) => `${pk} ${seq} ${fence}`;
    const dropped = idle.filter((row) => this.#idle.has(stateOf(row)));
    this.#idle = new Set(idle.map(stateOf));
    for (const row of dropped) runs.find(row)?.letGo();
    await this.#driver.takeAll(dropped);
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
