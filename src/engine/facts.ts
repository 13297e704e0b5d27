import type { RunRow } from '../store/rows.ts';
import type { DueTimer } from '../store/statements/timers.ts';
import type { Delivery } from './commit.ts';
import { noteDriverError } from './driver-error.ts';
import type { EngineOptions } from './engine-options.ts';
import { isFenced } from './errors.ts';
import type { HeldRuns } from './hot-runs.ts';
import { persist } from './persist.ts';
import { inChartOrder } from './timer-order.ts';

interface FactsOptions extends EngineOptions {
  held: HeldRuns;
  whyRefused(row: RunRow): Error | null;
  isStopped(): boolean;
  /** Delivers an event in the turn of its run. */
  send(tenant: number, runId: string, delivery: Omit<Delivery, 'at'>): Promise<unknown>;
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
    const { clock, held, isStopped, send } = this.#options;
    try {
      await persist(clock, () => send(tenant, runId, delivery), isStopped);
    } catch (error) {
      // Several processes watch the timers of a run at rest: another one was faster.
      const isLate = delivery.timer && isFenced(error);
      if (!isLate || held.isMoving(runId)) this.#stall(runId, delivery, error);
    }
  }

  /** Gives a fact up. Its effect stays open, and the next driver of the run recovers it. A timer's row stays, too. */
  #stall(runId: string, { timer }: Omit<Delivery, 'at'>, error: unknown): void {
    const { held, ownership, report, bus } = this.#options;
    if (!timer) {
      if (!isFenced(error)) held.stall(runId);
      void noteDriverError({ ...this.#options, epoch: ownership.me ?? 0 }, runId, error);
    }
    report(error, runId);
    // The watchers of a lost run know it already.
    if (!isFenced(error)) bus.notify({ runId, type: 'stalled', error });
  }
}
