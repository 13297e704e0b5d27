import type { LoggedTransition } from '../../engine/machine.ts';
import type { RunEvent, RunEventPayloads } from '../../protocol/run-events.ts';
import type { RunError } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import { callName, type Question } from '../../store/stored-call.ts';
import { flowOutputOf, isWorkflowRun, outputOf } from '../../store/stored-run.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { reasonIn } from '../story/pending-view.ts';
import type { Changes } from '../story/story.ts';

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

/** The events for a question about a call: to people, or to the client. */
export function asked(question: Question): Told[] {
  const { kind, preview, question: words, asIs } = question;
  const { call, name, arguments: given, hash: argumentsHash, why } = question;
  const what = { callId: callName(call), name, arguments: given, argumentsHash, why, ...reasonIn(question) };
  const payload = { ...what, ...(asIs && { asIs }), ...(preview !== undefined && { preview }) };
  if (kind === 'question' && words)
    return [{ event: 'question.asked', payload: { ...payload, question: words } }];
  if (kind === 'client') return [{ event: 'tool.client_request', payload }];
  const who = question.decides && { decides: question.decides };
  return kind === 'question'
    ? []
    : [{ event: 'tool.confirm_request', payload: { ...payload, kind, ...who } }];
}

/** The events for a question that was settled. */
export function resolved(settled: Changes['settled']): Told[] {
  if (!settled) return [];
  const { kind, verdict, answer, reason } = settled;
  const callId = callName(settled.callId);
  const by = settled.by === undefined ? {} : { by: settled.by };
  const said = { ...(reason !== undefined && { reason }), ...by };
  // For the machine, the client's result is a modified call.
  const given = verdict === 'modify' ? 'result' : verdict;
  if (kind === 'client')
    return [{ event: 'tool.client_resolved', payload: { callId, verdict: given, ...said } }];
  if (kind !== 'question') return [{ event: 'tool.confirm_resolved', payload: { callId, verdict, ...said } }];
  const answered = answer === undefined ? { callId, verdict } : { callId, verdict: 'answer', answer };
  return [{ event: 'question.answered', payload: { ...answered, ...by } }];
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
  const kind = kindOf(row);
  const error = kind.error(row);
  const status = kind.endedAs(row);
  return { status, outcome: status, error: error && { ...error, retryable: false }, text: outputText(row) };
}

/** The output of a workflow as text: empty while it has none. */
export function outputText(row: Pick<RunRow, 'output'>): string {
  const output = flowOutputOf(row)?.output;
  return output === undefined ? '' : typeof output === 'string' ? output : JSON.stringify(output);
}
