import type { QuestionView, RunError } from '../../protocol/run-view.ts';
import { outputOf } from '../../records/stored-run.ts';
import type { ConfirmationRow, RunRow } from '../../store/rows.ts';

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
  const output = outputOf(row);
  return {
    status: path as EndOfRun['status'],
    outcome: output?.outcome ?? 'internal_error',
    error: output?.error ?? null,
  };
}
