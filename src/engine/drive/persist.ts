import { DetentError, messageOf } from '../../protocol/error.ts';
import type { DriverError } from '../../store/rows.ts';
import type { Clock } from '../clock.ts';
import { ask } from '../commit/statements.ts';
import type { EngineOptions } from './engine-options.ts';

/** Backoff in milliseconds after each try of a refused commit; none after the last. */
const pausesMs = [50, 200, 1_000, null];
/** After these, the run stands still, and its driver checks at this interval whether the database works again. */
const laterMs = 2_000;

/**
 * Stores a fact or a fired timer, with retries, because it has no caller that could retry. The moving run keeps the
 * process alive meanwhile.
 *
 * @param isOver ends the retries: the driver has stopped.
 * @throws the error of the last retry, or the first error that is not retryable.
 */
export async function persist(
  clock: Clock,
  store: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  for (const delayMs of pausesMs) {
    if (isOver()) return;
    try {
      await store();
      return;
    } catch (error) {
      if (delayMs === null || !isRetryable(error)) throw error;
    }
    await pause(clock, delayMs);
  }
}

/** Whether a later try may succeed: the disk is full, another process holds the database. */
export function isRetryable(error: unknown): boolean {
  return DetentError.is(error) && error.retryable;
}

/** Waits until the next attempt to store what the retries of {@link persist} could not. */
export function pause(clock: Clock, ms = laterMs): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now() + ms, resolve));
}

/**
 * Stores why a driver gave up a run, so that `detent runs why` can tell later. It updates a row in place and needs no
 * new page, so it may succeed on a full disk where storing the fact failed.
 */
export async function noteDriverError(
  { store, clock, ownership, redact }: Pick<EngineOptions, 'store' | 'clock' | 'ownership' | 'redact'>,
  runId: string,
  error: unknown,
): Promise<void> {
  const code = DetentError.is(error) ? error.code : 'INTERNAL';
  const body: DriverError = { runId, at: clock.now(), code, message: messageOf(error) };
  const epoch = ownership.me ?? 0;
  try {
    await store.commit(() => ask('noteDriverError', { epoch, error: redact(JSON.stringify(body)) }));
  } catch {
    // The engine has reported the error itself already.
  }
}
