import type * as z from 'zod/mini';
import type { RunOutcome } from '../../machines/run.types.ts';
import type { JsonObject } from './json.ts';
import type { PartView } from './parts.ts';
import type { answer, fieldValue, question, questionField, runError, todoItem } from './run-values.ts';
import type { Usage } from './usage.ts';

/**
 * What a run that has not ended is doing, read off its rows: `waiting` needs a person, `decided` was decided on, or got a
 * message, while no process drove it, and waits for `resume`, `interrupted` has begun work and no driver, `queued` waits for an
 * earlier run of its session, `unstarted` is a fork that nobody has resumed: no time passes for it.
 */
export const unfinishedStatuses = [
  'queued',
  'unstarted',
  'running',
  'waiting',
  'decided',
  'interrupted',
] as const;

export const runStatuses = [...unfinishedStatuses, 'done', 'failed', 'cancelled'] as const;

/** How the run of a workflow ended. */
export type WorkflowOutcome = 'done' | 'failed' | 'cancelled';

/** How a run ended: of an agent, or of a workflow. */
export type AnyOutcome = RunOutcome | WorkflowOutcome;

export type RunStatus = (typeof runStatuses)[number];

export type RunError = z.output<typeof runError>;

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
  /** The hook of the program that changed the arguments. */
  changedBy?: string;
  status: CallViewStatus;
  /**
   * What a person decided: `approve`, `reject`, `modify`, `answer`, `expired`, `withdrawn`; `result` of a call that the
   * caller of the run performed; null if the call needed no decision.
   */
  decision: string | null;
  /** What a person answered to a question; a list where several options could be chosen. */
  answer?: Answer;
  /** The run that does this call's work; its own view has the details. */
  subRun?: SubRunView;
  /** The result that the model got; null while there is none. */
  result: string | null;
  /** Images and documents that it was shown with that; left out when there are none. */
  attachments?: PartView[];
  isError: boolean;
  code: string | null;
  /** The rule by which it ran, was asked about or refused, and those that it beat; left out where none was asked. */
  why?: string;
}

/** A run that another run's call of `task` started. */
export interface SubRunView {
  runId: string;
  status: RunStatus;
  outcome: AnyOutcome | null;
  /** With that of its own sub-runs; it counts towards the limits of the run that started it. */
  usage: { inputTokens: number; outputTokens: number; costUsd: number };
}

/** A line of the list that an agent keeps of its own work. */
export type TodoItem = z.output<typeof todoItem>;

/** One model answer. */
export interface StepView {
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  /** The provider's own word. */
  finishReason: string | null;
  usage: Usage | null;
  /** The answer comes from the cache: no provider was called, and it cost nothing. */
  cached?: true;
  error: RunError | null;
  toolCalls: CallView[];
  /** Why this answer does not fit the run's output schema, a line each; left out when it fits, or there is none. */
  unfit?: string;
}

/** A model that failed, and the next one of the run's list, which was called instead. */
export interface SwitchView {
  /** The transition. */
  seq: number;
  from: string;
  to: string;
  error: RunError;
}

/** A broken-off answer whose call was made again. Its words are in no prompt, and its tool calls never ran. */
export interface WithdrawnView {
  /** The transition that withdrew it. */
  seq: number;
  model: string;
  text: string;
  reasoning: string;
  refusal: string;
  usage: Usage | null;
  /** What had come of its tool calls. */
  calls: { name: string; argumentsRaw: string }[];
  error: RunError | null;
}

/** What a model or a tool asks the user. */
export type QuestionView = z.output<typeof question>;

/** One entry of a form. */
export type QuestionField = z.output<typeof questionField>;

export type FieldValue = z.output<typeof fieldValue>;

/** An answer: words, options that were chosen, or the values of a form. */
export type Answer = z.output<typeof answer>;

/** What a run waits for: an open question to a person, or, of kind `client`, the result of a call that its caller performs. */
export interface PendingView {
  /** The run below that asks, where a workflow shows what its runs ask; left out when the run itself asks. */
  runId?: string;
  kind: 'confirm' | 'question' | 'reconcile' | 'client';
  callId: string;
  name: string;
  arguments: unknown;
  argumentsHash: string;
  why: string;
  /** What the call would do, in the tool's own words: a unified diff of the file. Known secrets are taken out. */
  preview?: string;
  /** Of kind `question`: what is to be answered. */
  question?: QuestionView;
  /** Of kind `confirm`: a workflow asks, in the words of `why`, and the call is approved or rejected as it is. */
  asIs?: true;
}

/** A result that brought untrusted text into the conversation. */
export interface TaintView {
  tool: string;
  /** `c7`; null when it is not known. */
  call: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  /** It came in an earlier run of the session. */
  earlier?: true;
}

/** A skill that a run follows, and why. */
export interface FollowedSkillView {
  name: string;
  /**
   * A person named it in the prompt, a call of the model loaded it, or the run that this one is a part of follows it.
   */
  by: 'prompt' | 'call' | 'parent';
  /** That call, `c7`, and the transition that it ended with. */
  call?: string;
  seq?: number;
  from: 'bundled' | 'home' | 'project' | 'configured';
  /** SHA-256 of its files at that time; null if they could not be read. */
  hash: string | null;
  /** Whether it is trusted, and so may skip confirmations. */
  isTrusted: boolean;
  /** The only calls that it allows, as `shell (git:*)`; null if it restricts none. */
  allowed: string[] | null;
  /** The calls for which it requires a confirmation; null if it does not say. */
  confirm: string[] | null;
  /** How well it fitted the prompt; left out when it was not among the best. */
  score?: number;
}

/** The skills of a run. */
export interface SkillsView {
  /** How many it could choose from. */
  offered: number;
  /** Whether all of them were shown to the model, or the best alone. */
  mode: 'listed' | 'ranked';
  /** Those that fit the prompt by their words, best first. */
  scores: { name: string; score: number }[];
  followed: FollowedSkillView[];
}

/** `Output`: the type of the run's output schema. */
export interface RunView<Output = unknown> {
  runId: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Left out until it has ended. */
  endedAt?: number;
  /** The run whose conversation it goes on with, and words about it, as its request said. */
  after?: string;
  metadata?: Record<string, string>;
  /** The JSON Schema that the last answer must fit; left out without one. */
  outputSchema?: JsonObject;
  /** The named agent; left out for the default one. */
  agent?: string;
  /**
   * The address that its request named for its model; left out when it named none. Another process needs it named again
   * to resume the run.
   */
  endpoint?: { baseUrl?: string; apiKeyEnv?: string; api?: 'chat' | 'responses' | 'messages' };
  /** The run whose call started this one, for a sub-run. */
  parentRunId?: string;
  /** That call: `c7`. */
  parentCall?: string;
  status: RunStatus;
  /** The sub-run (of a sub-run) that asks a person, when this run waits for nothing else. */
  waitsFor?: string;
  /** When the run goes on without the person that it waits for: milliseconds since the epoch. Left out when it waits for none. */
  waitsUntil?: number;
  /** Null until the run has ended. */
  outcome: AnyOutcome | null;
  /** What came with the user's messages; left out when nothing did. */
  attachments?: PartView[];
  /** Of the last answer. */
  text: string;
  /** The JSON of the last answer, if the run has an output schema and completed; left out otherwise. */
  output?: Output;
  usage: Usage;
  /** Dotted state paths, in the order they were passed through. */
  states: string[];
  steps: StepView[];
  /** Names of the tools that its caller performs; left out when there are none. */
  clientTools?: string[];
  /** `one`: an answer may have one call of them; left out without that. */
  clientCalls?: 'one';
  /** In the order in which they happened; left out when there are none. */
  switches?: SwitchView[];
  /** In the order in which they happened; left out when there are none. */
  withdrawn?: WithdrawnView[];
  /** The first untrusted result of each tool that its newest answer had before it; left out when there are none. */
  tainted?: TaintView[];
  /** Left out when it follows none and none fitted its prompt. */
  skills?: SkillsView;
  /** The list that the agent last wrote with `todo`; left out when it wrote none. */
  todo?: TodoItem[];
  pending: PendingView[];
  error: RunError | null;
}
