import type { EventOf } from '../../../machines/job.rules.ts';
import type { JobFailure } from '../../../machines/job.types.ts';
import type { Fact } from '../../engine/machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';

/** How a slot ended. */
export type SlotEnd = Pick<EventOf<'fire.ended'>, 'runId' | 'status' | 'error'>;

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** Delays before the next attempt, as https://www.standardwebhooks.com advises: quick at first, then for more than a day. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];
const lastDelay = 24 * hour;

/** The times of a job could not be computed. */
export function noSlots(effectId: number, error: unknown): Fact {
  return { event: { type: 'slots.failed', effectId, error: failureOf(error) } };
}

/** The fact that an attempt at a delivery failed. Only a retryable error leads to another attempt. */
export function deliveryFailed(effectId: number, attempt: number, error: unknown): Fact {
  const isRetryable = DetentError.is(error) && error.retryable;
  const asked = DetentError.is(error) ? error.details.retryAfterMs : undefined;
  const usual = delays[attempt - 1] ?? lastDelay;
  const delayMs = typeof asked === 'number' && asked > usual ? Math.min(asked, lastDelay) : usual;
  return {
    event: {
      type: 'delivery.failed',
      effectId,
      error: failureOf(error),
      delayMs: isRetryable ? delayMs : null,
    },
  };
}

/** A slot ended. */
export function slotEnded(effectId: number, end: SlotEnd): Fact {
  return { event: { type: 'fire.ended', effectId, ...end } };
}

/** An error without its details, as rows and logs have it. */
export function failureOf(error: unknown): JobFailure {
  return { code: DetentError.is(error) ? error.code : 'INTERNAL', message: messageOf(error) };
}
