import type { Detent } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';

/**
 * The id of an agent's run that a person named, perhaps by its beginning. The run of a scheduled job has no model and no
 * conversation, and it moves by its schedule alone: of it there are only the events and their replay.
 *
 * @throws DetentError `NOT_FOUND`, `AMBIGUOUS_RUN`, `RUN_OF_JOB`.
 */
export async function findAgentRun({ runs }: Pick<Detent, 'runs'>, named: string): Promise<string> {
  const runId = await runs.find(named);
  if (!runId.startsWith('job_')) return runId;
  throw new DetentError(
    'RUN_OF_JOB',
    `${runId} is the schedule of a job, not a run of an agent; "detent cron list" shows the jobs, "detent cron history JOB" their runs, and "detent runs events ${runId}" its events`,
    { details: { runId } },
  );
}
