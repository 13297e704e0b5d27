import { DetentError } from '../../protocol/error.ts';
import type { DeliveryAsked } from '../../runs/jobs/job-work.ts';

/** What deliveries need of the program. */
export interface DeliveryParts {
  /** Writes a result where people of this process see it. */
  print(text: string): void;
}

/** Makes one attempt at a delivery. @throws DetentError; a retryable one is tried again. */
export async function deliver(asked: DeliveryAsked, parts: DeliveryParts): Promise<void> {
  const { target } = asked;
  switch (target.kind) {
    case 'console':
      return parts.print(printed(asked));
    default:
      throw new DetentError('UNKNOWN_TARGET', `this program knows no delivery to "${target.kind}"`);
  }
}

function printed({ jobId, slot, status, text, error, isAlert, failures }: DeliveryAsked): string {
  const when = new Date(slot).toISOString().replace('.000', '');
  const head = isAlert
    ? `job ${jobId} has failed ${failures} times in a row, last at ${when}`
    : `job ${jobId}, ${when}: ${status}`;
  return [head, ...(error ? [`${error.code}: ${error.message}`] : []), ...(text === '' ? [] : [text])].join(
    '\n',
  );
}
