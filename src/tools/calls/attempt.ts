import { afterTimeOf } from '../../engine/foreign-code.ts';

/** How one attempt ended. */
export type Attempt<Value> =
  | { ended: 'returned'; value: Value }
  | { ended: 'threw'; error: unknown }
  | { ended: 'timedOut' }
  | { ended: 'aborted' };

/** Node fires a longer timer at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const maxTimerMs = 2 ** 31 - 1;

/** The timer of an attempt. */
export interface AttemptClock {
  /** Stops the timer until all pauses have ended; call the returned function to end this one. */
  pause(): () => void;
}

/**
 * Makes one attempt, and resolves as soon as it ends, its time is up or `signal` aborts. If the work ignores its signal,
 * its later result or error is dropped. Never rejects, and leaves no timer and no listener.
 *
 * @param timeoutMs milliseconds; the maximum is 24.8 days.
 */
export function attempt<Value>(
  work: (signal: AbortSignal, clock: AttemptClock) => Value | Promise<Value>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Attempt<Value>> {
  if (signal.aborted) return Promise.resolve({ ended: 'aborted' });
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = (how: Attempt<Value>) => {
      timer.stop();
      signal.removeEventListener('abort', onAbort);
      resolve(how);
    };
    // Settle before aborting the work: an error that the abort causes must not win the race.
    const stop = (ended: 'timedOut' | 'aborted', reason: unknown) => {
      end({ ended });
      controller.abort(reason);
    };
    const onAbort = () => stop('aborted', signal.reason);
    const onTimeout = () =>
      stop('timedOut', new DOMException(`timed out after ${timeoutMs} ms`, 'TimeoutError'));
    const timer = pausableTimer(onTimeout, Math.min(timeoutMs, maxTimerMs));
    signal.addEventListener('abort', onAbort, { once: true });
    void settled(() => work(controller.signal, timer)).then(end);
  });
}

function pausableTimer(fire: () => void, ms: number): AttemptClock & { stop(): void } {
  let left = ms;
  let since = performance.now();
  let stop = afterTimeOf(left, fire);
  let pauses = 0;
  let isOver = false;
  return {
    pause() {
      if (pauses++ === 0) {
        stop();
        left -= performance.now() - since;
      }
      let isPaused = true;
      return () => {
        if (!isPaused) return;
        isPaused = false;
        if (--pauses > 0 || isOver) return;
        since = performance.now();
        stop = afterTimeOf(Math.max(0, left), fire);
      };
    },
    stop() {
      isOver = true;
      stop();
    },
  };
}

async function settled<Value>(work: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { ended: 'returned', value: await work() };
  } catch (error) {
    return { ended: 'threw', error };
  }
}
