import type { AsyncLocalStorage } from 'node:async_hooks';
import { DetentError, messageOf } from '../protocol/error.ts';

/** Where a failure goes that reaches no caller. */
interface FailureSink {
  /** The run that is at work; an empty text without one. */
  runId: string;
  report(error: unknown, runId: string): void;
}

interface Place extends FailureSink {
  /** Whose code is at work; null for Detent's own, whose failures end the process. */
  owner: string | null;
  /** Takes a failure while a caller waits for the result; false when none does. */
  fail(error: unknown): boolean;
}

/** Without Node nobody says whose code left a failure behind: the host hears of it. */
const unknownPlaces: Pick<AsyncLocalStorage<Place>, 'run' | 'getStore'> = {
  run: (_place: Place, work: () => unknown) => work() as never,
  getStore: () => undefined,
};

const node = globalThis.process?.getBuiltinModule?.('node:async_hooks');
/** Work that runs in a place: the foreign code that it calls, however far inside, reports its failures there. */
export const places: typeof unknownPlaces = node ? new node.AsyncLocalStorage<Place>() : unknownPlaces;

/** Without a run and a log. */
export const standardError: FailureSink = {
  runId: '',
  report: (error) => console.error(`detent: ${messageOf(error)}`),
};

/** The place of work of Detent's own. */
export function ownPlace({ runId, report }: FailureSink): Place {
  return { runId, report, owner: null, fail: nobodyWaits };
}

/**
 * Calls a function that others wrote. Something that it leaves behind may fail: a promise that rejects without a handler, or a
 * callback (of a timer, a stream, an emitter) that throws. Without this, such a failure ends the process; here it is reported.
 *
 * @param owner whose code it is, for the report: `tool "pay"`
 * @param sink default: that of the {@link ownPlace} in which it is called
 */
export function callForeign<T>(owner: string, work: () => T, sink?: FailureSink): T {
  return places.run(placeOf({ owner, fail: nobodyWaits }, sink), work);
}

/** As {@link callForeign} for a function that is waited for: rejects when something that it left behind fails meanwhile. */
export function awaitForeign<T>(owner: string, work: () => T | Promise<T>, sink?: FailureSink): Promise<T> {
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
    };
    const fail = (error: unknown) => {
      if (hasEnded) return false;
      reject(error);
      // What fails together with it is not reported: it is part of the same failure.
      queueMicrotask(end);
      return true;
    };
    places
      .run(placeOf({ owner, fail }, sink), async () => work())
      .then(
        // Node reports what the last steps of the work left rejected only after all microtasks.
        (value) =>
          setImmediate(() => {
            end();
            resolve(value);
          }),
        (error) => {
          end();
          reject(error);
        },
      );
  });
}

/**
 * Calls `fire` when foreign code that is waited for has had its time. What it answered by then counts, also if the process was too busy
 * to hear of it: Node calls timers before it reads sockets, and before the answers of {@link awaitForeign}.
 *
 * @param ms milliseconds, at most 2³¹ − 1
 * @returns what ends the wait
 */
export function afterTimeOf(ms: number, fire: () => void): () => void {
  let next: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // The first turn reads the sockets, the second one what came of that.
    next = setImmediate(() => {
      next = setImmediate(fire);
    });
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(next);
  };
}

function placeOf({ owner, fail }: Pick<Place, 'owner' | 'fail'>, sink?: FailureSink): Place {
  listen();
  const { runId, report } = sink ?? places.getStore() ?? standardError;
  return { runId, report, owner, fail };
}

function nobodyWaits(): boolean {
  return false;
}

/** Whether the failure that Node reports just now is one of foreign code, which this module deals with. */
export function isForeignFailure(): boolean {
  return foreignPlace() !== null;
}

function foreignPlace(): Place | null {
  const place = places.getStore();
  return place && place.owner !== null ? place : null;
}

function take(place: Place, error: unknown): void {
  if (place.fail(error)) return;
  const message = `${place.owner} left work behind that failed: ${messageOf(error)}`;
  try {
    place.report(new DetentError('STRAY_FAILURE', message, { cause: error }), place.runId);
  } catch (failed) {
    console.error(`detent: ${message}; it cannot be reported: ${messageOf(failed)}`);
  }
}

/** The listeners stay, because something may fail long after its call. */
function listen(): void {
  if (!node) return;
  if (process.listenerCount('unhandledRejection', onUnhandled) === 0)
    process.on('unhandledRejection', onUnhandled);
  if (process.listenerCount('uncaughtExceptionMonitor', onThrown) === 0)
    process.on('uncaughtExceptionMonitor', onThrown);
}

function onUnhandled(reason: unknown): void {
  const place = foreignPlace();
  if (place) take(place, reason);
  // As without this listener: an uncaught exception, unless the program has a listener of its own.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

/**
 * Node calls it before it looks for listeners of `uncaughtException`, in the context of the code that threw. Only then, and
 * only for an exception of foreign code, is there such a listener: all others end the process exactly as without it.
 */
function onThrown(error: unknown): void {
  const place = foreignPlace();
  if (!place || process.hasUncaughtExceptionCaptureCallback()) return;
  process.prependOnceListener('uncaughtException', () => take(place, error));
}
