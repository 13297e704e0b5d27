import type { DetentError } from '../protocol/error.ts';
import type { RunRow } from '../store/rows.ts';
import type { KeyedQueue } from '../text/keyed-queue.ts';
import type { EventBus } from './bus.ts';
import { fenced } from './errors.ts';
import type { Executor } from './executor.ts';
import type { HeldRuns } from './hot-runs.ts';
import { ask, type Store } from './statements.ts';

/**
 * Writes a driver's fence into a run's row. False if the run has ended.
 *
 * @throws DetentError `FENCED` when another driver claimed it first.
 */
export async function claim(store: Store, { pk, tenant, id }: RunRow, fence: number): Promise<boolean> {
  const claimed = await store.commit(() => ask('claimRun', { pk, fence }));
  if (claimed > 0) return true;
  const row = await store.query('loadRun', { tenant, id });
  if (row?.ended === 0) throw fenced(id);
  return false;
}

interface Owned {
  store: Store;
  bus: EventBus;
  held: HeldRuns;
  executor: Executor;
  /** Serialises the events of one run. */
  queue: KeyedQueue;
  report(error: unknown, runId: string): void;
}

/** Ends an engine's work on runs that it has lost to another driver. */
export class Ownership {
  readonly #owned: Owned;

  constructor(owned: Owned) {
    this.#owned = owned;
  }

  /**
   * Aborts the effects of a run that another driver moves, and tells the run's watchers. The run stands still here until
   * this driver takes it again.
   *
   * @returns the `FENCED` error for the caller to throw or report.
   */
  lose(runId: string): DetentError {
    const { bus, held, executor } = this.#owned;
    const error = fenced(runId);
    if (held.isMoving(runId)) {
      held.stall(runId);
      bus.notify({ runId, type: 'stalled', error });
    }
    executor.abortRun(runId);
    return error;
  }

  /**
   * Loses the runs that another driver has moved. While an effect hangs, a timer row that has gone may be the only sign
   * of that.
   */
  async findLost(): Promise<void> {
    const { store, held, queue, report } = this.#owned;
    for (const { id, tenant } of held.rows())
      await queue.enqueue(id, async () => {
        const mine = held.get(id)?.row;
        const now = mine && (await store.query('loadRun', { tenant, id }));
        if (!mine || (now?.seq === mine.seq && now.fence === mine.fence)) return;
        report(this.lose(id), id);
      });
  }
}
