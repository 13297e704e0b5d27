import type { DeliveryAsked } from '../../runs/jobs/job-work.ts';
import type { DetentJobs } from '../../runtime/api/jobs.ts';
import type { WebhookParts } from './webhook.ts';
import { asMessage, printed } from './words.ts';

/** What deliveries need of the program. */
interface DeliveryParts extends WebhookParts {
  /** Writes a result where people of this process see it. */
  print(text: string): void;
  jobs: Pick<DetentJobs, 'files' | 'tell' | 'secret'>;
}

/** Makes one attempt at a delivery. @throws DetentError; a retryable one is tried again. */
export async function deliver(asked: DeliveryAsked, parts: DeliveryParts): Promise<void> {
  const { target, jobId } = asked;
  switch (target.kind) {
    case 'console':
      return parts.print(printed(asked));
    case 'file': {
      const { writeResult } = await import('./file.ts');
      return writeResult(asked, target.path, () => parts.jobs.files(asked.tenant));
    }
    case 'session':
      return parts.jobs.tell({
        tenant: asked.tenant,
        session: target.session,
        user: asked.user,
        // The same for each attempt, so that the session has the message once.
        runId: asked.id.replace(/^msg_/, 'run_'),
        jobId,
        tainted: asked.tainted,
        text: asMessage(asked),
      });
    case 'webhook': {
      const { postWebhook } = await import('./webhook.ts');
      return postWebhook(asked, target, parts);
    }
  }
}
