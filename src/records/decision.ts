import type { Answer } from '../protocol/run-view.ts';

/** What `confirmations.decision` holds. */
export interface Decision {
  verdict: string;
  at: number;
  reason?: string;
  by?: string;
  /** Number of the session's grant that came of it. */
  grant?: number;
  /** The new arguments of `modify`, with known secrets taken out. */
  arguments?: string;
  /** Of `answer`. */
  answer?: Answer;
}
