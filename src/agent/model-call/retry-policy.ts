import type { ModelError } from '../../protocol/answer.ts';

const baseMs = 500;
const longestMs = 20_000;
/** Maximum of all waits of one model call together. A provider that asks for a longer wait counts as failed. */
export const maxTotalWaitMs = 60_000;

/**
 * How long to wait before the next attempt: what the provider asked for, else full jitter over an exponential
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). Null when a retry would not help, or when
 * the waits of the call would exceed a minute together.
 *
 * @param attempt the attempt that failed, from 1.
 * @param random uniform in [0, 1).
 * @param waitedMs how long this call has waited before earlier attempts.
 */
export function backoffMs(
  error: Pick<ModelError, 'retryable' | 'retryAfterMs'>,
  attempt: number,
  random: () => number,
  waitedMs = 0,
): number | null {
  if (!error.retryable) return null;
  const leftMs = maxTotalWaitMs - waitedMs;
  if (error.retryAfterMs !== undefined)
    return error.retryAfterMs > leftMs ? null : Math.max(0, error.retryAfterMs);
  if (leftMs <= 0) return null;
  return Math.min(leftMs, Math.round(random() * Math.min(longestMs, baseMs * 2 ** (attempt - 1))));
}
