import type { DetentError } from '../protocol/error.ts';
import type { Program } from '../store/program.ts';
import { noDriver, type RunRow } from '../store/rows.ts';
import type { KeyedQueue } from '../text/limiter.ts';
import type { EventBus } from './bus.ts';
import { type CommitOptions, type Delivery, deliver, Fenced, type HotRun, type Receipt } from './commit.ts';
import { fenced } from './errors.ts';
import type { Executor } from './executor.ts';
import type { HeldRuns } from './hot-runs.ts';
import { ask, type Store } from './statements.ts';

/**
 * Gives a run to a driver. Null if the run has ended.
 *
 * @throws DetentError `FENCED` when another driver claimed it first.
 */
export async function claim(store: Store, row: RunRow, me: number): Promise<RunRow | null> {
  const claimed = await store.commit(() => ask('claimRun', { pk: row.pk, seen: row.fence, me }));
  if (claimed > 0) return claimedBy(row, me);
  const now = await store.query('loadRun', { tenant: row.tenant, id: row.id });
  if (now?.ended === 0) throw fenced(row.id);
  return null;
}

/** The row of a run that a driver has just claimed. */
function claimedBy(row: RunRow, me: number): RunRow {
  return { ...row, driver: me, lastDriver: me, fence: row.fence + 1 };
}

/**
 * Has the driver watch the timers of a run that waits for people, and that an earlier driver left. The run stays nobody's.
 *
 * @returns false when another driver claimed it first.
 */
export function* watchOver({ pk, fence }: Pick<RunRow, 'pk' | 'fence'>, me: number): Program<boolean> {
  if ((yield* ask('claimRun', { pk, seen: fence, me })) === 0) return false;
  yield* ask('passRun', { pk, driver: noDriver });
  return true;
}

/** Moves a run that was at rest, as its driver. It stays nobody's if the event does not move it. @throws Fenced */
export function* deliverFromRest(
  hot: HotRun,
  me: number,
  delivery: Delivery,
  options: CommitOptions,
): Program<Receipt> {
  const { pk, fence } = hot.row;
  if ((yield* ask('claimRun', { pk, seen: fence, me })) === 0) throw new Fenced();
  const receipt = yield* deliver({ ...hot, row: claimedBy(hot.row, me) }, delivery, options);
  if (receipt.kind !== 'moved') yield* ask('passRun', { pk, driver: noDriver });
  return receipt;
}

/** Thrown inside a transaction to leave it: the run has another driver, which may be dead. */
export class Foreign extends Error {
  readonly row: RunRow;

  constructor(row: RunRow) {
    super(row.id);
    this.row = row;
  }
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
export class LostRuns {
  readonly #owned: Owned;

  constructor(owned: Owned) {
    this.#owned = owned;
  }

  /**
   * Aborts the effects of a run that another driver moves, and tells the run's watchers. This driver may take it again when
   * no other has it.
   *
   * @returns the `FENCED` error for the caller to throw or report.
   */
  lose(runId: string): DetentError {
    const { bus, held, executor } = this.#owned;
    const error = fenced(runId);
    if (held.isMoving(runId)) {
      held.letGo(runId);
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
        if (!mine || (now?.seq === mine.seq && now.fence === mine.fence && now.driver === mine.driver))
          return;
        report(this.lose(id), id);
      });
  }
}
