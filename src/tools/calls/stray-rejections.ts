import { AsyncLocalStorage } from 'node:async_hooks';

/** The call in whose context a promise was rejected. */
interface Guarded {
  fail(error: unknown): void;
}

const calls = new AsyncLocalStorage<Guarded>();

/**
 * Does the work of one call, and rejects when a promise that the work left behind rejects without a handler. Without this,
 * such a promise ends the process. After the call has ended, such a rejection is dropped, as every late result is.
 *
 * The listener stays, because a promise may reject long after its call. Rejections of other code take their usual course.
 */
export async function withStrayRejections<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  if (!process.listeners('unhandledRejection').includes(onUnhandled))
    process.on('unhandledRejection', onUnhandled);
  const stray = Promise.withResolvers<never>();
  stray.promise.catch(() => {});
  const value = await Promise.race([calls.run({ fail: stray.reject }, async () => work()), stray.promise]);
  // Node reports what the last steps of the work left rejected only after all microtasks.
  return Promise.race([stray.promise, new Promise<Value>((resolve) => setImmediate(resolve, value))]);
}

function onUnhandled(reason: unknown): void {
  const call = calls.getStore();
  if (call) call.fail(reason);
  // As without this listener: an uncaught exception, unless the program has a listener of its own.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason;
}
