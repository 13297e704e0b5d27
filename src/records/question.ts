import type { QuestionView } from '../protocol/run-view.ts';
import type { ConfirmationRow } from '../store/rows.ts';
import type { Decision } from './decision.ts';

/** What `confirmations.body` holds, with known secrets taken out. */
export interface AskedBody {
  /** The tool of the call; of a workflow, the id of the step. */
  name: string;
  /** JSON. */
  arguments: string;
  /** The rule by which it is asked. */
  why: string;
  preview?: string;
  /** Of the preview. */
  version?: string;
  /** Of kind `question`. */
  question?: QuestionView;
  /** A workflow asks: the call is approved or rejected as it is. */
  asIs?: true;
  /** Of a question that a running call asks. */
  key?: string;
}

/** The columns that say what was asked, and what became of it: a fork has them before it has rows. */
export type QuestionRow = Pick<
  ConfirmationRow,
  'call' | 'kind' | 'hash' | 'body' | 'status' | 'askedAt' | 'decision'
>;

/** A question about a call, to a person or to the client of the run, and what became of it. */
export interface Question extends AskedBody, Omit<QuestionRow, 'body' | 'decision'> {
  /** Null while it is open. */
  decision: Decision | null;
}

export function questionOf({ body, call, kind, hash, status, askedAt, decision }: QuestionRow): Question {
  return {
    ...(JSON.parse(body) as AskedBody),
    ...{ call, kind, hash, status, askedAt },
    decision: decision === null ? null : (JSON.parse(decision) as Decision),
  };
}

/** The body of its row, as {@link questionOf} read it. */
export function bodyOf(question: Question): AskedBody {
  const { call, kind, hash, status, askedAt, decision, n, ...body } = question as Question & { n?: number };
  return body;
}

export function isOpen({ status }: Pick<QuestionRow, 'status'>): boolean {
  return status === 'open';
}

/** What those are told of a decision who were told of the question; null while it is open. */
export function decidedOf({ decision, askedAt }: Pick<Question, 'decision' | 'askedAt'>) {
  if (decision === null) return null;
  const { verdict, by = null, at } = decision;
  return { verdict, by, decidedAt: at, waitedMs: Math.max(0, at - askedAt) };
}
