/** How one attempt at something ended. */
export type Attempt<Value> =
  | { ended: 'returned'; value: Value }
  | { ended: 'threw'; error: unknown }
  | { ended: 'timedOut' }
  | { ended: 'aborted' };

/** Node fires a longer timer at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Makes one attempt, and answers as soon as it ends, its time is up or `signal` aborts. Work that ignores its own
 * signal is left behind: what it returns or throws later is dropped. Never rejects, leaves no timer and no listener.
 *
 * @param timeoutMs milliseconds; more than 24.8 days counts as that.
 */
export async function attempt<Value>(
  work: (signal: AbortSignal) => Value | Promise<Value>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Attempt<Value>> {
  if (signal.aborted) return { ended: 'aborted' };
  const controller = new AbortController();
  const stopped = Promise.withResolvers<Attempt<Value>>();
  // Settles before it tells the work: what the work throws because of the abort must not win the race.
  const stop = (ended: 'timedOut' | 'aborted', reason: unknown) => {
    stopped.resolve({ ended });
    controller.abort(reason);
  };
  const onAbort = () => stop('aborted', signal.reason);
  const onTimeout = () =>
    stop('timedOut', new DOMException(`timed out after ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(onTimeout, Math.min(timeoutMs, maxTimerMs));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([stopped.promise, settled(work, controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

async function settled<Value>(
  work: (signal: AbortSignal) => Value | Promise<Value>,
  signal: AbortSignal,
): Promise<Attempt<Value>> {
  try {
    return { ended: 'returned', value: await work(signal) };
  } catch (error) {
    return { ended: 'threw', error };
  }
}
