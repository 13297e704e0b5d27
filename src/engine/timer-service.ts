import type { Clock } from './clock.ts';
import type { Delivery } from './commit.ts';
import type { Out } from './statements.ts';
import type { Store } from './store.ts';

type Due = Out<'listDueTimers'>[number];

interface TimerHost {
  fire(due: Due, delivery: Omit<Delivery, 'at'>): Promise<void>;
  report(error: unknown): void;
}

const batch = 100;

/** Fires the timer rows of driven runs, with one timer in the process: the one of the soonest row. */
export class TimerService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #fence: number;
  readonly #host: TimerHost;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #checking: Promise<void> | null = null;
  #stopped = false;

  constructor(store: Store, clock: Clock, fence: number, host: TimerHost) {
    this.#store = store;
    this.#clock = clock;
    this.#fence = fence;
    this.#host = host;
  }

  /** A row was committed that is due at `at`. */
  expect(at: number): void {
    if (at >= this.#wakeAt || this.#stopped) return;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = this.#clock.wakeAt(at, () => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      void this.check();
    });
  }

  /** Fires all that is due and waits for the next row. */
  check(): Promise<void> {
    // A second check would find the same rows; their deletion makes the second firing stale, but why ask twice.
    this.#checking ??= this.#check()
      .catch((error) => this.#host.report(error))
      .finally(() => {
        this.#checking = null;
      });
    return this.#checking;
  }

  async #check(): Promise<void> {
    for (;;) {
      if (this.#stopped) return;
      const before = this.#clock.now();
      const due = await this.#store.query('listDueTimers', { fence: this.#fence, before, limit: batch });
      for (const timer of due) {
        const { id, dueAt, event } = timer;
        await this.#host.fire(timer, { event: { type: event }, timer: { id, dueAt } });
      }
      if (due.length < batch) break;
    }
    const next = await this.#store.query('nextTimer', { fence: this.#fence });
    if (next?.dueAt != null) this.expect(next.dueAt);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
