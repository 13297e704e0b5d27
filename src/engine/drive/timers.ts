import { messageOf } from '../../protocol/error.ts';
import { type DueTimer, isWatched, type RunRow, type TimersOf as Watched } from '../../store/rows.ts';
import { Rounds } from '../../text/limiter.ts';
import { isFenced } from '../commit/errors.ts';
import { restore } from '../machine/decide.ts';
import type { MachineHost } from '../machine/machine-host.ts';
import type { DrivenSessions } from './driven-sessions.ts';
import type { EngineOptions } from './engine-options.ts';
import { whyLeft } from './fit.ts';
import { factPausesMs } from './pauses.ts';
import type { RunsAtHand } from './runs-at-hand.ts';

const batch = 100;
/** Milliseconds until a row that could not be read or fired is retried. */
export const againMs = 1_000;

/** What timers look at of their driver. */
interface TimersParts {
  runs: RunsAtHand;
  sessions: DrivenSessions;
  /** Aborted when the driver stops. */
  stopped: AbortSignal;
}

/** Fires the timer rows of the runs that a driver has or watches. One timer of the process serves the soonest row. */
export class Timers {
  readonly #options: EngineOptions;
  readonly #parts: TimersParts;
  readonly #checks = new Rounds();
  /** When the timer of the process rings, and what cancels it. */
  #at = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  /** Runs whose timers this program cannot fire. */
  readonly #unfit = new Set<number>();
  /** Why the last check failed. The same reason is reported once. */
  #trouble: string | null = null;

  constructor(options: EngineOptions, parts: TimersParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Forgets whose timers this program cannot fire. */
  reconsider(): void {
    this.#unfit.clear();
  }

  /** Checks at `at` at the latest, in milliseconds since the epoch. */
  expect(at: number): void {
    if (at >= this.#at || this.#parts.stopped.aborted) return;
    this.#cancel();
    this.#at = at;
    this.#cancel = this.#options.clock.wakeAt(at, this.check);
  }

  stop(): void {
    this.#cancel();
  }

  /** Fires all due rows, and expects the next one. */
  readonly check = (): Promise<void> => {
    this.#cancel();
    this.#at = Number.POSITIVE_INFINITY;
    return this.#checks.ask(async () => {
      try {
        // The clock may have stepped.
        await this.#parts.runs.skipLostTimes();
        const before = this.#options.clock.now();
        const watched = await this.watched(before);
        if (!watched) return;
        let due = await this.#list(watched, before, batch);
        // The timer rang, and no row was due: another driver may have fired it.
        if (due.length === 0) await this.#parts.runs.findLost();
        for (let last: DueTimer | undefined; due.length > 0; due = await this.#list(watched, before, batch)) {
          // The same first row again: it could not be fired.
          if (isSame(due[0], last)) return this.#later();
          [last] = due;
          // Those of several runs at once: their commits share a transaction.
          const ofRuns = Map.groupBy(due, ({ run }) => run);
          await Promise.all([...ofRuns.values()].map((timers) => this.#fire(timers)));
          if (this.#parts.stopped.aborted) return;
        }
        const next = await this.next(watched);
        this.#trouble = null;
        if (next !== null) this.expect(next);
      } catch (error) {
        if (this.#parts.stopped.aborted) return;
        if (messageOf(error) !== this.#trouble) this.#options.report(error, '');
        this.#trouble = messageOf(error);
        this.#later();
      }
    });
  };

  /** Fires timers of one run. If that fails, their rows stay, and are fired again. */
  async #fire(timers: readonly DueTimer[]): Promise<void> {
    for (const { tenant, runId, id, dueAt, event } of await this.#inOrder(timers)) {
      if (this.#parts.stopped.aborted) return;
      const run = this.#parts.runs.at({ tenant, id: runId });
      try {
        await run.send({ event: { type: event }, timer: { id, dueAt } }, factPausesMs);
      } catch (error) {
        // Several processes watch the timers of a run at rest.
        if (!isFenced(error) && !this.#parts.stopped.aborted) run.report(error);
      }
    }
  }

  /** Whose timers that are due by `before` this driver fires; null while it drives nothing. */
  protected async watched(_before: number): Promise<Watched | null> {
    const { me } = this.#options.ownership;
    return me === null ? null : { me, last: me, allAtRest: this.#parts.sessions.areAll ? 1 : 0 };
  }

  /**
   * Due timers of one run in the order in which they fire; as they come if this program cannot read the run. None if it must not
   * move the run: they are left to others.
   */
  async #inOrder(timers: readonly DueTimer[]): Promise<readonly DueTimer[]> {
    const { store, hosts } = this.#options;
    const [{ tenant, runId, run } = { tenant: 0, runId: '', run: 0 }] = timers;
    const row = await store.query('loadRun', { tenant, id: runId });
    if (!row) return timers;
    if (whyLeft(this.#options, row)) {
      this.#unfit.add(run);
      return [];
    }
    const host = hasTies(timers) ? hosts.find(row.machine, row.version) : null;
    try {
      return host?.timersOf ? inChartOrder(timers, host, row) : timers;
    } catch {
      // To fire one says what is wrong with the row.
      return timers;
    }
  }

  /** The first timers of the runs that this driver watches, at least one if there is any. */
  async #list(watched: Watched, before: number, limit: number): Promise<DueTimer[]> {
    const { store } = this.#options;
    const isFit = ({ run }: DueTimer) => !this.#unfit.has(run);
    const soonest = await store.query('listSoonestTimers', { before, limit: batch });
    const found = soonest.filter((timer) => isWatched(timer, watched) && isFit(timer)).slice(0, limit);
    if (found.length > 0 || soonest.length < batch) return found;
    // Those of others come before them, however many they are.
    const { me, last, allAtRest } = watched;
    const until = { me, last, before, limit: limit + this.#unfit.size };
    const rows =
      allAtRest === 1
        ? await store.query('listDueTimers', { ...until, allAtRest })
        : await store.query('listDueTimersOf', until);
    return rows.filter(isFit).slice(0, limit);
  }

  /** When the next look is due. */
  protected async next(watched: Watched): Promise<number | null> {
    const [first] = await this.#list(watched, Number.MAX_SAFE_INTEGER, 1);
    return first?.dueAt ?? null;
  }

  #later(): void {
    this.expect(this.#options.clock.now() + againMs);
  }
}

function isSame(a: DueTimer | undefined, b: DueTimer | undefined): boolean {
  return a !== undefined && a.run === b?.run && a.id === b.id && a.dueAt === b.dueAt;
}

/**
 * Timers of one run, soonest first; those of the same millisecond in the order in which the chart's states name them, in
 * which a live actor would have set them. The rows alone would give the order of their ids.
 *
 * @throws DetentError `MIGRATION_NEEDED` for a row that the chart cannot read
 */
function inChartOrder(timers: readonly DueTimer[], host: MachineHost, row: RunRow): DueTimer[] {
  const named = [...(host.timersOf?.(restore(host, row)).cleared ?? [])];
  // Others come last, in their old order.
  const place = new Map(named.map((id, i) => [id, i - named.length]));
  return timers.toSorted((a, b) => a.dueAt - b.dueAt || (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}

/** Whether two of these timers, soonest first, are due at the same moment. */
function hasTies(timers: readonly DueTimer[]): boolean {
  return timers.some(({ dueAt }, i) => timers[i - 1]?.dueAt === dueAt);
}
