/** What a repeat of a call would do; see `defineTool`. */
export type SideEffectClass = (typeof sideEffectClasses)[number];

/** By the harm of a repeat, from the least. */
export const sideEffectClasses = ['readonly', 'idempotent', 'probe', 'unsafe'] as const;

/** What a person decides on a call. */
export const confirmVerdicts = ['approve', 'reject', 'modify'] as const;

/** What a person says of a call whose outcome is unknown: it ran, it is made again, or the run goes on without it. */
export const reconcileVerdicts = ['ran', 'retry', 'skip'] as const;

/** The number of the call that a run of one call makes: also that of its effect. */
export const onlyCall = 1;

/**
 * A tool call of the last answer that has no result yet.
 * `asked` waits for a person's decision, or for a result of the run's caller, `ready` for its turn, `started` for its fact. `asking` has started and waits for
 * a person's answer. `parked` has started a sub-run that waits for a person. `uncertain` waits for a person to say whether
 * it ran.
 */
export interface PendingCall {
  /** Also the number of its effect. */
  id: number;
  class: SideEffectClass;
  state: 'asked' | 'ready' | 'started' | 'asking' | 'parked' | 'uncertain';
}

/** Limits of one run, in milliseconds, US dollars or counts; null = none. */
export interface RunLimits {
  steps: number;
  tokens: number | null;
  costUsd: number | null;
  /** Maximum working time; waiting for people does not count. */
  workMs: number;
  /** Maximum of steps in a row in which every call failed. */
  errors: number;
  /** Maximum of failures in a row of the same call. */
  repeats: number;
  /** Maximum of attempts at one model call. */
  attempts: number;
  /** Maximum of read-only calls that run at once. */
  parallel: number;
  queueMs: number;
  confirmMs: number;
  reconcileMs: number;
}

type DoneOutcome = 'completed' | 'completed_degraded';
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
  | 'invalid_output'
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
 * The kind of the last answer. `none` before the first and after a compaction; `unwanted` while the run is only to
 * compact, until it gets a message; `given` of a run that an earlier version was to make one given call with.
 *
 * Of a run with an output schema: `unfit` does not fit the schema, and the model is asked to mend it. `mends` asks for
 * calls before that is done, or is a compaction in between. `invalid` does not fit although the model was asked.
 */
export type AnswerKind =
  | 'none'
  | 'unwanted'
  | 'given'
  | 'calls'
  | 'text'
  | 'unfit'
  | 'mends'
  | 'invalid'
  | 'empty'
  | 'length'
  | 'refusal'
  | 'contentFilter';

export interface RunContext {
  /** Effects created so far; the next one's id is this plus one. Tool calls are effects, so their ids come from here too. */
  effectCount: number;
  /** The model, flush or compact effect in flight. */
  awaiting: number | null;
  /** Attempts at the current model call, flush or compaction. */
  attempt: number;
  /** Models of the run's list that the current model call has given up on. */
  route: number;
  /** How long the current model call has backed off so far, in milliseconds. */
  waitedMs: number;
  steps: number;
  answer: AnswerKind;
  /** Empty answers in a row. */
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
  /** Whether policy refused every call of the last answer with calls. */
  refused: boolean;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  /** Prunings and compactions since the last answer. The stored name is older than the word compaction. */
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
  /** All that the run does: it compacts the conversation. `call`: only in runs of earlier versions, which made one given call. */
  only?: 'compact' | 'call';
}

/** Tokens and money of one model call; `costUsd` is null when no price is known. */
export interface CallCost {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** A call in an answer. A call with gate `refuse` gets its result at once and never becomes pending. */
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

type RunCommand =
  | ({ type: 'run.start' } & At)
  | ({ type: 'run.message' } & At)
  | ({ type: 'run.cancel'; reason?: string } & At)
  /** Only `approve` and `modify` make the call ready. `class`: set when new arguments changed the call's class. */
  | ({
      type: 'confirm.decide';
      callId: number;
      verdict: (typeof confirmVerdicts)[number];
      class?: SideEffectClass;
    } & At)
  | ({ type: 'tool.reconcile'; callId: number; verdict: (typeof reconcileVerdicts)[number] } & At);

export type RunFact =
  /** `message`: the provider's error, when the provider refused the prompt. `partial`: as in `model.failed`. */
  | ({ type: 'context.tooBig'; tokens: number; message?: string; cost?: CallCost; partial?: boolean } & Fact)
  /** The prompt was near its maximum; from now on it leaves out `results` tool results. */
  | ({ type: 'context.pruned'; results: number; tokens: number; saved: number } & Fact)
  | ({
      type: 'model.done';
      finish: 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'refusal' | 'unknown';
      /** Whether the answer has words for the user. */
      text: boolean;
      /** Whether the words fit the run's output schema. Undefined without a schema, and in an answer with calls. */
      fits?: boolean;
      calls: AnswerCall[];
      cost: CallCost;
    } & Fact)
  | ({
      type: 'model.failed';
      error: RunFailure;
      outcome: 'provider_error' | 'internal_error' | 'blocked_by_environment' | 'budget_exhausted';
      /** The answer had begun. Its words are withdrawn if the call is made again. For readers of the log. */
      partial: boolean;
      /** How long to wait before the next attempt; chosen by the host, because it is random. */
      delayMs: number;
      cost: CallCost;
    } & Fact)
  /** `from` failed; the call continues with the next model of the run's list. `partial`: as in `model.failed`. */
  | ({
      type: 'model.switched';
      from: string;
      to: string;
      error: RunFailure;
      cost: CallCost;
      partial?: boolean;
    } & Fact)
  /** `key` hashes the call's name and arguments, to detect a repeat; `cost` is that of the call's sub-run. */
  | ({ type: 'tool.done'; key: string; cost?: CallCost } & Fact)
  | ({ type: 'tool.failed'; code: string; key: string; cost?: CallCost } & Fact)
  | ({ type: 'tool.uncertain' } & Fact)
  /** A running call has a question for a person and keeps running. The host knows the question. */
  | ({ type: 'tool.asked'; callId: number; question?: unknown } & At)
  /** The sub-run of a running call waits for a person, or resumes. */
  | ({ type: 'subrun.parked'; callId: number } & At)
  | ({ type: 'subrun.resumed'; callId: number } & At)
  /** `how`: the model wrote the lines, they are an extract of the conversation, or there was nothing to keep. */
  | ({ type: 'flush.done'; how?: 'model' | 'extract' | 'nothing'; lines?: number; cost?: CallCost } & Fact)
  | ({ type: 'flush.failed'; error: RunFailure; cost?: CallCost } & Fact)
  | ({ type: 'compact.done'; cost: CallCost } & Fact)
  /** `outcome`: only when a shared budget admitted no call, so that another attempt is no use. */
  | ({ type: 'compact.failed'; error: RunFailure; outcome?: 'budget_exhausted'; cost: CallCost } & Fact)
  | ({ type: 'effect.poisoned' } & Fact)
  /** A driver took the run over; `lastAt` is the time of the previous driver's last transition. */
  | ({ type: 'run.resumed'; lastAt: number } & At)
  | ({ type: 'run.faulted'; code: string; message: string } & At);

export type RunTimerName = 'queue' | 'deadline' | 'backoff' | 'confirm' | 'reconcile';
type RunTimer = { type: `timer.${RunTimerName}` } & At;

export type RunEvent = RunCommand | RunFact | RunTimer;

/** Why the run closes calls without a fact; `RECONCILED` comes from `tool.reconcile`. */
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

/** Why the run closes the question of a running call without an answer. */
export type QuestionCloseCode =
  | 'EXPIRED'
  /** The user sent a message instead. */
  | 'SKIPPED'
  /** The call ended meanwhile. */
  | 'CANCELLED';
