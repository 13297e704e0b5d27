import { DetentError, messageOf } from '../protocol/error.ts';
import type { DriverError } from '../store/rows.ts';
import type { Clock } from './clock.ts';
import { ask, type Store } from './statements.ts';

interface Driver {
  store: Store;
  clock: Clock;
  epoch: number;
  redact(text: string): string;
}

/**
 * Stores why a driver gave a run up, so that `detent runs why` can tell later. It updates a row in place and needs no
 * new page, so it may succeed on a full disk where storing the fact failed.
 */
export async function noteDriverError(
  { store, clock, epoch, redact }: Driver,
  runId: string,
  error: unknown,
): Promise<void> {
  const code = DetentError.is(error) ? error.code : 'INTERNAL';
  const body: DriverError = { runId, at: clock.now(), code, message: messageOf(error) };
  try {
    await store.commit(() => ask('noteDriverError', { epoch, error: redact(JSON.stringify(body)) }));
  } catch {
    // The engine has reported the error itself already.
  }
}
