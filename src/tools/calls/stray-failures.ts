import { AsyncLocalStorage } from 'node:async_hooks';

/** The call in whose context code failed. */
interface Guarded {
  fail(error: unknown): void;
}

const calls = new AsyncLocalStorage<Guarded>();

/**
 * Does the work of one call, and rejects when something that the work left behind fails: a promise that rejects without a
 * handler, or a callback (of a timer, a stream, an emitter) that throws. Without this, such a failure ends the process.
 *
 * The listeners stay, because something may fail long after its call. Failures of other code take their usual course.
 *
 * @param late gets what fails after the call has ended; that changes no result.
 */
export async function withStrayFailures<Value>(
  work: () => Value | Promise<Value>,
  late: (error: unknown) => void,
): Promise<Value> {
  listen();
  const stray = Promise.withResolvers<never>();
  stray.promise.catch(() => {});
  let hasEnded = false;
  const fail = (error: unknown) => (hasEnded ? late(error) : stray.reject(error));
  try {
    const value = await Promise.race([calls.run({ fail }, async () => work()), stray.promise]);
    // Node reports what the last steps of the work left rejected only after all microtasks.
    return await Promise.race([stray.promise, new Promise<Value>((resolve) => setImmediate(resolve, value))]);
  } finally {
    hasEnded = true;
  }
}

function listen(): void {
  if (process.listenerCount('unhandledRejection', onUnhandled) === 0)
    process.on('unhandledRejection', onUnhandled);
  if (process.listenerCount('uncaughtExceptionMonitor', onThrown) === 0)
    process.on('uncaughtExceptionMonitor', onThrown);
}

function onUnhandled(reason: unknown): void {
  const call = calls.getStore();
  if (call) call.fail(reason);
  // As without this listener: an uncaught exception, unless the program has a listener of its own.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

/**
 * Node calls it before it looks for listeners of `uncaughtException`, in the context of the code that threw. Only then, and
 * only for a call's own exception, is there such a listener: all others end the process exactly as without it.
 */
function onThrown(error: unknown): void {
  const call = calls.getStore();
  if (!call || process.hasUncaughtExceptionCaptureCallback()) return;
  process.prependOnceListener('uncaughtException', () => call.fail(error));
}
