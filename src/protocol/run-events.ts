import type { PartView } from './parts.ts';
import type { Answer, QuestionView, RunError, RunStatus, TodoItem } from './run-view.ts';
import type { Usage } from './usage.ts';

/**
 * What clients get of a run, by the name of the event: the payloads. All but the deltas are a projection of the log, so
 * they can be read again at any time.
 */
export interface RunEventPayloads {
  'lifecycle.start': { sessionId: string; agentName: string; parentRunId?: string; parentCall?: string };
  /** `event` moved the statechart. */
  'state.changed': { from: string; to: string; event: string };
  /** A model is asked. A step that is asked again, by another try or another model, does not begin again. */
  'step.begin': { stepNo: number; isSubagent: boolean; agentName: string };
  /** The answer broke off. Its words are withdrawn when `isAskedAgain`. */
  'step.interrupted': { stepNo: number; effectId: number; isAskedAgain: boolean; error: RunError };
  'assistant.message': {
    stepNo: number;
    effectId: number;
    model: string;
    content: string;
    reasoning: string;
    refusal: string;
    finishReason: string | null;
    error: RunError | null;
  };
  /** `arguments` are as the model wrote them; `decision` says what policy made of the call. */
  'tool.call': {
    callId: string;
    name: string;
    arguments: string;
    decision: 'run' | 'ask' | 'refuse';
    why?: string;
  };
  /** A person must approve the call. `argumentsHash` proves with the decision what the person saw. */
  'tool.confirm_request': AskedPayload & { kind: 'confirm' | 'reconcile' };
  /** The caller of the run must perform the call, and give its result. */
  'tool.client_request': AskedPayload;
  /** `verdict`: `result`, or why there will be none. */
  'tool.client_resolved': { callId: string; verdict: string; reason?: string };
  'tool.confirm_resolved': { callId: string; verdict: string; reason?: string };
  'tool.result': {
    callId: string;
    name: string;
    status: string;
    isError: boolean;
    code: string | null;
    content: string;
    attachments?: PartView[];
  };
  'question.asked': AskedPayload & { question: QuestionView };
  'question.answered': { callId: string; verdict: string; answer?: Answer };
  'todo.updated': { items: TodoItem[] };
  'artifact.created': { callId: string; artifact: string };
  'skill.activated': { callId: string; name: string };
  'subagent.started': { callId: string; runId: string; agentName: string };
  'subagent.ended': { callId: string; runId: string; isError: boolean };
  'memory.flush': { how: string; lines: number; error: RunError | null };
  'compaction.begin': Record<string, never>;
  'compaction.end': { error: RunError | null };
  /** Of one model call, and of the run so far. */
  usage: { call: Usage; total: { inputTokens: number; outputTokens: number; costUsd: number | null } };
  'lifecycle.end': EndPayload;
  'lifecycle.error': EndPayload & { error: RunError };
}

/** An open question to a person about a call. */
interface AskedPayload {
  callId: string;
  name: string;
  arguments: string;
  argumentsHash: string;
  why: string;
  preview?: string;
}

interface EndPayload {
  status: Extract<RunStatus, 'done' | 'failed' | 'cancelled'>;
  outcome: string;
  /** Of the last answer. */
  content: string;
}

/** One event of a run, as frames and the event stream carry it. */
export type RunEvent = {
  [Name in keyof RunEventPayloads]: {
    event: Name;
    runId: string;
    /** The transition. All its events share it: a reader that stops within it reads all of them again. */
    seq: number;
    /** The place among the events of the transition, from 0, and whether it is the last of them. */
    index: number;
    last: boolean;
    /** Milliseconds since the epoch. */
    at: number;
    payload: RunEventPayloads[Name];
  };
}[keyof RunEventPayloads];

/**
 * Pieces of an answer as it streams. They are not in the log and have no `seq`: `assistant.message` has the whole answer.
 * `offset` is the place of the piece, so that a reader can tell a repeated one.
 */
export interface RunDeltaPayloads {
  'assistant.delta': DeltaPayload & { contentType: 'text' | 'refusal' };
  'assistant.reasoning': DeltaPayload;
  /** Withdraws all pieces of that attempt. */
  'assistant.reset': { effectId: number; attempt: number };
}

interface DeltaPayload {
  /** The model call, as in `assistant.message`. */
  effectId: number;
  attempt: number;
  /** Characters of this part of the answer that come before. */
  offset: number;
  content: string;
}

export type RunDelta = {
  [Name in keyof RunDeltaPayloads]: { event: Name; runId: string; payload: RunDeltaPayloads[Name] };
}[keyof RunDeltaPayloads];
