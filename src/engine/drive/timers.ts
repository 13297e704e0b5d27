import { messageOf } from '../../protocol/error.ts';
import { type DueTimer, isWatched, type RunRow, type TimersOf as Watched } from '../../store/rows.ts';
import { restore } from '../machine/decide.ts';
import type { MachineHost } from '../machine/machine-host.ts';
import type { Driver } from './driver.ts';

const batch = 100;
/** Milliseconds until a row that could not be read or fired is retried. */
const againMs = 1_000;

/** Fires the timer rows of the runs that a driver has or watches. */
export class Timers {
  readonly #driver: Driver;
  #checking: Promise<void> | null = null;
  /** A check was requested while another one ran, which may have read the rows before the request. */
  #again = false;
  /** Runs whose timers this program cannot fire. */
  readonly #unfit = new Set<number>();
  /** Why the last check failed. The same reason is reported once. */
  #trouble: string | null = null;

  constructor(driver: Driver) {
    this.#driver = driver;
    driver.alarm.onRing(() => void this.check());
  }

  /** Forgets whose timers this program cannot fire. */
  reconsider(): void {
    this.#unfit.clear();
  }

  /** Fires all due rows, and sets the timer for the next one. */
  check(): Promise<void> {
    this.#again = this.#checking !== null;
    this.#checking ??= this.#check()
      .catch((error) => {
        if (this.#driver.isStopped) return;
        if (messageOf(error) !== this.#trouble) this.#driver.options.report(error, '');
        this.#trouble = messageOf(error);
        this.#later();
      })
      .finally(() => {
        this.#checking = null;
        if (this.#again) void this.check();
      });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const watched = this.#watched();
    if (!watched) return;
    // The clock may have stepped.
    await this.#driver.skipLostTimes();
    const before = this.#driver.options.clock.now();
    let due: DueTimer[] = [];
    let fired = 0;
    do {
      if (this.#driver.isStopped) return;
      const last = due[0];
      due = await this.#list(watched, before, batch);
      // The same first row again: it could not be fired.
      if (isSame(due[0], last)) return this.#later();
      fired += due.length;
      // Those of several runs at once: their commits share a transaction.
      const ofRuns = Map.groupBy(due, ({ run }) => run);
      await Promise.all([...ofRuns.values()].map((timers) => this.#fire(timers)));
    } while (due.length > 0);
    // The alarm rang, and no row was due: another driver may have fired it.
    if (fired === 0) await this.#driver.findLost();
    const next = await this.#next(watched);
    this.#trouble = null;
    if (next !== null) this.#driver.alarm.expect(next);
  }

  /** Whose timers this driver fires; null while it drives nothing. */
  #watched(): Watched | null {
    const { me, sessions } = this.#driver;
    return me === null ? null : { me, allAtRest: sessions.areAll ? 1 : 0 };
  }

  /** Fires timers of one run, in their order. If this program must not move the run, its timers are left to others. */
  async #fire(timers: readonly DueTimer[]): Promise<void> {
    for (const timer of hasTies(timers) ? await this.#inOrder(timers) : timers) {
      const { tenant, runId, id, dueAt, event } = timer;
      const row = await this.#driver.options.store.query('loadRun', { tenant, id: runId });
      if (row && this.#driver.whyLeft(row)) this.#unfit.add(timer.run);
      else
        await this.#driver
          .at({ tenant, id: runId })
          .deliverFact({ event: { type: event }, timer: { id, dueAt } });
    }
  }

  /** Due timers of one run in the order in which they fire; as they come if this program cannot read the run. */
  async #inOrder(timers: readonly DueTimer[]): Promise<readonly DueTimer[]> {
    const { store, hosts } = this.#driver.options;
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

  /** The first timers of the runs that this driver watches, at least one if there is any. */
  async #list(watched: Watched, before: number, limit: number): Promise<DueTimer[]> {
    const { store } = this.#driver.options;
    const isFit = ({ run }: DueTimer) => !this.#unfit.has(run);
    const soonest = await store.query('listSoonestTimers', { before, limit: batch });
    const found = soonest.filter((timer) => isWatched(timer, watched) && isFit(timer)).slice(0, limit);
    if (found.length > 0 || soonest.length < batch) return found;
    // Those of others come before them, however many they are.
    const { me, allAtRest } = watched;
    const until = { me, before, limit: limit + this.#unfit.size };
    const rows =
      allAtRest === 1
        ? await store.query('listDueTimers', { ...until, allAtRest })
        : await store.query('listDueTimersOf', until);
    return rows.filter(isFit).slice(0, limit);
  }

  async #next(watched: Watched): Promise<number | null> {
    const [first] = await this.#list(watched, Number.MAX_SAFE_INTEGER, 1);
    return first?.dueAt ?? null;
  }

  #later(): void {
    const { alarm, options } = this.#driver;
    alarm.expect(options.clock.now() + againMs);
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
