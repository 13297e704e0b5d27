import type { RunOutcome } from '../../machines/run.types.ts';
import type { Usage } from './usage.ts';

/**
 * What a run is doing, read off its rows: `interrupted` has work to do and no driver, `waiting` needs a person,
 * `queued` stands behind an earlier run of its session.
 */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled';

export interface RunError {
  code: string;
  message: string;
  retryable: boolean;
}

export type CallViewStatus =
  | 'done'
  | 'failed'
  | 'rejected'
  | 'skipped'
  | 'cancelled'
  | 'pending'
  | 'uncertain';

export interface CallView {
  /** The provider's id. */
  id: string;
  /** Ours, unique in the run: `c7`. */
  callId: string;
  name: string;
  /** As the model wrote it. */
  argumentsRaw: string;
  /** What is (or would be) executed, parsed; null when it is not JSON. */
  arguments: unknown;
  status: CallViewStatus;
  /** What a person decided: `approve`, `reject`, `modify`, `expired`, `withdrawn`; null when nobody was asked. */
  decision: string | null;
  /** What the model was told; null while there is nothing. */
  result: string | null;
  isError: boolean;
  code: string | null;
}

/** One model answer. */
export interface StepView {
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  /** The provider's own word. */
  finishReason: string | null;
  usage: Usage | null;
  error: RunError | null;
  toolCalls: CallView[];
}

/** What a person is asked. */
export interface PendingView {
  kind: 'confirm' | 'question' | 'reconcile';
  callId: string;
  name: string;
  arguments: unknown;
  argumentsHash: string;
  why: string;
}

export interface RunView {
  runId: string;
  sessionId: string;
  /** The named agent; left out for the default one. */
  agent?: string;
  status: RunStatus;
  /** Null until the run has ended. */
  outcome: RunOutcome | null;
  /** Of the last answer. */
  text: string;
  usage: Usage;
  /** Dotted state paths, in the order they were passed through. */
  states: string[];
  steps: StepView[];
  pending: PendingView[];
  error: RunError | null;
}
