import type { RetryPolicy } from '../services.ts';

/** Failures that no repetition changes. */
const final: readonly string[] = [
  'REJECTED_BY_USER',
  'EXPIRED',
  'CANCELLED',
  'INVALID_INPUT',
  'NOT_DURABLE',
  'UNKNOWN_TOOL',
  'UNKNOWN_AGENT',
  'TOOL_NOT_ALLOWED',
  'BUDGET_EXHAUSTED',
  'OUTCOME_UNKNOWN',
  'POISONED',
];

/** Milliseconds until the next attempt after that one failed; null when there is none. */
export function retryDelay(
  policy: RetryPolicy | undefined,
  attempt: number,
  { code, retryable }: { code: string; retryable?: boolean },
): number | null {
  if (!policy || attempt >= policy.attempts || retryable === false || final.includes(code)) return null;
  const { delayMs = 1_000, factor = 2, maxDelayMs = 3_600_000 } = policy;
  return Math.round(Math.min(maxDelayMs, delayMs * factor ** (attempt - 1)));
}
