import type { Answer } from '../protocol/run-view.ts';

/** What `confirmations.decision` holds. */
export interface Decision {
  verdict: string;
  at: number;
  reason?: string;
  by?: string;
  /** Number of the session's grant that it created. */
  grant?: number;
  /** The new arguments of `modify`, redacted. */
  arguments?: string;
  /** Of `answer`. */
  answer?: Answer;
}
