import { DetentError, messageOf } from '../../protocol/error.ts';
import type { DriverError } from '../../store/rows.ts';
import type { Clock } from '../clock.ts';
import { ask } from '../commit/statements.ts';
import type { EngineOptions } from './engine-options.ts';

/** The backoff of a fact or a fired timer whose commit was refused: no caller could try again. */
export const factPausesMs = [50, 200, 1_000];
/** After these, the run stands still, and its driver checks at this interval whether the database works again. */
const laterMs = 2_000;

/** Waits until the next attempt to store something; by default what the retries of a fact could not. */
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
