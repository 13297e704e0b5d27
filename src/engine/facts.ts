import { DetentError, messageOf } from '../protocol/error.ts';
import type { DriverError, DueTimer, RunRow } from '../store/rows.ts';
import type { KeyedQueue } from '../text/limiter.ts';
import type { Clock } from './clock.ts';
import type { Delivery, Receipt } from './commit.ts';
import type { EngineOptions } from './engine-options.ts';
import { isFenced } from './errors.ts';
import type { HeldRuns, Stall } from './hot-runs.ts';
import { isRetryable, pause, persist } from './persist.ts';
import { ask, type Store } from './statements.ts';
import { inChartOrder } from './timer-order.ts';

interface FactsOptions extends EngineOptions {
  held: HeldRuns;
  whyRefused(row: RunRow): Error | null;
  isStopped(): boolean;
  /** Serialises the events of one run. */
  queue: KeyedQueue;
  /** Delivers an event at once. */
  commit(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<Receipt>;
}

/** Delivers what effects and timers say. It has no caller who could try again, so it does that itself. */
export class Facts {
  readonly #options: FactsOptions;

  constructor(options: FactsOptions) {
    this.#options = options;
  }

  /** Resolves with false if this program must not move the run. */
  async fire(due: { tenant: number; runId: string }, delivery: Omit<Delivery, 'at'>): Promise<boolean> {
    const { store, hosts, whyRefused } = this.#options;
    const row = await store.query('loadRun', { tenant: due.tenant, id: due.runId });
    try {
      if (row) hosts.migrationPathOf(row);
    } catch {
      return false;
    }
    if (row && whyRefused(row)) return false;
    await this.deliver(due.tenant, due.runId, delivery);
    return true;
  }

  /** Due timers of one run in the order in which they fire; as they come if this program cannot read the run. */
  async inOrder(timers: readonly DueTimer[]): Promise<readonly DueTimer[]> {
    const { store, hosts } = this.#options;
    const [{ tenant, runId } = { tenant: 0, runId: '' }] = timers;
    const row = await store.query('loadRun', { tenant, id: runId });
    const host = row && hosts.find(row.machine, row.version);
    try {
      return row && host?.timersOf ? inChartOrder(timers, host, row) : timers;
    } catch {
      // To fire one says what is wrong with the row.
      return timers;
    }
  }

  async deliver(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<void> {
    const { clock, held, queue, commit, isStopped } = this.#options;
    let wasMoving = false;
    const inTurn = () =>
      queue.enqueue(runId, () => {
        wasMoving = held.isMoving(runId);
        return commit(tenant, runId, delivery);
      });
    try {
      await persist(clock, inTurn, isStopped);
    } catch (error) {
      // Nobody took the run away: several processes watch the timers of one at rest, and work that a run has stopped may end
      // when it was passed on already.
      if (isFenced(error) && (delivery.timer || !wasMoving)) return;
      this.#tell(runId, error);
      // The row of a timer stays, and is fired again.
      if (delivery.timer || isFenced(error)) return;
      const stall = held.stall(runId);
      void noteDriverError({ ...this.#options, epoch: this.#options.ownership.me ?? 0 }, runId, error);
      if (isRetryable(error)) await this.#deliverLater(tenant, runId, delivery, stall);
    }
  }

  /** Keeps a fact until the database takes it. If it never does, the next driver of the run recovers the effect. */
  async #deliverLater(
    tenant: number,
    runId: string,
    delivery: Omit<Delivery, 'at'>,
    found: Stall,
  ): Promise<void> {
    const { clock, held, queue, commit, isStopped } = this.#options;
    for (let stall = found; ; ) {
      await pause(clock);
      if (isStopped() || stall.isOver) return;
      held.tryAgain(runId);
      try {
        const { kind } = await queue.enqueue(runId, () => commit(tenant, runId, delivery));
        if (kind !== 'moved' && !held.get(runId)) held.letGo(runId);
        return;
      } catch (error) {
        if (isFenced(error)) return;
        stall = held.stall(runId);
        if (isRetryable(error)) continue;
        this.#tell(runId, error);
        return;
      }
    }
  }

  #tell(runId: string, error: unknown): void {
    this.#options.report(error, runId);
    // The watchers of a lost run know it already.
    if (!isFenced(error)) this.#options.bus.notify({ runId, type: 'stalled', error });
  }
}

interface Driver {
  store: Store;
  clock: Clock;
  epoch: number;
  redact(text: string): string;
}

/**
 * Stores why a driver gave a run up, so that `detent runs why` can tell later. It updates a row in place and needs no
 * new page, so it may succeed on a full disk where storing the fact failed.
 */
async function noteDriverError(
  { store, clock, epoch, redact }: Driver,
  runId: string,
  error: unknown,
): Promise<void> {
  const code = DetentError.is(error) ? error.code : 'INTERNAL';
  const body: DriverError = { runId, at: clock.now(), code, message: messageOf(error) };
  try {
    await store.commit(() => ask('noteDriverError', { epoch, error: redact(JSON.stringify(body)) }));
  } catch {
    // The engine has reported the error itself already.
  }
}
