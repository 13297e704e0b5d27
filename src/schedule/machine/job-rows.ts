import type { DeliveryKey, JobContext, JobFailure, JobTarget } from '../../../machines/job.types.ts';
import { begin, type CommitScope, type MachineHost } from '../../engine/machine.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { jobOptionsOf } from '../../store/stored-run.ts';
import { jobRunId, messageId } from './job-run.ts';
import { ask, tell } from './statements.ts';

type Rows = MachineHost['rows'];
type Write<P> = (params: P, scope: CommitScope, job: { tenant: number; job: string }) => Program<void>;

/** Writes a job's slots and deliveries in the commits of its transitions. */
export const jobRows = {
  'fire.open': row(function* ({ n, slot, kind }: { n: number; slot: number; kind: string }, _, job) {
    const blank = { reason: null, runId: null, error: null, begunAt: null, endedAt: null };
    yield* tell('insertFire', { ...job, ...blank, n, slot, kind, status: 'waiting' });
  }),

  'fire.begin': row(function* ({ n }: { n: number }, { at }, job) {
    yield* ask('beginFire', { ...job, n, at });
  }),

  'fire.run': row(function* ({ n, runId }: { n: number; runId: string }, { at }, job) {
    yield* ask('nameFireRun', { ...job, n, runId, at });
  }),

  'fire.end': row(function* (end: FireEnd, { at, redact }, job) {
    const { n, status, runId, error } = end;
    yield* ask('endFire', {
      ...job,
      n,
      status,
      reason: null,
      runId,
      error: error && redact(JSON.stringify(error)),
      at,
    });
  }),

  'fire.drop': row(function* ({ ns, reason }: { ns: number[]; reason: string }, { at }, job) {
    for (const n of ns)
      yield* ask('endFire', { ...job, n, status: 'skipped', reason, runId: null, error: null, at });
  }),

  'slots.skip': row(function* ({ slots }: { slots: Skipped[] }, { at }, job) {
    const blank = { runId: null, error: null, begunAt: null, endedAt: at };
    for (const { n, slot, reason } of slots)
      yield* tell('insertFire', { ...job, ...blank, n, slot, kind: 'slot', status: 'skipped', reason });
  }),

  'delivery.open': row(function* ({ n, target, isAlert }: DeliveryKey, { at, row }, job) {
    const { definition } = JSON.parse(row.context) as JobContext;
    const { slot } = (yield* ask('findFire', { ...job, n })) ?? { slot: null };
    const spec: JobTarget | undefined = (isAlert ? definition.alert : definition.deliver)[target];
    const blank = { attempt: 0, error: null, dueAt: null, updatedAt: at };
    yield* tell('insertDelivery', {
      ...job,
      ...blank,
      n,
      target,
      isAlert: isAlert ? 1 : 0,
      spec: JSON.stringify(spec),
      status: 'pending',
      messageId: messageId(jobOptionsOf(row).key, { n, slot }, `${isAlert ? 'a' : ''}${target}`),
    });
  }),

  'delivery.reopen': row(function* ({ n, target, isAlert }: DeliveryKey, { at }, job) {
    const key = { ...job, n, target, isAlert: isAlert ? 1 : 0 };
    const change = { status: 'pending' as const, attempt: 0, error: null, dueAt: null, updatedAt: at };
    yield* ask('changeDelivery', { ...key, ...change });
  }),

  'delivery.end': row(function* (end: DeliveryKey & DeliveryEnd, { at, redact }, job) {
    const { n, target, isAlert, status, attempt, error } = end;
    const key = { ...job, n, target, isAlert: isAlert ? 1 : 0 };
    yield* ask('changeDelivery', {
      ...key,
      status,
      attempt,
      error: error && redact(JSON.stringify(error)),
      dueAt: null,
      updatedAt: at,
    });
  }),

  'delivery.wait': row(function* (wait: DeliveryKey & DeliveryWait, { at, redact }, job) {
    const { n, target, isAlert, attempt, error, dueAt } = wait;
    const key = { ...job, n, target, isAlert: isAlert ? 1 : 0 };
    const told = redact(JSON.stringify(error));
    const change = { status: 'pending' as const, attempt, error: told, dueAt, updatedAt: at };
    yield* ask('changeDelivery', { ...key, ...change });
  }),

  'job.gone': row(function* (_params: object, _scope, { tenant, job }) {
    yield* ask('deleteJob', { tenant, id: job });
  }),
} satisfies Rows;

interface FireEnd {
  n: number;
  status: 'ok' | 'failed' | 'cancelled';
  runId: string | null;
  error: JobFailure | null;
}

interface Skipped {
  n: number;
  slot: number;
  reason: string;
}

interface DeliveryEnd {
  status: 'delivered' | 'dead';
  attempt: number;
  error: JobFailure | null;
}

interface DeliveryWait {
  attempt: number;
  error: JobFailure;
  dueAt: number;
}

/**
 * Makes the next run of the job, queued behind the run that ends. The new run has no driver: the engine that ends the
 * old run takes it as the next in its lane, or another engine does if that one dies.
 */
export function* foldJob(host: MachineHost, params: JsonObject, { row, at }: CommitScope): Program<void> {
  const { context } = params as JsonObject & { context: JobContext };
  const { key, jobId } = jobOptionsOf(row);
  const ordinal = row.ordinal + 1;
  const id = jobRunId(key, ordinal);
  const input = { definition: context.definition, from: context.cursor, carried: context };
  const { snapshot } = begin(host, input);
  const next: Omit<RunRow, 'pk' | 'sessionKey' | 'user' | 'faults' | 'updatedAt'> = {
    tenant: row.tenant,
    id,
    session: row.session,
    ordinal,
    machine: host.id,
    version: host.version,
    seq: 0,
    ended: 0,
    state: JSON.stringify(snapshot.value),
    context: JSON.stringify(snapshot.context),
    input: JSON.stringify(input),
    options: row.options,
    output: null,
    driver: null,
    lastDriver: row.lastDriver,
    fence: 1,
    createdAt: at,
  };
  const { pk } = yield* ask('insertRun', next);
  yield* ask('moveJob', { tenant: row.tenant, id: jobId, run: pk, runId: id });
}

/** Adapts a writer of known params. The machine's setup has their types. */
function row<P>(write: Write<P>): Rows[string] {
  return (params: JsonObject, scope) =>
    write(params as P, scope, { tenant: scope.row.tenant, job: jobOptionsOf(scope.row).jobId });
}
