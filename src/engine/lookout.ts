import type { RunRow } from '../store/rows.ts';
import type { LostRuns } from './claim.ts';
import type { EngineOptions } from './engine-options.ts';
import { isForeign, type Neighbours } from './ownership.ts';
import type { TakeOver } from './take-over.ts';
import type { TimerService } from './timer-service.ts';

/** How long a run waits for the process that had it last. */
const precedenceMs = 250;

interface LookoutOptions extends Pick<EngineOptions, 'store' | 'ownership' | 'clock' | 'dispatcher'> {
  lost: LostRuns;
  neighbours: Neighbours;
  timers: TimerService;
  takeOver: TakeOver;
  /** Whether this engine takes such a run when no driver has it. */
  wants(row: RunRow): boolean;
  report(error: unknown, runId: string): void;
}

/** Finds what other processes left in the database for this one. */
export class Lookout {
  readonly #options: LookoutOptions;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /**
   * Takes the runs that want a driver, starts own runs whose turn has come, and fires timers that are due.
   *
   * @param isProbe asks the other drivers for signs of life, too.
   */
  async look(me: number, isProbe: boolean): Promise<void> {
    const { store, ownership, dispatcher, lost, neighbours, timers, takeOver, report } = this.#options;
    if ((await store.query('findDriver', { epoch: me }))?.endedAt !== null) {
      await ownership.renew(me);
      await lost.findLost();
    }
    if (isProbe) await neighbours.alive();
    for (const row of await store.query('listAbandonedRuns', {}))
      if (this.#options.wants(row) && !this.#goesToLast(row))
        await takeOver.take(row).catch((error) => report(error, row.id));
    for (const { tenant, id, session } of await store.query('listOwnHeads', { driver: ownership.me ?? me }))
      dispatcher.wake({ tenant, runId: id, session });
    await timers.check();
  }

  /** Whether the process that had the run goes first: it knows the conversation. The next look takes what it leaves. */
  #goesToLast({ lastDriver, updatedAt }: RunRow): boolean {
    const { clock, ownership } = this.#options;
    if (!isForeign(lastDriver, ownership.me)) return false;
    return clock.now() - updatedAt < precedenceMs && ownership.seemsAlive(lastDriver);
  }
}
