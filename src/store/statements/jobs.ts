import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { DeliveryRow, FireRow, JobRow, JobWithRun, Scoped } from '../rows.ts';

type OfJob = Scoped & { job: string };
type OfFire = OfJob & { n: number };
type OfDelivery = OfFire & Pick<DeliveryRow, 'target' | 'isAlert'>;

const jobs = (k: Kysely<Database>) =>
  k
    .selectFrom('jobs')
    .innerJoin('runs', 'runs.pk', 'jobs.run_pk')
    .select([
      ...columnsOf('jobs'),
      'runs.state',
      'runs.context',
      'runs.ended',
      'runs.driver',
      'runs.last_driver as lastDriver',
      'runs.updated_at as movedAt',
    ]);

const fires = (k: Kysely<Database>) => k.selectFrom('job_fires').select(columnsOf('job_fires'));

const deliveries = (k: Kysely<Database>) => k.selectFrom('deliveries').select(columnsOf('deliveries'));

/** The columns that name a slot, or a delivery. */
const fireKey = (p: { tenant: never; job: never; n: never }) => ({
  tenant_id: p.tenant,
  job_id: p.job,
  n: p.n,
});
const deliveryKey = (p: Parameters<typeof fireKey>[0] & { target: never; isAlert: never }) => ({
  ...fireKey(p),
  target: p.target,
  is_alert: p.isAlert,
});

const fire = (k: Kysely<Database>, p: Parameters<typeof fireKey>[0]) =>
  k.updateTable('job_fires').where((e) => e.and(fireKey(p)));

/** Scheduled jobs, their slots and the deliveries of results. */
export const jobStatements = {
  insertJob: change<JobRow & Scoped>((k, p) => k.insertInto('jobs').values(valuesOf('jobs', p))),
  findJob: one<Scoped & { id: string }, JobWithRun>(
    (k, p) => jobs(k).where('jobs.tenant_id', '=', p.tenant).where('jobs.id', '=', p.id),
    'no key update of jobs',
  ),
  /** The jobs after the id `after`, in the order of their ids. */
  listJobs: all<Scoped & { after: string; limit: number }, JobWithRun>((k, p) =>
    jobs(k)
      .where('jobs.tenant_id', '=', p.tenant)
      .where('jobs.id', '>', p.after)
      .orderBy('jobs.id')
      .limit(p.limit),
  ),
  /** The same, of one user. */
  listUserJobs: all<Scoped & { user: string; after: string; limit: number }, JobWithRun>((k, p) =>
    jobs(k)
      .where('jobs.tenant_id', '=', p.tenant)
      .where('jobs.user_id', '=', p.user)
      .where('jobs.id', '>', p.after)
      .orderBy('jobs.id')
      .limit(p.limit),
  ),
  /** Names the run that the job goes on in. */
  moveJob: change<Scoped & { id: string; run: number; runId: string }>((k, p) =>
    k
      .updateTable('jobs')
      .set({ run_pk: p.run, run_id: p.runId })
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id),
  ),
  touchJob: change<Scoped & { id: string; at: number }>((k, p) =>
    k.updateTable('jobs').set({ updated_at: p.at }).where('tenant_id', '=', p.tenant).where('id', '=', p.id),
  ),
  /** Deletes a job with its slots and deliveries. */
  deleteJob: change<Scoped & { id: string }>((k, p) =>
    k.deleteFrom('jobs').where('tenant_id', '=', p.tenant).where('id', '=', p.id),
  ),
  insertFire: change<FireRow & OfJob>((k, p) =>
    k.insertInto('job_fires').values({ ...valuesOf('job_fires', p), job_id: p.job }),
  ),
  beginFire: change<OfFire & { at: number }>((k, p) =>
    fire(k, p).set({ status: sql.lit('running'), begun_at: p.at }),
  ),
  /** Its run begins now, unless an earlier process has begun it. */
  nameFireRun: change<OfFire & { runId: string; at: number }>((k, p) =>
    fire(k, p).set({
      run_id: p.runId,
      begun_at: sql<number>`case when run_id is null then cast(${p.at} as bigint) else begun_at end`,
    }),
  ),
  endFire: change<OfFire & Pick<FireRow, 'status' | 'reason' | 'error' | 'runId'> & { at: number }>((k, p) =>
    fire(k, p).set({ status: p.status, reason: p.reason, error: p.error, run_id: p.runId, ended_at: p.at }),
  ),
  findFire: one<OfFire, FireRow>((k, p) => fires(k).where((e) => e.and(fireKey(p)))),
  /** The slots of a job with a number below `below`, newest first. */
  listFires: all<OfJob & { below: number; limit: number }, FireRow>((k, p) =>
    fires(k)
      .where('tenant_id', '=', p.tenant)
      .where('job_id', '=', p.job)
      .where('n', '<', p.below)
      .orderBy('n', 'desc')
      .limit(p.limit),
  ),
  /** The slots with a number below `below` that have ended and have no delivery under way, oldest first after `after`. */
  listOldFires: all<OfJob & { after: number; below: number; limit: number }, FireRow>((k, p) =>
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
  ),
  /** Deletes a slot with its deliveries. */
  deleteFire: change<OfFire>((k, p) => k.deleteFrom('job_fires').where((e) => e.and(fireKey(p)))),
  insertDelivery: change<DeliveryRow & OfJob>((k, p) =>
    k.insertInto('deliveries').values({ ...valuesOf('deliveries', p), job_id: p.job }),
  ),
  changeDelivery: change<
    OfDelivery & Pick<DeliveryRow, 'status' | 'attempt' | 'error' | 'dueAt' | 'updatedAt'>
  >((k, p) =>
    k
      .updateTable('deliveries')
      .set({
        status: p.status,
        attempt: p.attempt,
        error: p.error,
        due_at: p.dueAt,
        updated_at: p.updatedAt,
      })
      .where((e) => e.and(deliveryKey(p))),
  ),
  findDelivery: one<OfDelivery, DeliveryRow>((k, p) => deliveries(k).where((e) => e.and(deliveryKey(p)))),
  countLost: one<OfJob, { lost: number }>((k, p) =>
    k
      .selectFrom('deliveries')
      .select((e) => e.fn.countAll<number>().as('lost'))
      .where('tenant_id', '=', p.tenant)
      .where('job_id', '=', p.job)
      .where('status', '=', sql.lit('dead')),
  ),
  listDeliveries: all<OfFire, DeliveryRow>((k, p) =>
    deliveries(k)
      .where((e) => e.and(fireKey(p)))
      .orderBy('is_alert')
      .orderBy('target'),
  ),
};
