import { isWorkflowRun } from '../../records/workflow-run.ts';
import type { RunRow } from '../../store/rows.ts';
import { agentWords } from './agent-words.ts';
import type { RunWords } from './run-words.ts';
import { workflowWords } from './workflow-words.ts';

/** The words of a run: the one place that chooses by the kind of its machine. */
export function wordsOf(row: Pick<RunRow, 'machine'>): RunWords {
  return isWorkflowRun(row) ? workflowWords : agentWords;
}
