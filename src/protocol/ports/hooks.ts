import type { RunFailure, RunOutcome } from '../../../machines/run.types.ts';
import type { FinishKind, TokenUsage } from '../content.ts';
import type { QuestionKind } from '../enums.ts';
import type { JsonObject } from '../json.ts';
import type { PromptMessage } from './chat-model.ts';

/** The facts about the run in every hook's view. Frozen and redacted. */
export interface HookedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly tenantId: number;
  readonly userId: string | null;
  /** The named agent; null for runs without one. */
  readonly agent: string | null;
}

/** Before the first model call of a run. */
export interface StartingRun extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
}

/** Before a model call. */
export interface StartingModelCall extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
  /** Answers that the run has had so far. */
  readonly steps: number;
  /** Of this call, from 1. */
  readonly attempt: number;
  /** Estimated tokens of the prompt. */
  readonly tokens: number;
  /** Names of the tools that the model is shown. */
  readonly tools: readonly string[];
  /** Makes a copy of the prompt. */
  messages(): PromptMessage[];
}

/** After a model's answer, before it is stored. */
export interface ModelAnswered extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: FinishKind;
  readonly usage: TokenUsage | null;
  /** Whether the answer was interrupted. */
  readonly isPartial: boolean;
}

/** Before a tool runs, after policy and people have allowed the call. */
export interface StartingToolCall extends HookedRun {
  /** Unique in the run: `c7`. */
  readonly callId: string;
  readonly tool: string;
  /** Parsed. A model that wrote no JSON object has been refused before. */
  readonly arguments: JsonObject;
}

/** After a tool has run, before its result is stored. */
export interface ToolCallDone extends StartingToolCall {
  readonly text: string;
  readonly isError: boolean;
  readonly code: string | null;
}

/** Before a compaction. */
export interface StartingCompaction extends HookedRun {
  /** Whether a person asked for this compaction. */
  readonly isAsked: boolean;
}

/** After the end of a run is committed. */
export interface RunEnded extends HookedRun {
  readonly outcome: RunOutcome;
  readonly error: RunFailure | null;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null when no price is known. */
  readonly costUsd: number | null;
}

/** What a run waits for. */
interface Question extends HookedRun {
  /** Unique in the run: `c7`. */
  readonly callId: string;
  /** `confirm` of a call, `question`, `reconcile` of a call with an unknown outcome, or `client`: a result of the run's caller. */
  readonly kind: QuestionKind;
  /** The tool; of a workflow's step, its invocation. */
  readonly tool: string;
  /** The rule by which it is asked. */
  readonly why: string;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /** The run that waits for this one: a workflow, or a run with a task; null for none. */
  readonly parentRunId: string | null;
}

/** After it is committed that a run waits for a person, or for its client. */
export interface RunWaiting extends Question {
  /** As the person sees them, JSON, with known secrets taken out. */
  readonly arguments: string;
}

/** After the decision is committed. */
export interface RunDecided extends Question {
  /** `approve`, `reject`, `modify`, `answer`, `result`, `ran`, `retry`, `skip`, `expired` or `withdrawn`. */
  readonly verdict: string;
  /** Who decided; null if that is not known, or if nobody did. */
  readonly by: string | null;
  readonly decidedAt: number;
  readonly waitedMs: number;
}

/** Text that the prompt shows as data from a hook; at most 8,000 characters. */
export interface AddContext {
  addContext: string;
}
/** Replaces the value that the hook got. */
export interface Rewrite<What> {
  rewrite: What;
}
/** Stops the call or rejects its answer. The log gets the reason, and so does the model or the caller. */
export interface Veto {
  veto: string;
}

/**
 * One hook. To change nothing, return nothing. A hook that throws, returns anything else or takes longer than
 * `hookTimeoutMs` counts as a veto, with the code `HOOK_FAILED`.
 *
 * @param signal aborted at the hook's timeout, and when the run is cancelled.
 */
export type Hook<View, Answer> = (
  view: View,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing
) => Answer | null | undefined | void | Promise<Answer | null | undefined | void>;

/** Functions of the host at fixed points of every run, called one after the other, in order. */
export interface Hooks {
  /** Called before the first model call. Its text is in every prompt of the run. */
  runStart?: readonly Hook<StartingRun, AddContext>[];
  /** Its text is only in the prompt of this call; a veto fails the run. */
  beforeModel?: readonly Hook<StartingModelCall, AddContext | Veto>[];
  /** Rewrites the text of the answer; a veto fails the run. Watchers see the answer only after it. */
  afterModel?: readonly Hook<ModelAnswered, Rewrite<string> | Veto>[];
  /** Rewrites the arguments, within what policy allows without a person; a veto is the call's result. */
  beforeTool?: readonly Hook<StartingToolCall, Rewrite<JsonObject> | Veto>[];
  /** Rewrites the text of the result. */
  afterTool?: readonly Hook<ToolCallDone, Rewrite<string>>[];
  /** A veto keeps all messages: Detent shortens old results, and cuts what is still too long. */
  beforeCompact?: readonly Hook<StartingCompaction, Veto>[];
  /** Observes only. Called at least once for each question of a run, of an agent or a workflow. */
  runWaiting?: readonly Hook<RunWaiting, never>[];
  /** Observes only. Called at least once for each decision on such a question. */
  runDecided?: readonly Hook<RunDecided, never>[];
  /** Observes only. Not called again if the process dies after the run has ended. */
  runEnd?: readonly Hook<RunEnded, never>[];
}

export type HookPoint = keyof Hooks;

/** The record of a hook in the event with which it was committed. */
export type HookRecord = { hook: HookPoint; name: string } & (
  | { did: 'nothing' }
  | { did: 'addContext'; text: string }
  /** `arguments` of a tool call; for texts only their length before and after. */
  | { did: 'rewrite'; arguments?: string; chars?: [before: number, after: number] }
  | { did: 'veto'; reason: string }
  | { did: 'failed'; reason: string }
);

/** The configured hooks, ready to be called. */
export interface HookSet {
  hooks: Hooks;
  /** Timeout of one call of one hook. */
  timeoutMs: number;
}
