import type { TimerStatements } from '../store/statements/timers.ts';
import type { Clock } from './clock.ts';
import type { Delivery } from './commit.ts';
import type { Store } from './statements.ts';

type Due = TimerStatements['listDueTimers']['out'][number];

interface TimerHost {
  fire(due: Due, delivery: Omit<Delivery, 'at'>): Promise<void>;
  /** A timer woke this service, and no row was due. */
  nothingDue(): Promise<void>;
  report(error: unknown): void;
}

/** The fences of the runs that one driver has. */
interface Fences {
  from: number;
  below: number;
}

const batch = 100;
/** Milliseconds until a row that could not be read or fired is retried. */
const againMs = 1_000;

/** Fires the timer rows of driven runs. It sets one timer in the process, for the soonest row. */
export class TimerService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #fences: Fences;
  readonly #host: TimerHost;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #checking: Promise<void> | null = null;
  /** A check was requested while another one ran, which may have read the rows before the request. */
  #again = false;
  #stopped = false;

  constructor(store: Store, clock: Clock, fences: Fences, host: TimerHost) {
    this.#store = store;
    this.#clock = clock;
    this.#fences = fences;
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

  /** Fires all due rows, and sets the timer for the next one. */
  check(): Promise<void> {
    this.#again = this.#checking !== null;
    this.#checking ??= this.#check()
      .catch((error) => {
        if (this.#stopped) return;
        this.#host.report(error);
        this.#later();
      })
      .finally(() => {
        this.#checking = null;
        if (this.#again) void this.check();
      });
    return this.#checking;
  }

  async #check(): Promise<void> {
    const before = this.#clock.now();
    let due: Due[] = [];
    let fired = 0;
    do {
      if (this.#stopped) return;
      const last = due[0];
      due = await this.#store.query('listDueTimers', { ...this.#fences, before, limit: batch });
      // The same first row again: it could not be fired.
      if (isSame(due[0], last)) return this.#later();
      for (const timer of due) {
        const { id, dueAt, event } = timer;
        fired++;
        await this.#host.fire(timer, { event: { type: event }, timer: { id, dueAt } });
      }
    } while (due.length > 0);
    if (fired === 0) await this.#host.nothingDue();
    const next = await this.#store.query('nextTimer', this.#fences);
    if (next?.dueAt != null) this.expect(next.dueAt);
  }

  #later(): void {
    this.expect(this.#clock.now() + againMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}

function isSame(a: Due | undefined, b: Due | undefined): boolean {
  return a !== undefined && a.run === b?.run && a.id === b.id && a.dueAt === b.dueAt;
}
