import type { RunRow } from '../store/rows.ts';
import type { EngineOptions } from './engine-options.ts';
import { isForeign, type Neighbours } from './ownership.ts';
import type { TakeOver } from './take-over.ts';

/** A run whose turn in its lane has come. */
interface Ticket {
  tenant: number;
  runId: string;
  session: number;
}

interface LanesOptions extends Pick<EngineOptions, 'store' | 'ownership' | 'wake'> {
  neighbours: Neighbours;
  takeOver: TakeOver;
  covers(session: number): boolean;
  isStopped(): boolean;
  /** Sends a run that this engine has the event that starts it. */
  start(row: RunRow): Promise<unknown>;
  report(error: unknown, runId: string): void;
}

/** The queues of sessions: the end of a run lets the next one start, wherever that is driven. */
export class Lanes {
  readonly #options: LanesOptions;
  /** Runs that are being started. */
  readonly #starting = new Set<Promise<void>>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** After the end of a run: wakes the run behind it, or the other driver that has that. */
  async free({ session, tenant }: RunRow): Promise<void> {
    const { store, ownership, wake, covers, isStopped, report } = this.#options;
    if (isStopped()) return;
    try {
      const next = await store.query('laneHead', { session });
      if (next && isForeign(next.driver, ownership.me)) wake?.(next.driver);
      else if (next && covers(session)) this.begin({ tenant, runId: next.id, session });
    } catch (error) {
      report(error, '');
    }
  }

  /** Starts a run that may be at the head of its lane, after the commit that has put it there. */
  begin(ticket: Ticket): void {
    const started: Promise<void> = this.#begin(ticket).finally(() => this.#starting.delete(started));
    this.#starting.add(started);
  }

  /** Waits for the starts in progress. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#starting);
  }

  async #begin({ tenant, runId, session }: Ticket): Promise<void> {
    const { store, ownership, neighbours, takeOver, isStopped, start, report } = this.#options;
    if (isStopped()) return;
    try {
      const row = await store.query('loadRun', { tenant, id: runId });
      if (!row || row.ended) return;
      const head = await store.query('laneHead', { session });
      if (head?.id !== runId) return;
      if (row.driver !== null && row.driver === ownership.me) await start(row);
      else if (!(await neighbours.areDriving(row))) await takeOver.take(row);
    } catch (error) {
      report(error, runId);
    }
  }
}
