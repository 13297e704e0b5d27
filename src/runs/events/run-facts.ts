import type { QuestionView, RunError } from '../../protocol/run-view.ts';
import { outputOf } from '../../records/stored-run.ts';
import { flowOutputOf, isWorkflowRun } from '../../records/workflow-run.ts';
import type { ConfirmationRow, RunRow } from '../../store/rows.ts';
import { wordsOf } from '../words/words-of.ts';

/** A question to a person, open or not, as its row has it. */
export interface AskedQuestion {
  kind: 'confirm' | 'question' | 'reconcile' | 'client';
  call: number;
  /** Number among the questions about its call, from 1. */
  n: number;
  name: string;
  /** As the person sees them: redacted. */
  arguments: string;
  argumentsHash: string;
  why: string;
  preview?: string;
  question?: QuestionView;
  askedAt: number;
}

/** How a run ended. */
export interface EndOfRun {
  status: 'done' | 'failed' | 'cancelled';
  outcome: string;
  error: RunError | null;
  /** Of a workflow: its output, as text. Of an agent's run, the log has the last answer. */
  text?: string;
}

export function askedQuestion({ kind, call, n, hash, body, askedAt }: ConfirmationRow): AskedQuestion {
  const {
    name,
    arguments: raw,
    why,
    preview,
    question,
  } = JSON.parse(body) as Pick<AskedQuestion, 'name' | 'arguments' | 'why' | 'preview' | 'question'>;
  return {
    kind: kind as AskedQuestion['kind'],
    call,
    n,
    name,
    arguments: raw,
    argumentsHash: hash,
    why,
    ...(preview !== undefined && { preview }),
    ...(question && { question }),
    askedAt,
  };
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
