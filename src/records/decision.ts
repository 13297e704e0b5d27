import type { SideEffectClass } from '../../machines/run.types.ts';
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

/** An event in an agent's log that brings what a person, or the client of the run, decided on a call. */
export interface CallDecision {
  type: 'confirm.decide' | 'tool.reconcile';
  callId: number;
  /** To the statechart an answer, or a result of the client, is a change of the call. */
  verdict: string;
  reason?: string;
  by?: string;
  answer?: Answer;
  /** Of a result of the client, which is a message: its size. */
  given?: object;
  /** What came of a call that ran, though its process died. */
  result?: string;
  /** Of the call with the arguments that a person gave it. */
  class?: SideEffectClass;
}

export function isCallDecision(event: { type: string; callId?: unknown }): event is CallDecision {
  return (
    (event.type === 'confirm.decide' || event.type === 'tool.reconcile') && typeof event.callId === 'number'
  );
}

/** Events with which the questions of an agent's run are decided, or closed without a decision. */
export const settlesQuestions: ReadonlySet<string> = new Set([
  'confirm.decide',
  'tool.reconcile',
  'run.message',
  'run.cancel',
  'timer.confirm',
  'timer.reconcile',
]);
