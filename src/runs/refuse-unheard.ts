import { DetentError } from '../protocol/error.ts';
import { optionsOf } from '../records/stored-run.ts';
import { isWorkflowRun } from '../records/workflow-run.ts';
import type { RunRow } from '../store/rows.ts';

/** @throws DetentError `TAKES_NO_MESSAGES` for a run that hears nothing that is said in its session. */
export function refuseUnheard(row: Pick<RunRow, 'id' | 'machine' | 'options' | 'ended'>): void {
  const { id: runId } = row;
  if (isWorkflowRun(row))
    throw new DetentError(
      'TAKES_NO_MESSAGES',
      `run ${runId} is of a workflow, which takes events and no messages; see which with "detent runs why ${runId}"`,
      { details: { runId } },
    );
  if (!row.ended && optionsOf(row).call)
    throw new DetentError(
      'TAKES_NO_MESSAGES',
      `run ${runId} makes one call for a workflow and asks no model, so it takes no messages; see what it waits for with "detent runs show ${runId}"`,
      { details: { runId } },
    );
}
