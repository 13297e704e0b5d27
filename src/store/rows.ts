import type { DeliveryStatus } from '../protocol/job-view.ts';

/** The rows that a store holds. They carry JSON as text; ids named `run` and `session` are the store's integers. */

/** Input of every statement that reads by a name that users choose. */
export interface Scoped {
  tenant: number;
}

/** Part of the input of a statement that reads a page: it reads row by row, and ends once its rows have so many bytes. */
export interface PageLimit {
  /** Of the column `body`, as characters. A page has at least one row, however long, if there is one. Left out: all rows. */
  maxBytes?: number;
}

export interface TenantRow {
  id: number;
  /** Unique. */
  name: string;
  /** The folder that its runs work in: absolute, without symbolic links. Null for none. */
  workspace: string | null;
}

export interface RunRow {
  pk: number;
  tenant: number;
  id: string;
  session: number;
  sessionKey: string;
  /** The user whom the session belongs to; null for one of no user in particular. */
  user: string | null;
  /** Position in its session's lane. */
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
  /**
   * The driver that moves the run (its epoch). `noDriver` while the run waits for people alone, or was never driven:
   * a driver claims it with the event that moves it on. Null when it wants one: its driver died, or another process
   * decided on it.
   */
  driver: number | null;
  /** The driver that moved it last; null before the first. */
  lastDriver: number | null;
  /** Counts the claims of the run: a driver that lost it writes nothing more. */
  fence: number;
  /** Events that made the machine throw. */
  faults: number;
  createdAt: number;
  updatedAt: number;
}

/** See {@link RunRow.driver}. No driver has this epoch. */
export const noDriver = 0;

/** What tells a driver whether it may take a run, without the long columns that it does not need for that. */
export type TakeableRun = Pick<
  RunRow,
  | 'pk'
  | 'tenant'
  | 'id'
  | 'session'
  | 'ordinal'
  | 'machine'
  | 'version'
  | 'seq'
  | 'ended'
  | 'options'
  | 'driver'
  | 'lastDriver'
  | 'fence'
>;

/** The columns of a run that change whenever it moves, with its ids. */
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
 * `held` waits for a decision or its turn, `pending` for a driver, `started` for its fact. `linked` has begun a run, and
 * waits for that to end. `uncertain` was interrupted, and its outcome is unknown. `done` and `cancelled` are over.
 */
export type EffectStatus = 'held' | 'pending' | 'started' | 'linked' | 'uncertain' | 'done' | 'cancelled';

export interface EffectRow {
  run: number;
  n: number;
  name: string;
  params: string;
  /** Input for the executor only, never redacted: a tool call's name and arguments. */
  input: string | null;
  status: EffectStatus;
  attempt: number;
  /** The driver that started it last; null before the first. */
  driver: number | null;
  fence: number;
}

export interface TimerRow {
  run: number;
  id: string;
  event: string;
  dueAt: number;
}

/** `withdrawn`: the words of a model call that broke off and was made again. They are in no prompt. */
export type MessageRole = 'user' | 'assistant' | 'tool' | 'summary' | 'withdrawn';

export interface MessageRow {
  session: number;
  run: number;
  seq: number;
  /** Index among the messages of one transition. */
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

/** A question to a person about a call. A call may be asked about again: when its process died after it was approved. */
export interface ConfirmationRow {
  run: number;
  call: number;
  /** Number among the questions about its call, from 1. */
  n: number;
  kind: string;
  status: ConfirmationStatus;
  /** Hash of the argument bytes that the person saw. */
  hash: string;
  /** Tool name, redacted arguments and the reason for the question, JSON. */
  body: string;
  /** The decision and its author, JSON. */
  decision: string | null;
  askedAt: number;
  /** What the hooks of the host have been told: 0 nothing, 1 that the run waits, 2 the decision, too. */
  told: 0 | 1 | 2;
}

/** An approval for the rest of a session: calls of one tool that match a pattern. */
export interface GrantRow {
  session: number;
  /** Number in its session, from 1; never reused. */
  n: number;
  tool: string;
  /** JSON. */
  pattern: string;
  /** Who approved; null if unknown. */
  by: string | null;
  /** Id of the run, and the call, with which it was approved. */
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

/** The purpose of a model call. */
export type UsagePurpose = 'think' | 'flush' | 'compact';

/** What `sumUsage` groups by; `all` is one group. */
export type UsageGroup = 'all' | 'day' | 'model' | 'session' | 'user' | 'run' | 'purpose';

/** One call of a model. It outlives the run that made the call. */
export interface UsageRow {
  runId: string;
  /** Empty once the session is deleted. */
  sessionKey: string;
  /** The user whom the session belonged to when the call was made; null for no user in particular. */
  user: string | null;
  /** The effect that made the call. */
  n: number;
  /** Index among the calls of one effect. */
  i: number;
  purpose: UsagePurpose;
  at: number;
  /** `at` in UTC, `YYYY-MM-DD`. */
  day: string;
  /** `provider/model` that was called. */
  asked: string;
  /** The model that the provider reports; null if it reports none. */
  answered: string | null;
  /** All tokens of the prompt, cached ones included. */
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Null when no price is known. */
  costUsd: number | null;
  /** 1 if a cached answer replaced the call. */
  cached: 0 | 1;
  /** Error code of a failed call. */
  error: string | null;
  /** 1 if Detent estimated a part of the tokens, because the answer broke off before the provider reported them. */
  estimated: 0 | 1;
}

/** Calls of a group, added up. */
export interface UsageSum {
  key: string;
  calls: number;
  failed: number;
  /** Calls answered from the cache. */
  cached: number;
  /** Calls without a known price; `costUsd` does not include them. */
  unpriced: number;
  /** Calls with tokens that Detent estimated, because their answers broke off. */
  estimated: number;
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
  estimated: 0,
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
  /** `YYYY-MM-DD` or `YYYY-MM` in UTC; empty for a budget that never resets. */
  period: string;
}

export interface BudgetRow extends BudgetKey {
  maxTokens: number | null;
  maxCostUsd: number | null;
  spentTokens: number;
  spentCostUsd: number;
  /** Reserved for calls in flight, by holds that have not expired. */
  heldTokens: number;
  heldCostUsd: number;
  holds: number;
  updatedAt: number;
}

/** A reservation of the maximum cost of a call, made before it starts. */
export interface HoldRow {
  run: number;
  n: number;
  budget: string;
  period: string;
  tokens: number;
  costUsd: number;
  /** When it stops counting, milliseconds since the epoch. */
  expiresAt: number;
}

/** A process that drives runs, or drove them. */
export interface DriverRow {
  epoch: number;
  pid: number;
  startedAt: number;
  /** Null while it lives, as far as others know. */
  endedAt: number | null;
  /** Of its files beside the database; never used again. Empty without such files. */
  name: string;
  /** Where it listens for hints; null if it cannot. */
  address: string | null;
  /** What a hint to it must carry. */
  token: string;
  /** JSON of a {@link DriverError}. */
  lastError: string | null;
}

/** A command to a run that another process drives: that process delivers it. */
export interface CommandRow {
  id: number;
  tenant: number;
  run: number;
  runId: string;
  kind: string;
  /** What it asks, JSON; empty once it has an outcome. */
  body: string;
  /** What came of it, JSON; null while it waits. */
  outcome: string | null;
}

/** The error because of which a driver gave a fact up; see the statement `noteDriverError`. */
export interface DriverError {
  runId: string;
  /** Milliseconds since the epoch. */
  at: number;
  code: string;
  message: string;
}

/** A file that a client has uploaded, for a message to come. A run that uses it has a copy of its own. */
export interface UploadRow {
  id: string;
  /** The only user who may use it; null for all of the tenant. */
  user: string | null;
  name: string | null;
  mime: string;
  /** Base64. */
  body: string;
  createdAt: number;
}

/** A scheduled job. What it does is in the context of its run. */
export interface JobRow {
  id: string;
  /** The user for whom its runs are; null for no user in particular. */
  user: string | null;
  /** Random: a job that is made again under the same id has another one. */
  key: string;
  /** The run of the job machine that it is in. */
  run: number;
  runId: string;
  /** Who declared it: `user`, `config`, `tool`. */
  source: string;
  createdAt: number;
  updatedAt: number;
}

export type FireRowStatus = 'waiting' | 'running' | 'ok' | 'failed' | 'cancelled' | 'skipped';

/** A slot of a job: a time at which it ran, or did not. */
export interface FireRow {
  /** Number among the job's slots, from 1. */
  n: number;
  slot: number;
  /** `slot` or `manual`. */
  kind: string;
  status: FireRowStatus;
  /** Why it did not run; null for one that did. */
  reason: string | null;
  runId: string | null;
  /** JSON. */
  error: string | null;
  begunAt: number | null;
  endedAt: number | null;
}

/** A result on its way to a target. */
export interface DeliveryRow {
  /** Number of the slot. */
  n: number;
  /** Place in the job's list of targets. */
  target: number;
  /** 1 for one that tells of failures in a row. */
  isAlert: number;
  /** The target, JSON. */
  spec: string;
  status: DeliveryStatus;
  /** Attempts made. */
  attempt: number;
  /** Of the last attempt, JSON. */
  error: string | null;
  /** When the next attempt is due; null for none. */
  dueAt: number | null;
  updatedAt: number;
}

/** A file that holds untrusted text, with the content that a run or a delivery left there. */
export interface TaintedFile {
  /** Real and absolute. */
  path: string;
  /** Its size. */
  bytes: number;
  /** SHA-256, hexadecimal; empty while it is being written. */
  hash: string;
}

/** A request that came with a key: who performs it, and its answer once there is one. */
export interface RequestKeyRow {
  /** Unique within the tenant: a digest of the owner, the method and the key. */
  name: string;
  /** The user whom the key is of, as JSON; `null` for those of no user. */
  owner: string;
  /** Digest of what was asked. */
  digest: string;
  /** Epoch of the driver that performs it. */
  driver: number;
  /** JSON; null while it is performed. */
  answer: string | null;
  at: number;
}

/** A token that a client shows to be let in. */
export interface AccessTokenRow {
  /** The first half of the token, which is no secret. */
  id: string;
  tenant: number;
  /** The only user whose sessions and runs exist for it; null for all of the tenant. */
  user: string | null;
  /** What people call it. */
  name: string;
  /** JSON. */
  scopes: string;
  /** SHA-256 of the second half, hex. */
  secretHash: string;
  createdAt: number;
  /** Null for one that does not expire. */
  expiresAt: number | null;
  /** Runs at work at once; null for the gateway's own limit. */
  maxRuns: number | null;
  /** What it sees and reaches, JSON; null for what its user may, or the whole tenant. */
  sight: string | null;
  revokedAt: number | null;
}
