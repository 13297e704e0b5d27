import type { RunOutcome } from '../../machines/run.types.ts';
import type { PartView } from './parts.ts';
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
  /** Images and documents that it was shown with that; left out when there are none. */
  attachments?: PartView[];
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
  /** Kept from an earlier call that asked the same: nobody was asked, and it cost nothing. */
  cached?: true;
  error: RunError | null;
  toolCalls: CallView[];
}

/** A model that could not serve, and the next one of the run's list, which was asked instead. */
export interface SwitchView {
  /** The transition. */
  seq: number;
  from: string;
  to: string;
  error: RunError;
}

/** What a person is asked. */
export interface PendingView {
  kind: 'confirm' | 'question' | 'reconcile';
  callId: string;
  name: string;
  arguments: unknown;
  argumentsHash: string;
  why: string;
  /** What the call would do, in the tool's own words: a unified diff of the file. Known secrets are taken out. */
  preview?: string;
}

export interface RunView {
  runId: string;
  sessionId: string;
  /** The named agent; left out for the default one. */
  agent?: string;
  status: RunStatus;
  /** Null until the run has ended. */
  outcome: RunOutcome | null;
  /** What came with the user's messages; left out when nothing did. */
  attachments?: PartView[];
  /** Of the last answer. */
  text: string;
  usage: Usage;
  /** Dotted state paths, in the order they were passed through. */
  states: string[];
  steps: StepView[];
  /** In the order in which they happened; left out when there are none. */
  switches?: SwitchView[];
  pending: PendingView[];
  error: RunError | null;
}
