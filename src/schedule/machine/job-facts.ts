import type { EventOf } from '../../../machines/job.rules.ts';
import type { JobFailure } from '../../../machines/job.types.ts';
import type { Fact } from '../../engine/machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { errorReasonOf } from '../../protocol/views.ts';
import { retryDelay } from '../../tools/http.ts';

/** How a slot ended. */
export type SlotEnd = Pick<EventOf<'fire.ended'>, 'runId' | 'status' | 'error'>;

/** The times of a job could not be computed. */
export function noSlots(effectId: number, error: unknown): Fact {
  return { event: { type: 'slots.failed', effectId, error: failureOf(error) } };
}

/** The fact that an attempt at a delivery failed. Only a retryable error leads to another attempt. */
export function deliveryFailed(effectId: number, attempt: number, error: unknown): Fact {
  return {
    event: {
      type: 'delivery.failed',
      effectId,
      error: failureOf(error),
      delayMs: retryDelay(attempt, error),
    },
  };
}

/** A slot ended. */
export function slotEnded(effectId: number, end: SlotEnd): Fact {
  return { event: { type: 'fire.ended', effectId, ...end, ...(isSpared(end.error) && { isSpared: true }) } };
}

/** Whether a failure ends by itself: a shared budget that is used up resets with the next day or month. */
export function isSpared(error: JobFailure | null): boolean {
  const reason = error?.code === 'BUDGET_EXHAUSTED' ? errorReasonOf(error.message) : null;
  return reason?.code === 'budget_used_up' && reason.params.per !== undefined;
}

/** An error without its details, as rows and logs have it. */
export function failureOf(error: unknown): JobFailure {
  return { code: DetentError.is(error) ? error.code : 'INTERNAL', message: messageOf(error) };
}
