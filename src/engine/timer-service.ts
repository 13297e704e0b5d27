import { messageOf } from '../protocol/error.ts';
import { type DueTimer, isWatched, type TimersOf as Watched } from '../store/rows.ts';
import type { Clock } from './clock.ts';
import type { Delivery } from './commit.ts';
import type { Store } from './statements.ts';
import { hasTies } from './timer-order.ts';

interface TimerHost {
  /** Resolves with false if this program must not move the run: its timers are left to others. */
  fire(due: DueTimer, delivery: Omit<Delivery, 'at'>): Promise<boolean>;
  /** Timers of one run, of which several are due at the same moment, in the order in which they fire. */
  inOrder(timers: readonly DueTimer[]): Promise<readonly DueTimer[]>;
  /** Before due rows are looked for: the clock may have stepped. */
  looks(): Promise<void>;
  /** A timer woke this service, and no row was due. */
  nothingDue(): Promise<void>;
  report(error: unknown): void;
}

const batch = 100;
/** Milliseconds until a row that could not be read or fired is retried. */
const againMs = 1_000;

/** Fires the timer rows of the runs that this driver has or watches. It sets one timer in the process, for the soonest row. */
export class TimerService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #watched: () => Watched | null;
  readonly #host: TimerHost;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #checking: Promise<void> | null = null;
  /** A check was requested while another one ran, which may have read the rows before the request. */
  #again = false;
  /** Runs whose timers this program cannot fire. */
  readonly #unfit = new Set<number>();
  /** Why the last check failed. The same reason is reported once. */
  #trouble: string | null = null;
  #stopped = false;

  /** @param watched null while this process drives nothing */
  constructor(store: Store, clock: Clock, watched: () => Watched | null, host: TimerHost) {
    this.#store = store;
    this.#clock = clock;
    this.#watched = watched;
    this.#host = host;
  }

  /** Sets the timer for a committed row that is due at `at`. */
  expect(at: number): void {
    if (at >= this.#wakeAt || this.#stopped) return;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = this.#clock.wakeAt(at, () => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      void this.check();
    });
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
        if (this.#stopped) return;
        if (messageOf(error) !== this.#trouble) this.#host.report(error);
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
    await this.#host.looks();
    const before = this.#clock.now();
    let due: DueTimer[] = [];
    let fired = 0;
    do {
      if (this.#stopped) return;
      const last = due[0];
      due = await this.#list(watched, before, batch);
      // The same first row again: it could not be fired.
      if (isSame(due[0], last)) return this.#later();
      fired += due.length;
      // Those of several runs at once: their commits share a transaction.
      const ofRuns = Map.groupBy(due, ({ run }) => run);
      await Promise.all([...ofRuns.values()].map((timers) => this.#fire(timers)));
    } while (due.length > 0);
    if (fired === 0) await this.#host.nothingDue();
    const next = await this.#next(watched);
    this.#trouble = null;
    if (next !== null) this.expect(next);
  }

  /** Fires timers of one run, in their order. */
  async #fire(timers: readonly DueTimer[]): Promise<void> {
    for (const timer of hasTies(timers) ? await this.#host.inOrder(timers) : timers) {
      const { id, dueAt, event } = timer;
      const isFit = await this.#host.fire(timer, { event: { type: event }, timer: { id, dueAt } });
      if (!isFit) this.#unfit.add(timer.run);
    }
  }

  /** The first timers of the runs that this driver watches, at least one if there is any. */
  async #list(watched: Watched, before: number, limit: number): Promise<DueTimer[]> {
    const isFit = ({ run }: DueTimer) => !this.#unfit.has(run);
    const soonest = await this.#store.query('listSoonestTimers', { before, limit: batch });
    const found = soonest.filter((timer) => isWatched(timer, watched) && isFit(timer)).slice(0, limit);
    if (found.length > 0 || soonest.length < batch) return found;
    // Those of others come before them, however many they are.
    const { me, allAtRest } = watched;
    const until = { me, before, limit: limit + this.#unfit.size };
    const rows =
      allAtRest === 1
        ? await this.#store.query('listDueTimers', { ...until, allAtRest })
        : await this.#store.query('listDueTimersOf', until);
    return rows.filter(isFit).slice(0, limit);
  }

  async #next(watched: Watched): Promise<number | null> {
    const [first] = await this.#list(watched, Number.MAX_SAFE_INTEGER, 1);
    return first?.dueAt ?? null;
  }

  #later(): void {
    this.expect(this.#clock.now() + againMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}

function isSame(a: DueTimer | undefined, b: DueTimer | undefined): boolean {
  return a !== undefined && a.run === b?.run && a.id === b.id && a.dueAt === b.dueAt;
}
