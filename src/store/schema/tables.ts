import type { QuestionKind } from '../../protocol/enums.ts';
import type { DeliveryStatus } from '../../protocol/views.ts';
import { inner, made, of } from './column.ts';

/**
 * `held` waits for a decision or its turn, `pending` for a driver, `started` for its fact. `linked` has begun a run, and
 * waits for that to end. `uncertain` was interrupted, and its outcome is unknown. `done` and `cancelled` are over.
 */
export type EffectStatus = 'held' | 'pending' | 'started' | 'linked' | 'uncertain' | 'done' | 'cancelled';

/**
 * `staff`: a person said it in place of the agent. `withdrawn`: the words of a model call that broke off and was made again.
 * They are in no prompt.
 */
export type MessageRole = 'user' | 'assistant' | 'staff' | 'tool' | 'summary' | 'withdrawn';

export type ConfirmationStatus =
  | 'open'
  | 'approved'
  | 'modified'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'settled';

/** `over`: nobody waited any more. */
type NoticeStatus = 'pending' | 'delivered' | 'over' | 'dead';

type FireRowStatus = 'waiting' | 'running' | 'ok' | 'failed' | 'cancelled' | 'skipped';

/** The purpose of a model call. */
export type UsagePurpose = 'think' | 'flush' | 'compact';

/** The tables and their columns. Times are milliseconds since the epoch; JSON is text. Migrations make them. */
export const tables = {
  /** The greatest key of deleted rows, by the name of their table; the place in a feed by the name of that. */
  deleted_keys: { name: of<string>(), pk: of<number>() },
  tenants: {
    id: made<number>(),
    /** Unique. */
    name: of<string>(),
    /** The folder that its runs work in: absolute, without symbolic links. Null for none. */
    workspace: of<string | null>(),
  },
  sessions: {
    pk: made<number>(),
    tenant_id: inner<number>(),
    key: of<string>(),
    /** Whom it belongs to; null for one of no user in particular. */
    user_id: of<string | null>(),
    /** Where the prompt begins after the newest summary. */
    head_run: of<number>(),
    head_seq: of<number>(),
    /** Tool results up to here are shortened in the prompt. */
    pruned_run: made<number>(),
    pruned_seq: made<number>(),
    created_at: of<number>(),
    /** What a person calls it. */
    title: made<string | null>(),
    pinned: made<number>(),
  },
  runs: {
    pk: made<number>(),
    tenant_id: of<number>(),
    id: of<string>(),
    session_pk: of<number>(),
    /** Position in its session's lane. */
    ordinal: of<number>(),
    machine: of<string>(),
    version: of<number>(),
    /** Transitions committed so far. */
    seq: of<number>(),
    /** 0 while the machine runs, 1 once it reached a final state. */
    ended: of<number>(),
    /** The state value, JSON. */
    state: of<string>(),
    context: of<string>(),
    /** What the machine was created with, JSON. */
    input: of<string>(),
    /** What the host needs to perform effects (model, tools, policy), JSON; the machine never sees it. */
    options: of<string>(),
    /** The machine's output once ended, JSON. */
    output: of<string | null>(),
    /**
     * The driver that moves the run (its epoch). `noDriver` while the run waits for people alone, or was never driven:
     * a driver claims it with the event that moves it on. Null when it wants one: its driver died, or another process
     * decided on it.
     */
    driver: of<number | null>(),
    /** The driver that moved it last; null before the first. */
    last_driver: of<number | null>(),
    /** Counts the claims of the run: a driver that lost it writes nothing more. */
    fence: of<number>(),
    /** Events that made the machine throw. */
    faults: of<number>(),
    created_at: of<number>(),
    updated_at: of<number>(),
  },
  run_events: {
    run_pk: of<number>(),
    seq: of<number>(),
    tenant_id: inner<number>(),
    type: of<string>(),
    /** The event without `type` and `at`, JSON. */
    body: of<string>(),
    at: of<number>(),
    /** Dotted state path after it. */
    path: of<string>(),
    /** Hash of the context after it. */
    hash: of<string>(),
    /** Its place in the feed of its tenant; null without one. */
    pos: inner<number | null>(),
  },
  effects: {
    run_pk: of<number>(),
    n: of<number>(),
    tenant_id: inner<number>(),
    name: of<string>(),
    params: of<string>(),
    /** Input for the executor only, never redacted: a tool call's name and arguments. */
    input: of<string | null>(),
    status: of<EffectStatus>(),
    attempt: of<number>(),
    /** The driver that started it last; null before the first. */
    driver: of<number | null>(),
    fence: of<number>(),
    created_at: inner<number>(),
    updated_at: inner<number>(),
  },
  timers: {
    run_pk: of<number>(),
    id: of<string>(),
    tenant_id: inner<number>(),
    event: of<string>(),
    due_at: of<number>(),
  },
  messages: {
    session_pk: of<number>(),
    run_pk: of<number>(),
    seq: of<number>(),
    /** Index among the messages of one transition. */
    i: of<number>(),
    tenant_id: inner<number>(),
    role: of<MessageRole>(),
    body: of<string>(),
    at: of<number>(),
  },
  /** Questions to people about calls. A call may be asked about again: when its process died after it was approved. */
  confirmations: {
    run_pk: of<number>(),
    call: of<number>(),
    /** Number among the questions about its call, from 1. */
    n: of<number>(),
    tenant_id: inner<number>(),
    kind: of<QuestionKind>(),
    status: of<ConfirmationStatus>(),
    /** Hash of the argument bytes that the person saw. */
    hash: of<string>(),
    /** Tool name, redacted arguments and the reason for the question, JSON. */
    body: of<string>(),
    /** The decision and its author, JSON. */
    decision: of<string | null>(),
    asked_at: of<number>(),
    /** What the hooks of the host know: 0 nothing, 1 that the run waits, 2 the decision, too. */
    told: of<0 | 1 | 2>(),
    /** Of a call that a client performs: the installation that holds it, and until when; null while none does. */
    holder: of<string | null>(),
    held_until: of<number | null>(),
  },
  /** Approvals for the rest of a session: calls of one tool that match a pattern. */
  grants: {
    session_pk: of<number>(),
    /** Number in its session, from 1; never reused. */
    n: of<number>(),
    tenant_id: inner<number>(),
    tool: of<string>(),
    /** JSON. */
    pattern: of<string>(),
    /** Who approved; null if unknown. */
    by: of<string | null>(),
    /** Id of the run, and the call, with which it was approved. */
    run_id: of<string>(),
    call: of<number>(),
    at: of<number>(),
    revoked_at: inner<number | null>(),
  },
  /** What users say of answers. */
  ratings: {
    run_pk: of<number>(),
    /** The transition that wrote the answer. */
    seq: of<number>(),
    tenant_id: inner<number>(),
    session_pk: of<number>(),
    thumb: of<'up' | 'down'>(),
    reason: of<string | null>(),
    /** As decisions name people. */
    by: of<string>(),
    at: of<number>(),
  },
  artifacts: {
    tenant_id: inner<number>(),
    id: of<string>(),
    run_pk: of<number>(),
    mime: of<string>(),
    /** How `body` holds the bytes. */
    encoding: of<'utf8' | 'base64'>(),
    body: of<string>(),
    created_at: of<number>(),
  },
  /** Scheduled jobs. What one does is in the context of its run. */
  jobs: {
    tenant_id: inner<number>(),
    id: of<string>(),
    /** The user for whom its runs are; null for no user in particular. */
    user_id: of<string | null>(),
    /** Random: a job that is made again under the same id has another one. */
    key: of<string>(),
    /** The run of the job machine that it is in. */
    run_pk: of<number>(),
    run_id: of<string>(),
    /** Who declared it: `user`, `config`, `tool`. */
    source: of<string>(),
    created_at: of<number>(),
    updated_at: of<number>(),
  },
  /** Slots of jobs: a time at which one ran, or did not. */
  job_fires: {
    tenant_id: inner<number>(),
    job_id: inner<string>(),
    /** Number among the job's slots, from 1. */
    n: of<number>(),
    slot: of<number>(),
    /** `slot` or `manual`. */
    kind: of<string>(),
    status: of<FireRowStatus>(),
    /** Why it did not run; null for one that did. */
    reason: of<string | null>(),
    run_id: of<string | null>(),
    /** JSON. */
    error: of<string | null>(),
    begun_at: of<number | null>(),
    ended_at: of<number | null>(),
  },
  /** Results on their way to targets. */
  deliveries: {
    tenant_id: inner<number>(),
    job_id: inner<string>(),
    /** Number of the slot. */
    n: of<number>(),
    /** Place in the job's list of targets. */
    target: of<number>(),
    /** 1 for one that tells of failures in a row. */
    is_alert: of<number>(),
    /** The target, JSON. */
    spec: of<string>(),
    status: of<DeliveryStatus>(),
    /** Attempts made. */
    attempt: of<number>(),
    /** Of the last attempt, JSON. */
    error: of<string | null>(),
    /** When the next attempt is due; null for none. */
    due_at: of<number | null>(),
    updated_at: of<number>(),
    /** The same for each attempt. Null in rows of earlier versions, whose ids a restored database gives again. */
    message_id: of<string | null>(),
  },
  /** What the host is told of runs, so that it can call a person back. */
  notices: {
    tenant_id: inner<number>(),
    /** Of the message: the same for each attempt. */
    id: of<string>(),
    session_pk: of<number>(),
    run_id: of<string>(),
    /** The call that waits; null for another notice. */
    call: of<number | null>(),
    /** What the host gets, JSON. */
    body: of<string>(),
    status: of<NoticeStatus>(),
    /** Attempts made. */
    attempt: of<number>(),
    /** Of the last attempt, JSON. */
    error: of<string | null>(),
    /** When the next attempt is due; one under way has until then. */
    due_at: of<number>(),
    at: of<number>(),
  },
  /** Up to where notices were made of the feed of a tenant. */
  notice_places: {
    tenant_id: inner<number>(),
    pos: of<number>(),
  },
  /** Files that hold untrusted text, with the content that a run or a delivery left there. */
  tainted_files: {
    tenant_id: inner<number>(),
    /** Real and absolute. */
    path: of<string>(),
    /** Its size. */
    bytes: of<number>(),
    /** SHA-256, hexadecimal; empty while it is being written. */
    hash: of<string>(),
  },
  /** What was asked with a key: who performs it, what it did, and its answer once there is one. */
  request_keys: {
    tenant_id: inner<number>(),
    /** Unique within the tenant: a digest of the owner, the method and the key; or the run and the key of a program's command. */
    name: of<string>(),
    /** The user whom the key is of, as JSON; `null` for those of no user. Empty for a program's command. */
    owner: of<string>(),
    /** Digest of what was asked. Empty for a program's command. */
    digest: of<string>(),
    /** Epoch of the driver that performs it. */
    driver: of<number>(),
    /** The result, JSON, written in the commit of the work; null before, and for work that leaves no note. */
    effect: of<string | null>(),
    /** JSON; null while it is performed, and for a program's command. */
    answer: of<string | null>(),
    at: of<number>(),
    /** The run of a program's command: the key is kept as long as the run. Null for requests, whose keys count for a day. */
    run_pk: of<number | null>(),
  },
  /**
   * Users who go. A guest who went over to another user stays here, and begins nothing more; one who is forgotten, until nothing
   * of this user is left.
   */
  leavings: {
    tenant_id: inner<number>(),
    user_id: of<string>(),
    /** Whom a guest went over to; null for a user who is forgotten. */
    to_user: of<string | null>(),
    /** 0 while something is left to do; 2 when only functions of the host are left to call, which no process that did the rest had. */
    done: of<0 | 1 | 2>(),
    at: of<number>(),
  },
  /** Files that clients have uploaded, for messages to come. A run that uses one has a copy of its own. */
  uploads: {
    tenant_id: inner<number>(),
    id: of<string>(),
    /** The only user who may use it; null for all of the tenant. */
    user_id: of<string | null>(),
    name: of<string | null>(),
    mime: of<string>(),
    /** Base64. */
    body: of<string>(),
    created_at: of<number>(),
  },
  /** Calls of models. They outlive the runs that made them. */
  usage: {
    tenant_id: inner<number>(),
    run_id: of<string>(),
    /** Empty once the session is deleted. */
    session_key: of<string>(),
    /** The user whom the session belonged to when the call was made; null for no user in particular. */
    user_id: of<string | null>(),
    /** The effect that made the call. */
    n: of<number>(),
    /** Index among the calls of one effect. */
    i: of<number>(),
    purpose: of<UsagePurpose>(),
    at: of<number>(),
    /** `at` in UTC, `YYYY-MM-DD`. */
    day: of<string>(),
    /** `provider/model` that was called. */
    asked: of<string>(),
    /** The model that the provider reports; null if it reports none. */
    answered: of<string | null>(),
    /** All tokens of the prompt, cached ones included. */
    input_tokens: of<number>(),
    output_tokens: of<number>(),
    cached_input_tokens: of<number>(),
    cache_write_tokens: of<number>(),
    reasoning_tokens: of<number>(),
    /** Null when no price is known. */
    cost_usd: of<number | null>(),
    /** 1 if a cached answer replaced the call. */
    cached: of<0 | 1>(),
    /** Error code of a failed call. */
    error: of<string | null>(),
    /** 1 if Detent estimated a part of the tokens, because the answer broke off before the provider reported them. */
    estimated: of<0 | 1>(),
  },
  budgets: {
    tenant_id: inner<number>(),
    id: of<string>(),
    /** `YYYY-MM-DD` or `YYYY-MM` in UTC; empty for a budget that never resets. */
    period: of<string>(),
    max_tokens: of<number | null>(),
    max_cost_usd: of<number | null>(),
    spent_tokens: of<number>(),
    spent_cost_usd: of<number>(),
    created_at: inner<number>(),
    updated_at: of<number>(),
  },
  /** Reservations of the maximum cost of calls, made before they start. */
  budget_holds: {
    run_pk: of<number>(),
    n: of<number>(),
    tenant_id: inner<number>(),
    budget: of<string>(),
    period: of<string>(),
    tokens: of<number>(),
    cost_usd: of<number>(),
    /** What the call costs if it is aborted before its answer came: its prompt. */
    least_tokens: of<number>(),
    least_cost_usd: of<number>(),
    /** When it stops counting, milliseconds since the epoch. */
    expires_at: of<number>(),
  },
  /** Tokens that clients show to be let in. */
  access_tokens: {
    /** The first half of the token, which is no secret. */
    id: of<string>(),
    tenant_id: of<number>(),
    /** The only user whose sessions and runs exist for it; null for all of the tenant. */
    user_id: of<string | null>(),
    /** What people call it. */
    name: of<string>(),
    /** JSON. */
    scopes: of<string>(),
    /** SHA-256 of the second half, hex. */
    secret_hash: of<string>(),
    created_at: of<number>(),
    /** Null for one that does not expire. */
    expires_at: of<number | null>(),
    /** Runs at work at once; null for the gateway's own limit. */
    max_runs: of<number | null>(),
    /** What it sees and reaches, JSON; null for what its user may, or the whole tenant. */
    sight: of<string | null>(),
    revoked_at: of<number | null>(),
  },
  /** Addresses from which clients tried to log in and failed, of any tenant: who they are is not known. */
  login_failures: {
    /** SHA-256 of the address, hex. */
    source: of<string>(),
    /** From then on as many attempts as ever are allowed; each failed one puts it off. */
    full_at: of<number>(),
  },
  cached_answers: { tenant_id: inner<number>(), key: of<string>(), answer: of<string>(), at: of<number>() },
  /** Processes that drive runs, or drove them. */
  drivers: {
    epoch: made<number>(),
    pid: of<number>(),
    started_at: of<number>(),
    /** Null while it lives, as far as others know. */
    ended_at: of<number | null>(),
    /** Of its files beside the database; never used again. Empty without such files. */
    name: of<string>(),
    /** Where it listens for hints; null if it cannot. */
    address: of<string | null>(),
    /** The secret that each hint to this driver must carry. */
    token: of<string>(),
    /** JSON of a `DriverError`. */
    last_error: of<string | null>(),
  },
  /** Commands to runs that other processes drive: each delivers those to its own. */
  commands: {
    id: made<number>(),
    tenant_id: of<number>(),
    run_pk: of<number>(),
    kind: of<string>(),
    /** What it asks, JSON; empty once it has an outcome. */
    body: of<string>(),
    made_at: inner<number>(),
    /** What came of it, JSON; null while it waits. */
    outcome: of<string | null>(),
    done_at: inner<number | null>(),
  },
};
