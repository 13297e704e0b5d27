import type { LoggedTransition } from '../../engine/logged-transition.ts';
import type { RunEvent, RunEventPayloads } from '../../protocol/run-events.ts';
import type { RunError } from '../../protocol/run-view.ts';
import { callName } from '../../records/call-id.ts';
import type { Question } from '../../records/question.ts';
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

type Name = keyof RunEventPayloads;

/** An event of a run, without its place. */
export type Told = { [N in Name]: { event: N; payload: RunEventPayloads[N] } }[Name];

/** The events that a transition tells, each with its place. */
export function eventsOf({ runId, seq, at }: LoggedTransition, told: readonly Told[]): RunEvent[] {
  const last = told.length - 1;
  return told.map(
    ({ event, payload }, index) =>
      ({ event, runId, seq, index, last: index === last, at, payload }) as RunEvent,
  );
}

/** What a question tells, whatever its kind. */
export function askedIn({ call, name, arguments: given, hash, why }: Question) {
  return { callId: callName(call), name, arguments: given, argumentsHash: hash, why };
}

/** @param said the last words of the run. */
export function endedWith({ status, outcome, error }: EndOfRun, said: string): Told {
  const payload = { status, outcome, content: said };
  if (error && status === 'failed') return { event: 'lifecycle.error', payload: { ...payload, error } };
  return { event: 'lifecycle.end', payload };
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
