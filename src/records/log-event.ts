import type { AnswerCall, RunFailure, SideEffectClass } from '../../machines/run.types.ts';
import type { HookRecord } from '../ports/hooks.ts';
import type { FollowedSkill } from '../ports/skill-source.ts';
import { isObject } from '../protocol/json.ts';
import type { Answer } from '../protocol/run-view.ts';
import type { EventRow } from '../store/rows.ts';

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
  /** What a person, or the client of the run, decided. To the statechart an answer, or a result, is a change of the call. */
  verdict?: string;
  reason?: string;
  by?: string;
  answer?: Answer;
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
