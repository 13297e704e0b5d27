/** What a repeat of a call would do; see `defineTool`. */
export type SideEffectClass = 'readonly' | 'idempotent' | 'probe' | 'unsafe';

/**
 * A tool call of the last answer that has no result yet.
 * `asked` waits for a person, `ready` for its turn, `started` for its fact, `asking` has started and waits for a person's
 * answer before it goes on, `parked` has started a sub-run that waits for a person, `uncertain` for somebody who knows.
 */
export interface PendingCall {
  /** Also the number of its effect. */
  id: number;
  class: SideEffectClass;
  state: 'asked' | 'ready' | 'started' | 'asking' | 'parked' | 'uncertain';
}

/** Bounds of one run. Milliseconds, US dollars, counts; null = none. */
export interface RunLimits {
  steps: number;
  tokens: number | null;
  costUsd: number | null;
  /** Working time; waiting for people does not count. */
  workMs: number;
  /** Steps in a row whose every call failed. */
  errors: number;
  /** The same call, failing each time. */
  repeats: number;
  /** Attempts at one model call. */
  attempts: number;
  /** Read-only calls that may run at once. */
  parallel: number;
  queueMs: number;
  confirmMs: number;
  reconcileMs: number;
}

export type DoneOutcome = 'completed' | 'completed_degraded';
export type FailedOutcome =
  | 'max_steps'
  | 'budget_exhausted'
  | 'deadline'
  | 'loop_detected'
  | 'refused'
  | 'content_filtered'
  | 'truncated'
  | 'blocked_by_environment'
  | 'blocked_by_policy'
  | 'provider_error'
  | 'internal_error'
  | 'poisoned';
export type RunOutcome = DoneOutcome | FailedOutcome | 'cancelled';

export interface RunFailure {
  code: string;
  message: string;
  retryable: boolean;
}

export interface RunOutput {
  outcome: RunOutcome;
  error: RunFailure | null;
}

/**
 * What the last answer was, as far as the chart cares. `none` before the first and after a compaction; `unwanted` when
 * the run is only to compact, until somebody says something to it.
 */
export type AnswerKind =
  | 'none'
  | 'unwanted'
  | 'calls'
  | 'text'
  | 'empty'
  | 'length'
  | 'refusal'
  | 'contentFilter';

export interface RunContext {
  /** Effects minted so far; the next one is this plus one. Tool calls are effects, so their ids come from here too. */
  effectCount: number;
  /** The model, flush or compact effect whose fact is awaited. */
  awaiting: number | null;
  /** Attempts at the current model call, flush or compaction. */
  attempt: number;
  /** Models of the run's list that the current model call has given up on. */
  route: number;
  /** How long the current model call has backed off so far, in milliseconds. */
  waitedMs: number;
  steps: number;
  answer: AnswerKind;
  /** Answers of nothing in a row. */
  empty: number;
  /** Messages that no model call has seen yet. */
  unseen: number;
  pending: PendingCall[];
  /** Steps in a row without one successful call. */
  errors: number;
  /** Whether the current step has counted in `errors` already, or had a success. */
  judged: boolean;
  /** The last failing call, by a hash of name and arguments, and how often it failed in a row. */
  failing: string | null;
  times: number;
  /** True while every call of the last answer with calls was refused by policy. */
  refused: boolean;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  /** Times since the last answer that the conversation was made smaller, by pruning or by compaction. */
  care: number;
  /** `memory`: a flush failed. `history`: compaction failed for good, and prompts are cut to fit instead. */
  loss: 'memory' | 'history' | null;
  /** Working time before `since`; none is added while a call is parked. */
  spentMs: number;
  since: number;
  /** Set by the transition that ends the run. */
  end: RunOutput | null;
  limits: Omit<RunLimits, 'queueMs'>;
}

export interface RunInput {
  limits: RunLimits;
  /** Compact the conversation, and nothing else. */
  only?: 'compact';
}

/** Tokens and money of one model call. */
export interface CallCost {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** A call as its answer brought it: `refuse` was answered at once and never becomes pending. */
export interface AnswerCall {
  callId: number;
  gate: 'run' | 'ask' | 'refuse';
  class: SideEffectClass;
  /** Of a refused call: whether policy refused it (not a mistake of the model). */
  byPolicy?: boolean;
  /** Of a refused call: hash of name and arguments. */
  key?: string;
}

export interface At {
  /** Milliseconds since the epoch; the machine has no clock. */
  at: number;
}
export interface Fact extends At {
  effectId: number;
}

export type RunCommand =
  | ({ type: 'run.start' } & At)
  | ({ type: 'run.message' } & At)
  | ({ type: 'run.cancel'; reason?: string } & At)
  /** `class` when new arguments gave the call another one. */
  | ({
      type: 'confirm.decide';
      callId: number;
      verdict: 'approve' | 'reject' | 'modify';
      class?: SideEffectClass;
    } & At)
  | ({ type: 'tool.reconcile'; callId: number; verdict: 'ran' | 'retry' | 'skip' } & At);

export type RunFact =
  /** `message`: the provider's own words, when it was the provider who refused the prompt. */
  | ({ type: 'context.tooBig'; tokens: number; message?: string; cost?: CallCost } & Fact)
  /** The prompt was near its bounds; `results` tool results are left out of it from now on. */
  | ({ type: 'context.pruned'; results: number; tokens: number; saved: number } & Fact)
  | ({
      type: 'model.done';
      finish: 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'refusal' | 'unknown';
      /** Whether the answer has words for the user. */
      text: boolean;
      calls: AnswerCall[];
      cost: CallCost;
    } & Fact)
  | ({
      type: 'model.failed';
      error: RunFailure;
      outcome: 'provider_error' | 'internal_error' | 'blocked_by_environment' | 'budget_exhausted';
      /** Output had begun, so a repeat would say things twice. */
      partial: boolean;
      /** How long to wait before the next attempt; chosen by the host, because it is random. */
      delayMs: number;
      cost: CallCost;
    } & Fact)
  /** `from` cannot serve; the call goes on with the next model of the run's list. */
  | ({ type: 'model.switched'; from: string; to: string; error: RunFailure; cost: CallCost } & Fact)
  /** `key` is a hash of the call's name and arguments, by which a repeat is known; `cost` is that of a run within. */
  | ({ type: 'tool.done'; key: string; cost?: CallCost } & Fact)
  | ({ type: 'tool.failed'; code: string; key: string; cost?: CallCost } & Fact)
  | ({ type: 'tool.uncertain' } & Fact)
  /** A call at work has a question for a person; it stays at work. What is asked is the host's affair. */
  | ({ type: 'tool.asked'; callId: number; question?: unknown } & At)
  /** The sub-run of a call at work waits for a person, or goes on. */
  | ({ type: 'subrun.parked'; callId: number } & At)
  | ({ type: 'subrun.resumed'; callId: number } & At)
  /** `how` the lines came about: written by the model, an extract of the conversation, or there was nothing to keep. */
  | ({ type: 'flush.done'; how?: 'model' | 'extract' | 'nothing'; lines?: number; cost?: CallCost } & Fact)
  | ({ type: 'flush.failed'; error: RunFailure; cost?: CallCost } & Fact)
  | ({ type: 'compact.done'; cost: CallCost } & Fact)
  | ({ type: 'compact.failed'; error: RunFailure; cost: CallCost } & Fact)
  | ({ type: 'effect.poisoned' } & Fact)
  /** A driver took the run over; `lastAt` is when the one before last moved it. */
  | ({ type: 'run.resumed'; lastAt: number } & At)
  | ({ type: 'run.faulted'; code: string; message: string } & At);

export type RunTimerName = 'queue' | 'deadline' | 'backoff' | 'confirm' | 'reconcile';
export type RunTimer = { type: `timer.${RunTimerName}` } & At;

export type RunEvent = RunCommand | RunFact | RunTimer;

/** Why calls are closed without running; `tool.reconcile` brings `RECONCILED`. */
export type CloseCode =
  | 'REJECTED_BY_USER'
  | 'EXPIRED'
  | 'SKIPPED'
  /** The run ended before the call started. */
  | 'CANCELLED'
  /** The run ended while the call was running. */
  | 'ABORTED'
  | 'OUTCOME_UNKNOWN'
  | 'RECONCILED';

/** Why a question of a call at work is closed without an answer. */
export type QuestionCloseCode =
  | 'EXPIRED'
  /** The user sent a message instead. */
  | 'SKIPPED'
  /** The call ended meanwhile. */
  | 'CANCELLED';
