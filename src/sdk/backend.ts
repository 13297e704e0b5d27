import type { Answer, ClientEvent } from '../client/index.ts';

/** What an engine asks for when its user says something. */
export interface SdkStart {
  prompt: string;
  sessionId: string;
  /** Repeated requests with this key make one run. */
  idempotencyKey: string;
  agent?: string;
  tools?: string[];
  clientTools?: { name: string; description: string; parameters: Record<string, never> }[];
  attachments?: { id: string }[];
}

/** What a person decides about a call. `modify` has new arguments in place of those of the model. */
export type Decision =
  | { verdict: 'approve' }
  | { verdict: 'reject'; reason?: string }
  | { verdict: 'modify'; arguments: Record<string, unknown> };

/** The result of a decision. `stands` is false when an earlier decision won. */
export interface Decided {
  stands: boolean;
  verdict: string;
}

export type Thumb = 'up' | 'down';

/**
 * Where an SDK runs agents. `overGateway`, `overDetent` and `overCore` make one; your own needs only these functions. Each rejects
 * with an error that has a `code`.
 */
export interface Backend {
  /** Resolves when the run is durable. */
  start(start: SdkStart): Promise<{ runId: string }>;
  /** The events of a run from its first one: each once and in order, with whole answers in pieces. Ends with the run. */
  watch(runId: string): AsyncIterable<ClientEvent>;
  /** The runs of a conversation, newest first. */
  runs(sessionId: string): Promise<{ runId: string }[]>;
  confirm(runId: string, callId: string, decision: Decision & { hash: string }): Promise<Decided>;
  /** Without an answer, closes the question. */
  answer(runId: string, callId: string, answer: Answer | undefined, hash: string): Promise<Decided>;
  /** Claims a call of a tool of the app. @throws an error with the code `CALL_CLAIMED` when another installation has claimed it */
  claim(runId: string, callId: string, installation: string): Promise<unknown>;
  result(
    runId: string,
    callId: string,
    given: { result: string; isError: boolean; installation: string },
  ): Promise<unknown>;
  steer(runId: string, message: string): Promise<unknown>;
  cancel(runId: string, reason: string | undefined): Promise<unknown>;
  clear(sessionId: string): Promise<unknown>;
  rate(sessionId: string, rating: { runId: string; thumb: Thumb; reason?: string }): Promise<unknown>;
  /** Closes what the backend opened itself. */
  close(): void;
}
