import type { Answer } from '../protocol/run-view.ts';

/** What `confirmations.decision` holds. */
export interface Decision {
  verdict: string;
  at: number;
  reason?: string;
  /** Of a fork: it was made in the original, and for that. */
  copied?: true;
  by?: string;
  /** Number of the session's grant that it created. */
  grant?: number;
  /** The new arguments of `modify`, redacted. */
  arguments?: string;
  /** Their SHA-256 before known secrets were taken out, hex. */
  argumentsHash?: string;
  /** Of `result`: SHA-256 of what the caller of the run gave, hex. The result itself is a message. */
  resultHash?: string;
  /** Of `answer`. */
  answer?: Answer;
}
