import type { RunFailure, RunOutcome } from '../../machines/run.types.ts';
import type { FinishKind } from '../protocol/answer.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { TokenUsage } from '../protocol/usage.ts';
import type { PromptMessage } from './chat-model.ts';

/** What every hook is told of its run. All of it is frozen, and has had known secrets taken out. */
export interface HookedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly tenantId: number;
  readonly userId: string | null;
  /** The named agent; null for runs that were made without one. */
  readonly agent: string | null;
}

/** The first model call of a run is about to be prepared. */
export interface StartingRun extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
}

/** A model is about to be asked. */
export interface StartingModelCall extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
  /** Answers that the run has had so far. */
  readonly steps: number;
  /** Of this call, from 1. */
  readonly attempt: number;
  /** Estimated, of the prompt as it is now. */
  readonly tokens: number;
  /** Names of the tools that the model is shown. */
  readonly tools: readonly string[];
  /** A copy of the prompt, made when it is asked for. */
  messages(): PromptMessage[];
}

/** A model has answered; nothing of it is stored yet. */
export interface ModelAnswered extends HookedRun {
  /** `provider/model`. */
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: FinishKind;
  readonly usage: TokenUsage | null;
  /** Whether the answer broke off. */
  readonly isPartial: boolean;
}

/** A tool is about to be run: policy has let it pass, and whoever was asked has said yes. */
export interface StartingToolCall extends HookedRun {
  /** Unique in the run: `c7`. */
  readonly callId: string;
  readonly tool: string;
  /** Parsed. A model that wrote no JSON object has been refused before. */
  readonly arguments: JsonObject;
}

/** A tool has been run; its result is not stored yet. */
export interface ToolCallDone extends StartingToolCall {
  readonly text: string;
  readonly isError: boolean;
  readonly code: string | null;
}

/** Older messages are about to be summarised. */
export interface StartingCompaction extends HookedRun {
  /** Whether somebody asked for it, and for nothing else. */
  readonly isAsked: boolean;
}

/** A run has ended, and that is stored. */
export interface RunEnded extends HookedRun {
  readonly outcome: RunOutcome;
  readonly error: RunFailure | null;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** Text that the model is shown as data from a hook; at most 8,000 characters. */
export interface AddContext {
  addContext: string;
}
/** What takes the place of what the hook was shown. */
export interface Rewrite<What> {
  rewrite: What;
}
/** It is not to happen, or not to count; the reason reaches the log, and the model or the caller. */
export interface Veto {
  veto: string;
}

/**
 * One hook. Nothing returned: go on. One that throws, answers something else or takes longer than `hookTimeoutMs`
 * refuses what it was asked about, with the code `HOOK_FAILED`.
 *
 * @param signal aborted when its time is up, and when the run is cancelled.
 */
export type Hook<View, Answer> = (
  view: View,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing
) => Answer | null | undefined | void | Promise<Answer | null | undefined | void>;

/** Functions of the host at fixed points of every run, called one after the other in the order given. */
export interface Hooks {
  /** What it adds is in every prompt of the run. Called before the first model call. */
  runStart?: readonly Hook<StartingRun, AddContext>[];
  /** What it adds is in the prompt of this call alone; a veto fails the run. */
  beforeModel?: readonly Hook<StartingModelCall, AddContext | Veto>[];
  /** Rewrites the text of the answer; a veto fails the run. Watchers see the answer only after it. */
  afterModel?: readonly Hook<ModelAnswered, Rewrite<string> | Veto>[];
  /** Rewrites the arguments, within what policy allows without a person; a veto is the call's result. */
  beforeTool?: readonly Hook<StartingToolCall, Rewrite<JsonObject> | Veto>[];
  /** Rewrites the text of the result. */
  afterTool?: readonly Hook<ToolCallDone, Rewrite<string>>[];
  /** A veto leaves all messages in place: old results are shortened, and what is still too long is cut. */
  beforeCompact?: readonly Hook<StartingCompaction, Veto>[];
  /** Looks only. Not called again when the process dies after the run has ended. */
  runEnd?: readonly Hook<RunEnded, never>[];
}

export type HookPoint = keyof Hooks;

/** What a hook did, as the event keeps it with which it was committed. */
export type HookRecord = { hook: HookPoint; name: string } & (
  | { did: 'nothing' }
  | { did: 'addContext'; text: string }
  /** `arguments` of a tool call; of texts only their length before and after. */
  | { did: 'rewrite'; arguments?: string; chars?: [before: number, after: number] }
  | { did: 'veto'; reason: string }
  | { did: 'failed'; reason: string }
);

/** The configured hooks, ready to be called. */
export interface HookSet {
  hooks: Hooks;
  /** For one call of one hook. */
  timeoutMs: number;
}
