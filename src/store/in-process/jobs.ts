import type { DeliveryRow, FireRow, JobRow } from '../rows.ts';
import type { JobStatements, JobWithRun } from '../statements/jobs.ts';
import { constraintFailed } from './errors.ts';
import { type Handlers, newest, requireRun, scoped, type Tables } from './schema.ts';

export function jobStatements(tables: Tables): Handlers<JobStatements> {
  const { jobs, jobNumbers, jobsOfRuns, fires, fireSlots, deliveries, runs } = tables;
  /** Groups are found by a number, and jobs have names. */
  const numberOf = (tenant: number, job: string) => jobNumbers.get(scoped(tenant, job)) ?? -1;
  const withRun = ({ number: _, ...row }: JobRow & { number: number }): JobWithRun[] => {
    const run = runs.get(row.run);
    if (!run) return [];
    const { state, context, ended, driver, updatedAt: movedAt } = run;
    return [{ ...row, state, context, ended, driver, movedAt }];
  };
  const change = (tenant: number, id: string, fields: Partial<JobRow>) => {
    const row = jobs.find(tenant, { id });
    if (!row) return 0;
    jobs.replace(tenant, { ...row, ...fields });
    return 1;
  };
  const changeFire = (job: number, n: number, fields: Partial<FireRow>) => {
    const row = fires.find(job, { n });
    if (!row) return 0;
    fires.replace(job, { ...row, ...fields });
    return 1;
  };
  const deliveriesOf = (job: number, n: number): DeliveryRow[] => {
    const rows = deliveries.from(job, { n, isAlert: 0, target: 0 });
    const end = rows.findIndex((row) => row.n !== n);
    return end < 0 ? rows : rows.slice(0, end);
  };
  const isUnderWay = (job: number, n: number) =>
    deliveriesOf(job, n).some(({ status }) => status === 'pending');
  return {
    insertJob({ tenant, ...row }) {
      requireRun(tables, row.run);
      const number = jobNumbers.size;
      if (!jobs.add(tenant, { ...row, number })) throw constraintFailed(`job "${row.id}" exists`);
      jobNumbers.set(scoped(tenant, row.id), jobNumbers.get(scoped(tenant, row.id)) ?? number);
      jobsOfRuns.add(row.run, { id: scoped(tenant, row.id) });
      return 1;
    },

    findJob({ tenant, id }) {
      const row = jobs.find(tenant, { id });
      return row && withRun(row)[0];
    },

    listJobs: ({ tenant, after, limit }) =>
      jobs
        .of(tenant)
        .filter(({ id }) => id > after)
        .slice(0, limit)
        .flatMap(withRun),

    listUserJobs: ({ tenant, user, after, limit }) =>
      jobs
        .of(tenant)
        .filter((row) => row.id > after && row.user === user)
        .slice(0, limit)
        .flatMap(withRun),

    moveJob({ tenant, id, run, runId }) {
      const row = jobs.find(tenant, { id });
      if (!row) return 0;
      requireRun(tables, run);
      jobsOfRuns.remove(row.run, { id: scoped(tenant, id) });
      jobsOfRuns.add(run, { id: scoped(tenant, id) });
      return change(tenant, id, { run, runId });
    },

    touchJob: ({ tenant, id, at }) => change(tenant, id, { updatedAt: at }),

    deleteJob({ tenant, id }) {
      const row = jobs.find(tenant, { id });
      if (!row) return 0;
      jobsOfRuns.remove(row.run, { id: scoped(tenant, id) });
      const job = numberOf(tenant, id);
      deliveries.clear(job);
      fires.clear(job);
      fireSlots.clear(job);
      jobs.remove(tenant, { id });
      return 1;
    },

    insertFire({ tenant, job, ...row }) {
      if (!jobs.find(tenant, { id: job })) throw constraintFailed(`no job "${job}"`);
      const group = numberOf(tenant, job);
      if (!fires.add(group, row) || (row.kind === 'slot' && !fireSlots.add(group, { slot: row.slot })))
        throw constraintFailed(`slot ${row.slot} of job "${job}" exists`);
      return 1;
    },

    beginFire: ({ tenant, job, n, at }) =>
      changeFire(numberOf(tenant, job), n, { status: 'running', begunAt: at }),

    nameFireRun: ({ tenant, job, n, runId }) => changeFire(numberOf(tenant, job), n, { runId }),

    endFire: ({ tenant, job, n, at, status, reason, error, runId }) =>
      changeFire(numberOf(tenant, job), n, { status, reason, error, runId, endedAt: at }),

    findFire({ tenant, job, n }) {
      const row = fires.find(numberOf(tenant, job), { n });
      return row && { ...row };
    },

    listFires: ({ tenant, job, below, limit }) =>
      newest(
        fires.of(numberOf(tenant, job)).filter(({ n }) => n < below),
        limit,
      ).map((row) => ({ ...row })),

    listOldFires({ tenant, job, after, below, limit }) {
      const group = numberOf(tenant, job);
      const old = [];
      for (const row of fires.from(group, { n: after + 1 })) {
        if (row.n >= below || old.length >= limit) break;
        if (row.endedAt !== null && !isUnderWay(group, row.n)) old.push({ ...row });
      }
      return old;
    },

    deleteFire({ tenant, job, n }) {
      const group = numberOf(tenant, job);
      const row = fires.find(group, { n });
      if (!row) return 0;
      for (const delivery of deliveriesOf(group, n)) deliveries.remove(group, delivery);
      fires.remove(group, { n });
      if (row.kind === 'slot') fireSlots.remove(group, row);
      return 1;
    },

    insertDelivery({ tenant, job, ...row }) {
      const group = numberOf(tenant, job);
      if (!fires.find(group, row)) throw constraintFailed(`no slot ${row.n} of job "${job}"`);
      if (!deliveries.add(group, row)) throw constraintFailed(`delivery ${row.target} exists`);
      return 1;
    },

    changeDelivery({ tenant, job, n, target, isAlert, ...fields }) {
      const group = numberOf(tenant, job);
      const row = deliveries.find(group, { n, target, isAlert });
      if (!row) return 0;
      deliveries.replace(group, { ...row, ...fields });
      return 1;
    },

    findDelivery({ tenant, job, n, target, isAlert }) {
      const row = deliveries.find(numberOf(tenant, job), { n, target, isAlert });
      return row && { ...row };
    },

    listDeliveries: ({ tenant, job, n }) => deliveriesOf(numberOf(tenant, job), n).map((row) => ({ ...row })),
  };
}
