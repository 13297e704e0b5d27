import { setTimeout as pause } from 'node:timers/promises';
import type { ToolContext } from '../../ports/tool.ts';
import { describeThrown } from '../../protocol/describe-thrown.ts';
import { DetentError } from '../../protocol/error.ts';

const firstPauseMs = 200;
const longestPauseMs = 5_000;

/**
 * Runs `work`, and retries it after an error with `retryable: true` or the code `NETWORK_ERROR`. The pause before a retry
 * is 0.2 s at first, and doubles each time. Reports each retry to the run's watchers.
 *
 * @throws what the last attempt threw, or the reason of the signal.
 */
export async function withRetries<Value>(
  work: () => Value | Promise<Value>,
  retries: number,
  { signal, progress, log }: Pick<ToolContext, 'signal' | 'progress' | 'log'>,
): Promise<Value> {
  for (let made = 1; ; made++)
    try {
      return await work();
    } catch (error) {
      if (made > retries || !mayPass(error)) throw error;
      signal.throwIfAborted();
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (made - 1));
      const reason = describeThrown(error);
      progress(`attempt ${made} of ${retries + 1} failed (${reason}); the next one in ${pauseMs / 1000} s`);
      log('attempt failed', { attempt: made, of: retries + 1, reason, pauseMs });
      await pause(pauseMs, undefined, { signal });
    }
}

function mayPass(error: unknown): boolean {
  try {
    return DetentError.is(error) && (error.retryable === true || error.code === 'NETWORK_ERROR');
  } catch {
    return false;
  }
}
