/** The engine's source of time. Tests pass a fake one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `wake` once, at `at` or soon after. Returns the function that cancels it. The timer does not keep the process
   * alive.
   */
  wakeAt(at: number, wake: () => void): () => void;
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void;
}

/** setTimeout fires at once for a longer delay. */
const longestMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt(at, wake) {
    const timer: unknown = setTimeout(wake, Math.min(Math.max(0, at - Date.now()), longestMs));
    // Outside Node a timer is a number, which never keeps a process alive.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
    return () => clearTimeout(timer as number);
  },
  hold() {
    const timer = setInterval(() => {}, longestMs);
    return () => clearInterval(timer);
  },
};
