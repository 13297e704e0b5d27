import type { Happening } from '../api.ts';
import type { ScheduleParts } from '../door.ts';
import { failureOf } from '../machine/job-facts.ts';
import type { Delivery } from './delivery.ts';
import { asMessage, printed } from './delivery-text.ts';
import { tellSession } from './session.ts';
import type { WebhookParts } from './webhook.ts';

/** What deliveries need of the program. */
export interface DeliveryParts extends ScheduleParts, WebhookParts {
  /** Writes a result where people of this process see it. */
  print(text: string): void;
  /** Is called when something happens to a job in this process. */
  tell?(happening: Happening): void;
}

/** Makes one attempt at a delivery, and reports its result to `tell`. @throws DetentError; a retryable one is tried again. */
export async function deliver(parts: DeliveryParts, delivery: Delivery): Promise<void> {
  const { tenant, jobId, n, target, isAlert } = delivery;
  const about = { tenant, jobId, n, target, isAlert };
  try {
    await deliverTo(parts, delivery);
  } catch (error) {
    parts.tell?.({ ...about, type: 'undelivered', error: failureOf(error) });
    throw error;
  }
  parts.tell?.({ ...about, type: 'delivered' });
}

async function deliverTo(parts: DeliveryParts, delivery: Delivery): Promise<void> {
  const { target, tenant, user, jobId, tainted } = delivery;
  switch (target.kind) {
    case 'console':
      return parts.print(printed(delivery));
    case 'session':
      return tellSession(parts, {
        ...{ tenant, user, jobId, tainted, session: target.session },
        // The same for each attempt, so that the session has the message once.
        runId: delivery.id.replace(/^msg_/, 'run_'),
        text: asMessage(delivery),
      });
    case 'file': {
      const { writeResult } = await import('./file.ts');
      return writeResult(parts, target.path, delivery);
    }
    case 'webhook': {
      const { postWebhook } = await import('./webhook.ts');
      return postWebhook(parts, target, delivery);
    }
  }
}
