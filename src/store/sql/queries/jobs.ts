import { type Kysely, sql } from 'kysely';
import type { JobStatements } from '../../statements/jobs.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const jobs = (k: Kysely<Database>) =>
  k
    .selectFrom('jobs')
    .innerJoin('runs', 'runs.pk', 'jobs.run_pk')
    .select([
      'jobs.id',
      'jobs.user_id as user',
      'jobs.key',
      'jobs.run_pk as run',
      'jobs.run_id as runId',
      'jobs.source',
      'jobs.created_at as createdAt',
      'jobs.updated_at as updatedAt',
      'runs.state',
      'runs.context',
      'runs.ended',
      'runs.driver',
      'runs.updated_at as movedAt',
    ]);

const fires = (k: Kysely<Database>) =>
  k
    .selectFrom('job_fires')
    .select([
      'n',
      'slot',
      'kind',
      'status',
      'reason',
      'run_id as runId',
      'error',
      'begun_at as begunAt',
      'ended_at as endedAt',
    ]);

const deliveries = (k: Kysely<Database>) =>
  k
    .selectFrom('deliveries')
    .select([
      'n',
      'target',
      'is_alert as isAlert',
      'spec',
      'status',
      'attempt',
      'error',
      'due_at as dueAt',
      'updated_at as updatedAt',
    ]);

const fire = (k: Kysely<Database>, p: { tenant: never; job: never; n: never }) =>
  k
    .updateTable('job_fires')
    .where('tenant_id', '=', p.tenant)
    .where('job_id', '=', p.job)
    .where('n', '=', p.n);

export const jobQueries = {
  insertJob: [
    'run',
    (k, p) =>
      k.insertInto('jobs').values({
        tenant_id: p.tenant,
        id: p.id,
        user_id: p.user,
        key: p.key,
        run_pk: p.run,
        run_id: p.runId,
        source: p.source,
        created_at: p.createdAt,
        updated_at: p.updatedAt,
      }),
  ],
  findJob: ['get', (k, p) => jobs(k).where('jobs.tenant_id', '=', p.tenant).where('jobs.id', '=', p.id)],
  listJobs: [
    'all',
    (k, p) =>
      jobs(k)
        .where('jobs.tenant_id', '=', p.tenant)
        .where('jobs.id', '>', p.after)
        .orderBy('jobs.id')
        .limit(p.limit),
  ],
  listUserJobs: [
    'all',
    (k, p) =>
      jobs(k)
        .where('jobs.tenant_id', '=', p.tenant)
        .where('jobs.user_id', '=', p.user)
        .where('jobs.id', '>', p.after)
        .orderBy('jobs.id')
        .limit(p.limit),
  ],
  moveJob: [
    'run',
    (k, p) =>
      k
        .updateTable('jobs')
        .set({ run_pk: p.run, run_id: p.runId })
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id),
  ],
  touchJob: [
    'run',
    (k, p) =>
      k
        .updateTable('jobs')
        .set({ updated_at: p.at })
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id),
  ],
  deleteJob: ['run', (k, p) => k.deleteFrom('jobs').where('tenant_id', '=', p.tenant).where('id', '=', p.id)],
  insertFire: [
    'run',
    (k, p) =>
      k.insertInto('job_fires').values({
        tenant_id: p.tenant,
        job_id: p.job,
        n: p.n,
        slot: p.slot,
        kind: p.kind,
        status: p.status,
        reason: p.reason,
        run_id: p.runId,
        error: p.error,
        begun_at: p.begunAt,
        ended_at: p.endedAt,
      }),
  ],
  beginFire: ['run', (k, p) => fire(k, p).set({ status: sql.lit('running'), begun_at: p.at })],
  nameFireRun: ['run', (k, p) => fire(k, p).set({ run_id: p.runId })],
  endFire: [
    'run',
    (k, p) =>
      fire(k, p).set({ status: p.status, reason: p.reason, error: p.error, run_id: p.runId, ended_at: p.at }),
  ],
  findFire: [
    'get',
    (k, p) => fires(k).where('tenant_id', '=', p.tenant).where('job_id', '=', p.job).where('n', '=', p.n),
  ],
  listFires: [
    'all',
    (k, p) =>
      fires(k)
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '<', p.below)
        .orderBy('n', 'desc')
        .limit(p.limit),
  ],
  listOldFires: [
    'all',
    (k, p) =>
      fires(k)
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '>', p.after)
        .where('n', '<', p.below)
        .where('ended_at', 'is not', null)
        .where((e) =>
          e.not(
            e.exists(
              e
                .selectFrom('deliveries')
                .select('deliveries.n')
                .where('deliveries.tenant_id', '=', p.tenant)
                .where('deliveries.job_id', '=', p.job)
                .whereRef('deliveries.n', '=', 'job_fires.n')
                .where('deliveries.status', '=', sql.lit('pending')),
            ),
          ),
        )
        .orderBy('n')
        .limit(p.limit),
  ],
  deleteFire: [
    'run',
    (k, p) =>
      k
        .deleteFrom('job_fires')
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '=', p.n),
  ],
  insertDelivery: [
    'run',
    (k, p) =>
      k.insertInto('deliveries').values({
        tenant_id: p.tenant,
        job_id: p.job,
        n: p.n,
        target: p.target,
        is_alert: p.isAlert,
        spec: p.spec,
        status: p.status,
        attempt: p.attempt,
        error: p.error,
        due_at: p.dueAt,
        updated_at: p.updatedAt,
      }),
  ],
  changeDelivery: [
    'run',
    (k, p) =>
      k
        .updateTable('deliveries')
        .set({
          status: p.status,
          attempt: p.attempt,
          error: p.error,
          due_at: p.dueAt,
          updated_at: p.updatedAt,
        })
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '=', p.n)
        .where('target', '=', p.target)
        .where('is_alert', '=', p.isAlert),
  ],
  findDelivery: [
    'get',
    (k, p) =>
      deliveries(k)
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '=', p.n)
        .where('target', '=', p.target)
        .where('is_alert', '=', p.isAlert),
  ],
  listDeliveries: [
    'all',
    (k, p) =>
      deliveries(k)
        .where('tenant_id', '=', p.tenant)
        .where('job_id', '=', p.job)
        .where('n', '=', p.n)
        .orderBy('is_alert')
        .orderBy('target'),
  ],
} satisfies Queries<JobStatements>;
