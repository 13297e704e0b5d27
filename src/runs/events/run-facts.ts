import type { RunError } from '../../protocol/run-view.ts';
import { outputOf } from '../../records/stored-run.ts';
import { flowOutputOf, isWorkflowRun } from '../../records/workflow-run.ts';
import type { RunRow } from '../../store/rows.ts';
import { wordsOf } from '../words/words-of.ts';

/** How a run ended. */
export interface EndOfRun {
  status: 'done' | 'failed' | 'cancelled';
  outcome: string;
  error: RunError | null;
  /** Of a workflow: its output, as text. Of an agent's run, the log has the last answer. */
  text?: string;
}

/** @param row of a run that has ended. */
export function endOfRun(row: RunRow, path: string): EndOfRun {
  if (isWorkflowRun(row)) return endOfFlow(row);
  const output = outputOf(row);
  return {
    status: path as EndOfRun['status'],
    outcome: output?.outcome ?? 'internal_error',
    error: output?.error ?? null,
  };
}

function endOfFlow(row: RunRow): EndOfRun {
  const words = wordsOf(row);
  const error = words.error(row);
  const status = words.endedAs(row);
  return { status, outcome: status, error: error && { ...error, retryable: false }, text: outputText(row) };
}

/** The output of a workflow as text: empty while it has none. */
export function outputText(row: Pick<RunRow, 'output'>): string {
  const output = flowOutputOf(row)?.output;
  return output === undefined ? '' : typeof output === 'string' ? output : JSON.stringify(output);
}
