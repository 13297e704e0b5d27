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
 * Notes why a driver gave a run up, for whoever asks later why the run stands still. It takes no new page, so it may fit
 * where the fact did not.
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
    // The trouble was told already; this is a note about it.
  }
}
