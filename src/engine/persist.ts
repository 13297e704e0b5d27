import { DetentError } from '../protocol/error.ts';
import type { Clock } from './clock.ts';

/** Milliseconds between tries to store what the database refused. */
const retriesMs = [50, 200, 1_000];

/**
 * Stores what has no caller who could try again: a fact, a fired timer. The run that moves holds the process
 * meanwhile.
 *
 * @param isOver ends the tries: the driver has stopped.
 * @throws what the last try threw, or the first that no try can mend.
 */
export async function persist(
  clock: Clock,
  store: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  for (const delayMs of [...retriesMs, null]) {
    if (isOver()) return;
    try {
      await store();
      return;
    } catch (error) {
      if (delayMs === null || !DetentError.is(error) || !error.retryable) throw error;
    }
    await new Promise<void>((resolve) => void clock.wakeAt(clock.now() + delayMs, resolve));
  }
}
