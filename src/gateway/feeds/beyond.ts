import { DetentError } from '../../protocol/error.ts';
import type { Call } from '../methods/method.ts';

/**
 * Refuses a place that the run has not come to: it is another run's, and the stream would be silent until the run has passed it.
 *
 * @param field of the request, which has the place
 * @throws DetentError `INVALID_REQUEST`
 */
export async function refuseBeyond(
  { detent, caller }: Call,
  runId: string,
  after: number,
  field: 'after' | 'afterSeq',
): Promise<void> {
  if (after === 0) return;
  for await (const _ of detent.runs.readEvents(runId, after - 1, caller.tenantId)) return;
  throw new DetentError(
    'INVALID_REQUEST',
    `run ${runId} has no transition ${after} yet: this is the place of another run; leave it out to get all events`,
    { details: { field } },
  );
}
