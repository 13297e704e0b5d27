/** Time as the engine knows it; tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` once, at `at` or soon after; returns how to take it back. Holds no process that has nothing else to do. */
  wakeAt(at: number, wake: () => void): () => void;
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void;
}

/** setTimeout fires at once beyond this. */
const longestMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt(at, wake) {
    const timer: unknown = setTimeout(wake, Math.min(Math.max(0, at - Date.now()), longestMs));
    // Hosts without Node hand out numbers, which hold nothing.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
    return () => clearTimeout(timer as number);
  },
  hold() {
    const timer = setInterval(() => {}, longestMs);
    return () => clearInterval(timer);
  },
};
