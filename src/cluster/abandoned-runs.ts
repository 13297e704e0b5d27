import type { Dispatcher, Seeker } from '../engine/engine.ts';
import { isForeign } from '../engine/ownership.ts';
import type { AbandonedRun, RunRow } from '../store/rows.ts';
import type { StatementsOf } from '../store/statements.ts';
import type { Store } from '../store/store.ts';
import { breath } from '../text/limiter.ts';

/** How long a run is left to the process that had it last. */
const precedenceMs = 250;
/** How many runs that want a driver are checked before other work gets a turn. */
const portion = 500;

/** Each process takes all runs that want a driver and that it may move. The first one to claim a run has it. */
export class AbandonedRuns implements Dispatcher {
  readonly #store: Store<StatementsOf<'runs'>>;
  /** Runs that this program must not move, until `reconsider`. */
  readonly refused = new Set<number>();

  constructor(store: Store<StatementsOf<'runs'>>) {
    this.#store = store;
  }

  /** If many of them must be left to other engines, it checks all of them only with a probe, and lets other work run in between. */
  async dispatch(driver: Seeker, isProbe: boolean): Promise<void> {
    for (let after = 0, isOver = false; !isOver; ) {
      const found = await this.#store.query('listAbandonedRuns', { after, limit: portion });
      const wanted: RunRow[] = [];
      for (const run of found) wanted.push(...(await this.#ifWanted(driver, run)));
      await driver.takeAll(wanted);
      after = found.at(-1)?.pk ?? after;
      isOver = found.length < portion || (!isProbe && wanted.length === 0);
      if (!isOver) await breath();
    }
  }

  reconsider(): void {
    this.refused.clear();
  }

  /** The run, if the driver may take it. */
  async #ifWanted(driver: Seeker, run: AbandonedRun): Promise<RunRow[]> {
    if (!driver.sessions.covers(run.session) || this.refused.has(run.pk) || goesToLast(driver, run))
      return [];
    const row = await this.#store.query('loadRun', { tenant: run.tenant, id: run.id });
    if (!row) return [];
    if (driver.wants(row)) return [row];
    // With a driver the engine is loaded, and without one nothing comes here.
    const { whyLeft } = await import('../engine/engine.ts');
    // The run is not checked again before `reconsider`: this program lacks something that the run needs.
    if (whyLeft(driver.options, row)) this.refused.add(row.pk);
    return [];
  }
}

/**
 * Whether the run is left to the process that had it last, which has its conversation in memory. The next look takes
 * the run if that process did not.
 */
function goesToLast({ options }: Seeker, { lastDriver, updatedAt }: AbandonedRun): boolean {
  const { clock, ownership } = options;
  if (!isForeign(lastDriver, ownership.me)) return false;
  // If the time of the row is in the future, the row was written before the clock was set back.
  return Math.abs(clock.now() - updatedAt) < precedenceMs && ownership.seemsAlive(lastDriver);
}
