/** The rows that a store holds. They carry JSON as text; ids named `run` and `session` are the store's integers. */

/** Every statement that reads by a name of the user's is told whose. */
export interface Scoped {
  tenant: number;
}

export interface RunRow {
  pk: number;
  tenant: number;
  id: string;
  session: number;
  sessionKey: string;
  /** Place in its session's lane. */
  ordinal: number;
  machine: string;
  version: number;
  /** Transitions committed so far. */
  seq: number;
  /** 0 while the machine runs, 1 once it reached a final state. */
  ended: number;
  /** The state value, JSON. */
  state: string;
  context: string;
  /** What the machine was created with, JSON. */
  input: string;
  /** What the host needs to perform effects (model, tools, policy), JSON; the machine never sees it. */
  options: string;
  /** The machine's output once ended, JSON. */
  output: string | null;
  /** Who may write: grows with every take-over. */
  fence: number;
  /** Events that made the machine throw. */
  faults: number;
  createdAt: number;
  updatedAt: number;
}

/** What of a run changes whenever it moves. */
export type RunMark = Pick<RunRow, 'pk' | 'id' | 'seq' | 'ended' | 'sessionKey'>;

export interface EventRow {
  run: number;
  seq: number;
  type: string;
  /** The event without `type` and `at`, JSON. */
  body: string;
  at: number;
  /** Dotted state path after it. */
  path: string;
  /** Hash of the context after it. */
  hash: string;
}

/**
 * `held` waits for a decision or its turn, `pending` for a driver, `started` for its fact; `uncertain` was interrupted
 * and nobody knows what became of it; `done` and `cancelled` are over.
 */
export type EffectStatus = 'held' | 'pending' | 'started' | 'uncertain' | 'done' | 'cancelled';

export interface EffectRow {
  run: number;
  n: number;
  name: string;
  params: string;
  /** Bytes for the executor alone, never redacted: a tool call's name and arguments. */
  input: string | null;
  status: EffectStatus;
  attempt: number;
  fence: number;
}

export interface TimerRow {
  run: number;
  id: string;
  event: string;
  dueAt: number;
}

export type MessageRole = 'user' | 'assistant' | 'tool' | 'summary';

export interface MessageRow {
  session: number;
  run: number;
  seq: number;
  /** Place among the messages of one transition. */
  i: number;
  role: MessageRole;
  body: string;
  at: number;
}

export type ConfirmationStatus =
  | 'open'
  | 'approved'
  | 'modified'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'settled';

export interface ConfirmationRow {
  run: number;
  call: number;
  kind: string;
  status: ConfirmationStatus;
  /** Of the argument bytes that were shown. */
  hash: string;
  /** Tool name, redacted arguments, why it is asked: JSON. */
  body: string;
  /** Who decided what, JSON. */
  decision: string | null;
  askedAt: number;
}

/** What a person approved for the rest of a session: calls of one tool that a pattern means. */
export interface GrantRow {
  session: number;
  /** Number in its session, from 1; never given twice. */
  n: number;
  tool: string;
  /** JSON. */
  pattern: string;
  /** Who said so; null when that is not known. */
  by: string | null;
  /** Id of the run, and the call that was approved with it. */
  runId: string;
  call: number;
  at: number;
}

export interface ArtifactRow {
  id: string;
  run: number;
  mime: string;
  /** How `body` holds the bytes. */
  encoding: 'utf8' | 'base64';
  body: string;
  createdAt: number;
}

/** What a model was called for. */
export type UsagePurpose = 'think' | 'flush' | 'compact';

/** What `sumUsage` groups by; `all` is one group. */
export type UsageGroup = 'all' | 'day' | 'model' | 'session' | 'run' | 'purpose';

/** One call of a model. It outlives the run that made the call. */
export interface UsageRow {
  runId: string;
  /** Empty once the session is deleted. */
  sessionKey: string;
  /** The effect that made the call. */
  n: number;
  /** Place among the calls of one effect, from 0. */
  i: number;
  purpose: UsagePurpose;
  at: number;
  /** `at` in UTC, `YYYY-MM-DD`. */
  day: string;
  /** `provider/model` that was called. */
  asked: string;
  /** What the provider says has answered; null when it does not. */
  answered: string | null;
  /** All tokens of the prompt, cached ones included. */
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Null when no price is known. */
  costUsd: number | null;
  /** 1 when an answer that was kept stood in for the call. */
  cached: 0 | 1;
  /** Code of what the call failed with. */
  error: string | null;
}

/** Calls of a group, added up. */
export interface UsageSum {
  key: string;
  calls: number;
  failed: number;
  /** Answered without asking a provider. */
  cached: number;
  /** Calls for which no price is known; `costUsd` is without them. */
  unpriced: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  costUsd: number;
}

/** The sum of no calls. */
export const noCalls: UsageSum = {
  key: '',
  calls: 0,
  failed: 0,
  cached: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

/** A budget that runs share, in one of its periods. */
export interface BudgetKey {
  id: string;
  /** `YYYY-MM-DD` or `YYYY-MM` in UTC; empty for a budget that never starts anew. */
  period: string;
}

export interface BudgetRow extends BudgetKey {
  maxTokens: number | null;
  maxCostUsd: number | null;
  spentTokens: number;
  spentCostUsd: number;
  /** Reserved for calls under way, by holds that have not expired. */
  heldTokens: number;
  heldCostUsd: number;
  holds: number;
  updatedAt: number;
}

/** What a call may cost, set aside before it starts. */
export interface HoldRow {
  run: number;
  n: number;
  budget: string;
  period: string;
  tokens: number;
  costUsd: number;
  /** From then on it counts no more. */
  expiresAt: number;
}

/** What made a driver give a fact up; see the statement `noteDriverError`. */
export interface DriverError {
  runId: string;
  /** Milliseconds since the epoch. */
  at: number;
  code: string;
  message: string;
}
