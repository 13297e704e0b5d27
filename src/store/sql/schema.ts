import type { Generated } from 'kysely';
import type { ConfirmationStatus, EffectStatus, MessageRole, UsagePurpose } from '../rows.ts';

/** The tables, as Kysely sees them. Times are milliseconds since the epoch; JSON is text. */
export interface Database {
  /** The greatest key of deleted rows, by the name of their table. */
  deleted_keys: { name: string; pk: number };
  tenants: { id: Generated<number>; name: string; workspace: string | null };
  sessions: {
    pk: Generated<number>;
    tenant_id: number;
    key: string;
    user_id: string | null;
    /** Where the prompt begins after the newest summary. */
    head_run: number;
    head_seq: number;
    /** Tool results up to here are shortened in the prompt. */
    pruned_run: Generated<number>;
    pruned_seq: Generated<number>;
    created_at: number;
  };
  runs: {
    pk: Generated<number>;
    tenant_id: number;
    id: string;
    session_pk: number;
    ordinal: number;
    machine: string;
    version: number;
    seq: number;
    ended: number;
    state: string;
    context: string;
    input: string;
    options: string;
    output: string | null;
    fence: number;
    driver: number | null;
    last_driver: number | null;
    faults: number;
    created_at: number;
    updated_at: number;
  };
  run_events: {
    run_pk: number;
    seq: number;
    tenant_id: number;
    type: string;
    body: string;
    at: number;
    path: string;
    hash: string;
    dedupe_key: string | null;
    pos: number | null;
  };
  effects: {
    run_pk: number;
    n: number;
    tenant_id: number;
    name: string;
    params: string;
    input: string | null;
    status: EffectStatus;
    attempt: number;
    driver: number | null;
    fence: number;
    created_at: number;
    updated_at: number;
  };
  timers: { run_pk: number; id: string; tenant_id: number; event: string; due_at: number };
  messages: {
    session_pk: number;
    run_pk: number;
    seq: number;
    i: number;
    tenant_id: number;
    role: MessageRole;
    body: string;
    at: number;
  };
  confirmations: {
    run_pk: number;
    call: number;
    n: number;
    tenant_id: number;
    kind: string;
    status: ConfirmationStatus;
    hash: string;
    body: string;
    decision: string | null;
    asked_at: number;
    told: 0 | 1 | 2;
  };
  grants: {
    session_pk: number;
    n: number;
    tenant_id: number;
    tool: string;
    pattern: string;
    by: string | null;
    run_id: string;
    call: number;
    at: number;
    revoked_at: number | null;
  };
  artifacts: {
    tenant_id: number;
    id: string;
    run_pk: number;
    mime: string;
    encoding: 'utf8' | 'base64';
    body: string;
    created_at: number;
  };
  jobs: {
    tenant_id: number;
    id: string;
    user_id: string | null;
    key: string;
    run_pk: number;
    run_id: string;
    source: string;
    created_at: number;
    updated_at: number;
  };
  job_fires: {
    tenant_id: number;
    job_id: string;
    n: number;
    slot: number;
    kind: string;
    status: string;
    reason: string | null;
    run_id: string | null;
    error: string | null;
    begun_at: number | null;
    ended_at: number | null;
  };
  deliveries: {
    tenant_id: number;
    job_id: string;
    n: number;
    target: number;
    is_alert: number;
    spec: string;
    status: string;
    attempt: number;
    error: string | null;
    due_at: number | null;
    updated_at: number;
  };
  tainted_files: {
    tenant_id: number;
    path: string;
    bytes: number;
    hash: string;
  };
  request_keys: {
    tenant_id: number;
    name: string;
    owner: string;
    digest: string;
    driver: number;
    answer: string | null;
    at: number;
  };
  uploads: {
    tenant_id: number;
    id: string;
    user_id: string | null;
    name: string | null;
    mime: string;
    body: string;
    created_at: number;
  };
  usage: {
    tenant_id: number;
    run_id: string;
    session_key: string;
    user_id: string | null;
    n: number;
    i: number;
    purpose: UsagePurpose;
    at: number;
    day: string;
    asked: string;
    answered: string | null;
    input_tokens: number;
    output_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    reasoning_tokens: number;
    cost_usd: number | null;
    cached: 0 | 1;
    error: string | null;
    estimated: 0 | 1;
  };
  budgets: {
    tenant_id: number;
    id: string;
    period: string;
    max_tokens: number | null;
    max_cost_usd: number | null;
    spent_tokens: number;
    spent_cost_usd: number;
    created_at: number;
    updated_at: number;
  };
  budget_holds: {
    run_pk: number;
    n: number;
    tenant_id: number;
    budget: string;
    period: string;
    tokens: number;
    cost_usd: number;
    expires_at: number;
  };
  access_tokens: {
    id: string;
    tenant_id: number;
    user_id: string | null;
    name: string;
    scopes: string;
    secret_hash: string;
    created_at: number;
    expires_at: number | null;
    max_runs: number | null;
    sight: string | null;
    revoked_at: number | null;
  };
  cached_answers: { tenant_id: number; key: string; answer: string; at: number };
  drivers: {
    epoch: Generated<number>;
    pid: number;
    started_at: number;
    last_error: string | null;
    name: string;
    address: string | null;
    token: string;
    ended_at: number | null;
  };
  commands: {
    id: Generated<number>;
    tenant_id: number;
    run_pk: number;
    kind: string;
    body: string;
    made_at: number;
    outcome: string | null;
    done_at: number | null;
  };
}
