import type { AnswerCall, RunFailure, SideEffectClass } from '../../machines/run.types.ts';
import { noTokens, type Usage } from '../protocol/content.ts';
import type { Decider } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import { isObject } from '../protocol/json.ts';
import type { FollowedSkill, HookRecord } from '../protocol/ports.ts';
import type { CallPreview, ClientResult } from '../protocol/tool.ts';
import { type Answer, type QuestionView, reasonText } from '../protocol/views.ts';
import { hex, sha256, shortHash } from '../text/ids.ts';
import type { ConfirmationRow, EventRow } from './rows.ts';

/** A call's number as people and programs see it. */
export function callName(callId: number): string {
  return `c${callId}`;
}

export function noCall(runId: string, call: number): DetentError {
  return new DetentError(
    'NOT_FOUND',
    `run ${runId} does not ask that about call c${call}; "detent runs show ${runId}" says what it asks`,
    {
      details: { runId, callId: `c${call}` },
    },
  );
}

/** `c7`, `7` or 7 as 7; `runId` for the error. @throws DetentError `INVALID_CALL_ID`. */
export function callNumber(call: string | number, runId = 'RUN'): number {
  const match = /^c?(\d{1,9})$/.exec(String(call));
  if (!match)
    throw new DetentError(
      'INVALID_CALL_ID',
      `"${call}" is not a call id, such as c7; "detent runs show ${runId}" lists those of a run`,
    );
  return Number(match[1]);
}

/** What `effects.input` holds for a tool call: the bytes to execute. Never shown but with the scope to approve. */
export interface CallInput {
  name: string;
  arguments: string;
  /** Why policy asks or does not. */
  why: string;
  /** SHA-256 of the argument bytes, hex; empty when no person was asked. */
  hash: string;
  /** Set when the call writes guarded files, or may: a person's approval covers them. */
  guarded?: true;
  /** The redacted preview for the approving person. */
  preview?: CallPreview;
  /** The question, when the call is one. */
  question?: QuestionView;
  /** The answer. Kept apart from the arguments, so that the model cannot write one. */
  answer?: Answer;
  /** The caller of the run performs the call. */
  client?: true;
  /** A workflow asks: a person approves or rejects the call as it is. */
  asIs?: true;
  /** Who decides; left out where anyone may who may approve. */
  decides?: Decider;
  /** The result that the caller gave. */
  result?: ClientResult;
  /** The answers to questions of the running call, by their keys. */
  answers?: Record<string, Answer>;
  /** Set by a fork, in which the call is made again: what approved it was for the original. */
  again?: true;
  /** Set when a hook changed the arguments, with those that it changed, and what the hooks of the call did. */
  hooked?: { by: string; arguments: string; records: HookRecord[] };
  /** Set when a person changed the arguments. */
  modified?: true;
  /** The model's original arguments, when a person changed them: a fork from before the change needs them. */
  asked?: Pick<CallInput, 'arguments' | 'why' | 'hash'>;
}

/**
 * The hash that a decision names to prove which arguments the person saw: SHA-256 of their UTF-8 bytes, hex.
 */
export function argumentsHash(rawArguments: string): string {
  return hex(sha256(rawArguments));
}

/** Why a call runs whose arguments a person changed. */
export const whyModified = reasonText('arguments_changed');

/** The key by which a repeated call is recognized. */
export function callKey(name: string, rawArguments: string): string {
  return shortHash(`${name}\n${rawArguments}`);
}

/** The call before a hook changed its arguments: for a fork, which calls the hooks again. */
export function withoutRewrite({ hooked, ...input }: CallInput): CallInput {
  return hooked ? { ...input, arguments: hooked.arguments } : input;
}

/** The note for the model about arguments that replaced its own. */
export function changedNote({ hooked, modified, arguments: raw }: CallInput): string {
  const who = hooked ? `hook "${hooked.by}"` : modified ? 'user' : null;
  return who === null ? '' : `[The ${who} changed the arguments to ${raw}]\n`;
}

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

/** What `confirmations.body` holds, with known secrets taken out. Of a workflow, `name` is the id of the step. */
export interface AskedBody
  extends Pick<CallInput, 'name' | 'arguments' | 'why' | 'question' | 'asIs' | 'decides'> {
  preview?: string;
  /** Of the preview. */
  version?: string;
  /** Of a question that a running call asks. */
  key?: string;
}

/** The columns that say what was asked, and what became of it: a fork has them before it has rows. */
type QuestionRow = Pick<
  ConfirmationRow,
  'call' | 'kind' | 'hash' | 'body' | 'status' | 'askedAt' | 'decision'
> &
  Partial<Pick<ConfirmationRow, 'holder' | 'heldUntil'>>;

/** A question about a call, to a person or to the client of the run, and what became of it. */
export interface Question extends AskedBody, Omit<QuestionRow, 'body' | 'decision' | 'holder' | 'heldUntil'> {
  /** Null while it is open. */
  decision: Decision | null;
  /** Of a call that a client performs: which installation holds it. */
  held?: { by: string; until: number };
}

export function questionOf({
  body,
  call,
  kind,
  hash,
  status,
  askedAt,
  decision,
  holder = null,
  heldUntil = null,
}: QuestionRow): Question {
  return {
    ...(JSON.parse(body) as AskedBody),
    ...{ call, kind, hash, status, askedAt },
    decision: decision === null ? null : (JSON.parse(decision) as Decision),
    ...(holder !== null && heldUntil !== null && { held: { by: holder, until: heldUntil } }),
  };
}

/** The body of its row, as {@link questionOf} read it. */
export function bodyOf(question: Question): AskedBody {
  const { call, kind, hash, status, askedAt, decision, held, n, ...body } = question as Question & {
    n?: number;
  };
  return body;
}

export function isOpen({ status }: Pick<QuestionRow, 'status'>): boolean {
  return status === 'open';
}

/** Whether an effect has no result yet, in its row or as a run's log tells of it. */
export function isOpenEffect({ status }: { status: string }): boolean {
  return status !== 'done' && status !== 'cancelled';
}

/** The decision, as it is told to everybody who was told of the question; null while the question is open. */
export function decidedOf({ decision, askedAt }: Pick<Question, 'decision' | 'askedAt'>) {
  if (decision === null) return null;
  const { verdict, by = null, at } = decision;
  return { verdict, by, decidedAt: at, waitedMs: Math.max(0, at - askedAt) };
}

/** An event in the log of an agent's run: each kind has some of the fields. An imported run has lines of any shape. */
export interface LogEvent {
  type: string;
  /** Of a fact. */
  effectId?: number;
  callId?: number;
  error?: RunFailure;
  code?: string;
  message?: string;
  calls?: AnswerCall[];
  finish?: string;
  /** Whether the answer fits the output schema. */
  fits?: boolean;
  refusals?: { callId: number; code: string; why: string }[];
  /** The answer is the sentence of a budget that its user is over: how much was spent. */
  overBudget?: string;
  delayMs?: number;
  partial?: boolean;
  from?: string;
  to?: string;
  hooks?: HookRecord[];
  /** The skill that a call has loaded. */
  skill?: FollowedSkill;
  /** Of a note before a compaction. */
  how?: string;
  lines?: number;
  /** Of model calls whose answers are no messages: those of a flush, and most that failed. */
  usage?: Usage;
  /** The verdict of a person, or of the client of the run. To the statechart an answer, or a result, is a change of the call. */
  verdict?: string;
  reason?: string;
  by?: string;
  answer?: Answer;
  /** Of a cancellation: the takeover that took the run's place. */
  takeover?: string;
  /** Of a result of the client, which is a message: its size. */
  given?: object;
  /** What came of a call that ran, though its process died. */
  result?: string;
  /** Of the call with the arguments that a person gave it. */
  class?: SideEffectClass;
  [field: string]: unknown;
}

export function logEvent({ type, body }: Pick<EventRow, 'type' | 'body'>): LogEvent {
  return { type, ...JSON.parse(body) };
}

/** Events of model calls whose answers may be no messages. */
export const unsaidCalls: ReadonlySet<string> = new Set([
  ...['flush.done', 'flush.failed', 'compact.failed', 'model.failed', 'model.switched', 'context.tooBig'],
]);

/** What model calls used whose answers are no messages; null for none. Events of earlier versions have only their `cost`. */
export function unsaidUsage({ type, usage, partial, cost }: LogEvent): Usage | null {
  if (!unsaidCalls.has(type)) return null;
  if (isObject(usage)) return usage;
  if (partial || !isObject(cost)) return null;
  const { inputTokens, outputTokens, costUsd } = cost;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return null;
  // The machine adds up costs, so an unknown one is 0.
  return {
    ...noTokens,
    inputTokens,
    outputTokens,
    costUsd: typeof costUsd === 'number' ? costUsd || null : null,
  };
}

/** The skill that a call has loaded with this event; null if it has loaded none. */
export function loadedSkill({ type, skill }: Pick<LogEvent, 'type' | 'skill'>): FollowedSkill | null {
  return type === 'tool.done' && isObject(skill) && typeof skill.name === 'string' ? skill : null;
}

/** What a person, or the client of the run, decided on a call. */
export interface CallDecision extends LogEvent {
  type: 'confirm.decide' | 'tool.reconcile';
  callId: number;
  verdict: string;
}

export function isCallDecision(event: LogEvent): event is CallDecision {
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
