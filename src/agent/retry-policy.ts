import type { ModelError } from '../protocol/answer.ts';

const baseMs = 500;
const longestMs = 20_000;
/** A provider that asks for more patience than this is treated as failed. */
const mostPatienceMs = 60_000;

/**
 * How long to wait before the next attempt: what the provider asked for, else full jitter over an exponential
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). Null when waiting makes no sense.
 *
 * @param attempt the attempt that failed, from 1.
 * @param random uniform in [0, 1).
 */
export function backoffMs(error: ModelError, attempt: number, random: () => number): number | null {
  if (!error.retryable) return null;
  if (error.retryAfterMs !== undefined)
    return error.retryAfterMs > mostPatienceMs ? null : Math.max(0, error.retryAfterMs);
  return Math.round(random() * Math.min(longestMs, baseMs * 2 ** (attempt - 1)));
}
