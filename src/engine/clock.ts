/** The engine's source of time. Tests pass a fake one. */
export interface Clock {
  /** Milliseconds since the epoch: what is on record. It steps when the clock of the machine is set. */
  now(): number;
  /**
   * Milliseconds in which this process could work: for rates, pauses and time-outs. Never steps, and stands still while the
   * machine sleeps. Default: as `now`.
   */
  worked?(): number;
  /**
   * Calls `wake` once: at `at` or soon after, or as soon as the clock was found to have stepped. Returns the function that
   * cancels it. The timer does not keep the process alive.
   */
  wakeAt(at: number, wake: () => void): () => void;
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void;
}

/** See `Clock.worked`. */
export function workedMs(clock: Pick<Clock, 'now' | 'worked'>): number {
  return clock.worked?.() ?? clock.now();
}

/** A larger difference means that the clock was set or the machine slept; clock drift and a busy event loop stay below it. */
export const stepMs = 5_000;

/** `setTimeout` fires at once when its delay is longer. */
const longestMs = 2 ** 31 - 1;
/** How often a sleeper looks whether the clock has stepped. */
const lookEveryMs = 10_000;
/** After a longer time without a look the process was not running. */
const longestWorkMs = 3 * lookEveryMs;

/**
 * Time in which the process ran. The monotonic clock alone does not say so: on macOS and Windows it counts while the machine
 * sleeps, on Linux it does not (`uv_hrtime` of libuv), and nowhere does it stand still for a stopped process.
 */
class WorkedTime {
  #sum = 0;
  #last = performance.now();
  #looks: unknown = null;

  now(): number {
    this.#looks ??= unheld(setInterval(() => this.now(), lookEveryMs));
    const now = performance.now();
    const lapse = now - this.#last;
    this.#last = now;
    if (lapse <= longestWorkMs) this.#sum += lapse;
    return this.#sum;
  }
}

const worked = new WorkedTime();

/** A clock of this process by what says the time. */
export const clockBy = (now: () => number): Clock => ({
  now,
  worked: () => worked.now(),
  wakeAt(at, wake) {
    const ahead = now() - performance.now();
    const look = () => {
      const stepped = Math.abs(now() - performance.now() - ahead);
      if (at <= now() || stepped > stepMs) wake();
      else timer = sleep();
    };
    // In short sleeps: a timer may not count time in which the machine sleeps, so one long timer would fire late.
    const sleep = () => unheld(setTimeout(look, Math.min(Math.max(0, at - now()), lookEveryMs)));
    let timer: unknown = sleep();
    return () => clearTimeout(timer as number);
  },
  hold() {
    const timer = setInterval(() => {}, longestMs);
    return () => clearInterval(timer);
  },
});

export const systemClock: Clock = clockBy(() => Date.now());

/** A timer that keeps no process alive. Outside Node a timer is a number, which never does. */
function unheld(timer: unknown): unknown {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
  return timer;
}
