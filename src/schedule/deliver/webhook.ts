import type { JobTarget } from '../../../machines/job.types.ts';
import { postMessage, type WebhookParts } from '../../tools/http.ts';
import { slotText } from '../times/slot-text.ts';
import type { Delivery } from './delivery.ts';

/** Posts a result. @throws DetentError as {@link postMessage}. */
export function postWebhook(
  parts: WebhookParts,
  webhook: Extract<JobTarget, { kind: 'webhook' }>,
  delivery: Delivery,
): Promise<void> {
  const { id, signal } = delivery;
  return postMessage(parts, webhook, { id, body: messageOf(delivery), signal });
}

/** The body for the receiver. `type` says what happened: a run ended well, a run failed, or several failed in a row. */
function messageOf(delivery: Delivery): object {
  const { isAlert, status, endedAt, jobId, slot, kind, runId, text, error, failures } = delivery;
  return {
    type: isAlert ? 'job.alert' : status === 'ok' ? 'job.run.completed' : 'job.run.failed',
    timestamp: new Date(endedAt).toISOString(),
    data: { jobId, slot: slotText(slot), kind, status, runId, text, error, failures },
  };
}
