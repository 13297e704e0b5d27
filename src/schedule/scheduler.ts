import { schedule as everyTime, type ScheduledTask } from 'node-cron';
import type { JobDefinition } from '../../machines/job.types.ts';
import type { Detent } from '../index.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { JobView } from '../protocol/job-view.ts';
import type { RunView } from '../protocol/run-view.ts';
import { defaultTenant } from '../protocol/tenant.ts';
import { isWorkflowView } from '../protocol/workflow-view.ts';
import { type JobBounds, withBounds } from '../records/job-run.ts';
import type { DeliveryAsked, JobDesk } from '../runs/jobs/job-work.ts';
import type { OfRequest } from '../runs/keyed-requests.ts';
import type { JobCommand, StoredJob } from '../runtime/api/jobs.ts';
import { defaultAgent, unknownAgent } from '../runtime/config/find-agent.ts';
import { nearestName } from '../text/nearest-name.ts';
import { printable } from '../text/printable.ts';
import { Egress } from '../tools/http/egress.ts';
import type { JobRequest, JobScope, Scheduler, SchedulerOptions } from './api.ts';
import { configSource, reconcileDeclared } from './declared.ts';
import { changedJob, readJob, readSchedule } from './definition.ts';
import { deliver } from './deliver/deliver.ts';
import { slotsOf } from './slots.ts';
import { inWords } from './times/in-words.ts';
import { nextTimes } from './times/next-times.ts';
import { partsOf } from './times/parts.ts';
import { createZones } from './times/zone.ts';
import { fireView, jobView, type RunStanding, reachesJob } from './views.ts';

const webhookTimeoutMs = 15_000;
const usual = { list: 100, nearest: 500, history: 20, next: 3, concurrency: 16 };

/**
 * Makes a scheduler for a Detent.
 *
 * @example
 * ```ts
 * const scheduler = createScheduler(detent);
 * await scheduler.add({ jobId: 'daily', cron: '0 9 * * 1-5', prompt: 'Sum up yesterday.', delivery: 'console' });
 * await scheduler.start();
 * ```
 */
export function createScheduler(detent: Detent, options: SchedulerOptions = {}): Scheduler {
  const {
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    print = (text) => console.log(printable(text)),
    now = detent.jobs.now,
    concurrency = usual.concurrency,
  } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new DetentError(
      'INVALID_CONFIG',
      `createScheduler: "concurrency" is a whole number of at least 1, not ${concurrency}`,
    );
  const zones = createZones();
  const { jobs, runs } = detent;
  const webhooks = {
    egress: new Egress({ allow: options.webhooks?.allowHosts ?? jobs.allowHosts }, 'webhooks.allowHosts'),
    timeoutMs: options.webhooks?.timeoutMs ?? webhookTimeoutMs,
  };
  const tenantOf = ({ tenantId = defaultTenant }: JobScope = {}) => tenantId;
  let detach: (() => void) | null = null;
  let ticks: ScheduledTask | null = null;

  const looksIn = (tenant: number) => ({
    now: now(),
    zones,
    async standingOf(runId: string) {
      try {
        return standingOf(await runs.show(runId, tenant));
      } catch {
        // Its run is about to be made, or was deleted.
        return null;
      }
    },
  });

  const listed = async (scope: JobScope, after: string, limit: number): Promise<StoredJob[]> => {
    const filter = { user: scope.userId ?? null, limit };
    const reached: StoredJob[] = [];
    for (let behind = after; ; ) {
      const page = await jobs.list(tenantOf(scope), { ...filter, after: behind });
      reached.push(...page.filter((job) => reachesJob(scope.reach, job)));
      const last = page.at(-1);
      if (!last || page.length < limit || reached.length >= limit) return reached.slice(0, limit);
      behind = last.row.id;
    }
  };

  /** @throws DetentError `NO_JOB`, also for a job of another user, and for one beyond the reach. */
  const found = async (jobId: string, scope: JobScope = {}) => {
    const tenant = tenantOf(scope);
    const { userId = null, reach } = scope;
    const job = await jobs.find(tenant, jobId);
    if (job && (userId === null || job.row.user === userId) && reachesJob(reach, job)) return job;
    const others = await listed(scope, '', usual.nearest);
    throw noJob(
      jobId,
      others.map(({ row }) => row.id),
    );
  };

  /** A job that may be changed here. @throws DetentError `NO_JOB`, `DECLARED_JOB`. */
  const foundToChange = async (jobId: string, scope: JobScope = {}) => {
    const job = await found(jobId, scope);
    if (job.row.source === configSource) throw declaredJob(jobId);
    return job;
  };

  const removeJob = async (tenant: number, { row, context }: StoredJob, request: OfRequest = {}) => {
    const runId = context.firing?.runId ?? null;
    await jobs.command(tenant, row.id, { type: 'job.remove' }, request);
    if (runId !== null) await runs.cancel(runId, 'its job was removed', tenant).catch(() => false);
  };

  const reconcile: Scheduler['reconcile'] = (how = {}) =>
    reconcileDeclared(options.jobs, how, { jobs, removeJob, defaults: { timeZone, now: now() } });

  const get: Scheduler['get'] = async (jobId, scope = {}) =>
    jobView(await found(jobId, scope), looksIn(tenantOf(scope)));

  /** @throws DetentError for a job that names what there is not, or that has no time any more. */
  const checked = async (tenant: number, definition: JobDefinition) => {
    await jobs.check(tenant, definition);
    const [next] = nextTimes(definition.schedule, { from: now(), count: 1, zones });
    if (next === undefined) throw noTime(definition);
  };

  /** Sends a command, and shows the job after it. A job that is so already stays as it is. */
  const command = async (jobId: string, event: JobCommand, scope: JobRequest = {}): Promise<JobView> => {
    await found(jobId, scope);
    await jobs.command(tenantOf(scope), jobId, event, scope);
    return get(jobId, scope);
  };

  const close: Scheduler['close'] = async () => {
    await ticks?.destroy();
    detach?.();
    ticks = null;
    detach = null;
  };

  const make = async (
    written: unknown,
    scope: JobRequest & { source?: string },
    bounds: JobBounds | null = null,
  ): Promise<JobView> => {
    const tenant = tenantOf(scope);
    const { jobId, enabled, definition } = readJob(written, { timeZone, now: now() });
    if (bounds && definition.workflow !== undefined)
      throw new DetentError('INVALID_JOB', 'an agent schedules prompts, no workflows');
    await checked(tenant, definition);
    await jobs.create({
      tenant,
      id: jobId,
      user: scope.userId ?? null,
      source: scope.source ?? 'user',
      definition: bounds ? withBounds(definition, bounds) : definition,
      halt: enabled ? null : { as: 'disabled', reason: 'it was made so' },
      from: now(),
      requestId: scope.requestId,
    });
    return get(jobId, scope);
  };

  const remove: Scheduler['remove'] = async (jobId, scope = {}) => {
    await removeJob(tenantOf(scope), await foundToChange(jobId, scope), scope);
  };

  const desk: JobDesk = {
    add: (written, tenantId, userId, bounds) => make(written, { tenantId, userId, source: 'tool' }, bounds),
    async list(tenantId, user) {
      const stored = await jobs.list(tenantId, { user, limit: usual.list });
      const own = stored.filter(({ row }) => row.user === user);
      return Promise.all(own.map((job) => jobView(job, looksIn(tenantId))));
    },
    show: (job, tenantId) => jobView(job, looksIn(tenantId)),
    async remove(jobId, tenantId, userId) {
      const job = await jobs.find(tenantId, jobId);
      if (job?.row.user !== userId) return false;
      await remove(jobId, { tenantId });
      return true;
    },
  };

  return {
    add: (input, scope = {}) => make(input, scope),

    async list({ after = '', limit = usual.list, ...scope } = {}) {
      const tenant = tenantOf(scope);
      const stored = await listed(scope, after, limit);
      return Promise.all(stored.map((job) => jobView(job, looksIn(tenant))));
    },

    get,

    async update(jobId, change, scope) {
      const { context } = await foundToChange(jobId, scope);
      const definition = changedJob(context.definition, change, { timeZone, now: now() });
      // With other work it may be of another agent.
      if (!reachesJob(scope?.reach, { context: { definition } }))
        throw unknownAgent(definition.agent ?? defaultAgent, scope?.reach?.agents ?? []);
      await checked(tenantOf(scope), definition);
      return command(jobId, { type: 'job.update', definition }, scope);
    },

    async enable(jobId, scope) {
      const { context, row } = await found(jobId, scope);
      const [next] = nextTimes(context.definition.schedule, { from: now(), count: 1, zones });
      if (context.halt !== null && next === undefined) throw noOtherTime(row, context.definition);
      return command(jobId, { type: 'job.enable' }, scope);
    },
    disable: (jobId, reason = 'disabled by hand', scope = {}) =>
      command(jobId, { type: 'job.disable', reason }, scope),
    pause: (jobId, reason = 'paused by hand', scope = {}) =>
      command(jobId, { type: 'job.pause', reason }, scope),
    resume: (jobId, scope) => command(jobId, { type: 'job.resume' }, scope),

    remove,

    async run(jobId, scope = {}) {
      await found(jobId, scope);
      if (!(await jobs.command(tenantOf(scope), jobId, { type: 'job.run' }, scope))) throw queueFull(jobId);
      return get(jobId, scope);
    },

    async history(jobId, { below = Number.MAX_SAFE_INTEGER, limit = usual.history } = {}, scope = {}) {
      await found(jobId, scope);
      const tenant = tenantOf(scope);
      const rows = await jobs.fires(tenant, jobId, below, limit);
      return Promise.all(
        rows.map(async (row) => fireView(row, await jobs.deliveries(tenant, jobId, row.n), looksIn(tenant))),
      );
    },

    async redeliver(jobId, n, scope = {}) {
      await found(jobId, scope);
      const tenant = tenantOf(scope);
      const [fire] = await jobs.fires(tenant, jobId, n + 1, 1);
      if (fire?.n !== n) throw noSlot(jobId, n);
      const dead = (await jobs.deliveries(tenant, jobId, n)).filter(({ status }) => status === 'dead');
      let count = 0;
      for (const { target, isAlert } of dead)
        if (await jobs.command(tenant, jobId, { type: 'job.redeliver', n, target, isAlert: isAlert === 1 }))
          count += 1;
      return count;
    },

    async next(jobId, count = usual.next, scope = {}) {
      const { schedule } = (await found(jobId, scope)).context.definition;
      return nextTimes(schedule, { from: now(), count, zones });
    },

    preview(fields, { from = now(), count = usual.next } = {}) {
      const schedule = readSchedule(fields, { timeZone, now: from });
      return {
        schedule,
        words: inWords(schedule),
        parts: partsOf(schedule),
        next: nextTimes(schedule, { from, count, zones }),
      };
    },

    reconcile,

    async start() {
      if (detach) return;
      await reconcile();
      detach = await jobs.work({
        desk,
        concurrency,
        slots: (definition, asked) => slotsOf(definition, asked, zones),
        deliver: (asked) => telling(asked, deliver(asked, { print, jobs, webhooks, now }), options.tell),
        ...(options.tell && { tell: options.tell }),
      });
      await runs.resume();
      // Timers of a process count in its own way: a machine that slept, or whose clock jumped, is late without this look.
      ticks = everyTime('* * * * *', () => jobs.look().catch(() => {}), { name: 'detent' });
    },

    close,
  };
}

function standingOf(run: RunView): RunStanding {
  const { status, pending, waitsFor } = run;
  const asksNobody = pending.length === 0 && waitsFor === undefined;
  const isPatient = status === 'waiting' && isWorkflowView(run) && asksNobody;
  return { status, ...(isPatient && { waitsForEvent: true }) };
}

/** Tells how a delivery went. */
async function telling(
  { tenant, jobId, n, target, isAlert }: DeliveryAsked,
  delivered: Promise<void>,
  tell: SchedulerOptions['tell'],
): Promise<void> {
  const about = { tenant, jobId, n, target, isAlert };
  try {
    await delivered;
  } catch (error) {
    const code = DetentError.is(error) ? error.code : 'INTERNAL';
    tell?.({ ...about, type: 'undelivered', error: { code, message: messageOf(error) } });
    throw error;
  }
  tell?.({ ...about, type: 'delivered' });
}

function noTime(definition: JobDefinition): DetentError {
  const { kind } = definition.schedule;
  return new DetentError('INVALID_SCHEDULE', `the job would never run: ${whyNoTime(definition)}`, {
    details: { field: kind },
  });
}

function whyNoTime({ schedule }: JobDefinition): string {
  return schedule.kind === 'at'
    ? `${new Date(schedule.atMs).toISOString()} is over`
    : 'this schedule has no time up to the end of 2199';
}

function noOtherTime({ id, source }: StoredJob['row'], definition: JobDefinition): DetentError {
  const advice =
    source === configSource
      ? 'give it another time in the configuration (field "jobs")'
      : `give it another time with: detent cron update ${id} --at TIME`;
  return new DetentError(
    'INVALID_SCHEDULE',
    `job "${id}" has no other time: ${whyNoTime(definition)}; ${advice}`,
    { details: { jobId: id } },
  );
}

function declaredJob(jobId: string): DetentError {
  return new DetentError(
    'DECLARED_JOB',
    `job "${jobId}" is declared in the configuration: change or remove it there (field "jobs"); "detent cron pause ${jobId}" keeps it from running`,
    { details: { jobId } },
  );
}

/** Of an id that no job of the caller has; `others` are those that the caller has. */
export function noJob(jobId: string, others: readonly string[] = []): DetentError {
  const nearest = nearestName(jobId, others);
  return new DetentError(
    'NO_JOB',
    `there is no job "${jobId}"${nearest === null ? '' : `; did you mean "${nearest}"?`}; "detent cron list" shows those that there are`,
    {
      details: { jobId },
    },
  );
}

function queueFull(jobId: string): DetentError {
  return new DetentError('QUEUE_FULL', `job "${jobId}" has 100 runs that wait already; try again later`, {
    details: { jobId },
    retryable: true,
  });
}

function noSlot(jobId: string, n: number): DetentError {
  return new DetentError(
    'NO_SLOT',
    `job "${jobId}" has no slot ${n} on record; "detent cron history" shows those that it has`,
    { details: { jobId, n } },
  );
}
