import { type AbandonedRun, noDriver, type RunRow } from '../../store/rows.ts';
import { isForeign } from '../ownership.ts';
import type { Driver } from './driver.ts';
import { whyLeft } from './fit.ts';

/** How long a run is left to the process that had it last. */
const precedenceMs = 250;
/** How many runs that want a driver are checked before other work gets a turn. */
const portion = 500;
// Read when the module loads, so that a test that fakes timers later does not stop it.
const { setImmediate } = globalThis;

/** Finds what other processes left in the database for this one. */
export class Lookout {
  readonly #driver: Driver;
  /** The newest driver that it knows of, alive or dead. */
  #newest = 0;
  /** Runs that this program must not move. */
  readonly #refused = new Set<number>();
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
    const { store, ownership } = this.#driver.options;
    const isLost = (await store.query('findDriver', { epoch: me }))?.endedAt !== null;
    if (isLost) {
      await ownership.renew(me);
      await this.#driver.runs.findLost();
    }
    const isChanged = await this.#attendOthers(isProbe);
    await this.#takeAbandoned(isProbe);
    if (isLost || isChanged) await this.#watchRunsAtRest();
    for (const head of await store.query('listOwnHeads', { driver: ownership.me ?? me }))
      this.#driver.begin(head);
    await this.#driver.timers.check();
  }

  /** Forgets which runs this program must not move, and whose timers it cannot fire. */
  reconsider(): void {
    this.#refused.clear();
    this.#driver.timers.reconsider();
  }

  /**
   * Takes the runs that want a driver. If many of them must be left to other engines, it checks all of them only with a
   * probe, and lets other work run in between.
   */
  async #takeAbandoned(isAll: boolean): Promise<void> {
    const { store } = this.#driver.options;
    for (let after = 0, isOver = false; !isOver; ) {
      const found = await store.query('listAbandonedRuns', { after, limit: portion });
      const wanted: RunRow[] = [];
      for (const run of found) wanted.push(...(await this.#ifWanted(run)));
      await this.#driver.takeAll(wanted);
      after = found.at(-1)?.pk ?? after;
      isOver = found.length < portion || (!isAll && wanted.length === 0);
      if (!isOver) await new Promise(setImmediate);
    }
  }

  /** The run, if this engine may take it. */
  async #ifWanted(run: AbandonedRun): Promise<RunRow[]> {
    const { options, sessions } = this.#driver;
    if (!sessions.covers(run.session) || this.#refused.has(run.pk) || this.#goesToLast(run)) return [];
    const row = await options.store.query('loadRun', { tenant: run.tenant, id: run.id });
    if (!row) return [];
    if (this.#driver.wants(row)) return [row];
    // The run is not checked again before `reconsider`: this program lacks something that the run needs.
    if (whyLeft(this.#driver.options, row)) this.#refused.add(row.pk);
    return [];
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

  /**
   * Whether the run is left to the process that had it last, which has its conversation in memory. The next look takes
   * the run if that process did not.
   */
  #goesToLast({ lastDriver, updatedAt }: AbandonedRun): boolean {
    const { clock, ownership } = this.#driver.options;
    if (!isForeign(lastDriver, ownership.me)) return false;
    // If the time of the row is in the future, the row was written before the clock was set back.
    return Math.abs(clock.now() - updatedAt) < precedenceMs && ownership.seemsAlive(lastDriver);
  }
}
