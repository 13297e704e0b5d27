import type { JobCommand, JobDefinition } from '../../../machines/job.types.ts';
import { defaultAgent, defaultTenant, unknownAgent } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JobChange, JobInput } from '../../protocol/methods.ts';
import type { FireView, JobView, RunView } from '../../protocol/views.ts';
import { isWorkflowView } from '../../protocol/views.ts';
import { shellWord } from '../../text/wording.ts';
import type { Egress } from '../../tools/http.ts';
import type { JobRequest, JobScope, Reconciled, Scheduler } from '../api.ts';
import type { ScheduleParts } from '../door.ts';
import type { JobDesk } from '../job-host.ts';
import { boundsOf, type JobBounds } from '../machine/job-run.ts';
import { noJob, reachesJob, type StoredJob } from '../stored-jobs.ts';
import { nextTimes } from '../times/next-times.ts';
import type { Zones } from '../times/zone.ts';
import { configSource, reconcileDeclared } from './declared.ts';
import { changedJob, readJob } from './definition.ts';
import { type NamedJob, refuseUnreachable } from './reachable.ts';
import { reasons } from './stillness.ts';
import { fireView, jobView, type RunStanding } from './views.ts';

/** The settings of a scheduler. */
interface SchedulerSettings {
  /** Of expressions that name none. */
  timeZone: string;
  zones: Zones;
  now(): number;
  /** The jobs that the program declares. */
  declared: readonly JobInput[] | undefined;
  /** Which addresses webhooks may call. */
  egress: Egress;
}

const usual = { list: 100, nearest: 500, history: 20, next: 3 };

const tenantOf = ({ tenantId = defaultTenant }: JobScope) => tenantId;

/** The operations of a scheduler on jobs, once its Detent is open. */
export class JobOperations implements Omit<Scheduler, 'preview' | 'start' | 'close'> {
  readonly #parts: ScheduleParts;
  readonly #settings: SchedulerSettings;

  constructor(parts: ScheduleParts, settings: SchedulerSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  async add(input: unknown, scope: JobRequest & { source?: string } = {}): Promise<JobView> {
    return this.#make(input, scope, null);
  }

  async list({
    after = '',
    limit = usual.list,
    ...scope
  }: JobScope & { after?: string; limit?: number } = {}): Promise<JobView[]> {
    const stored = await this.#listed(scope, after, limit);
    return Promise.all(stored.map((job) => this.#view(tenantOf(scope), job)));
  }

  async get(jobId: string, scope: JobScope = {}): Promise<JobView> {
    return this.#view(tenantOf(scope), await this.#found(jobId, scope));
  }

  async update(jobId: string, change: JobChange, scope: JobRequest = {}): Promise<JobView> {
    const { row, context } = await this.#foundToChange(jobId, scope);
    const definition = changedJob(context.definition, change, this.#defaults());
    // After a change of its work, the job may belong to another agent.
    if (!reachesJob(scope.reach, definition))
      throw unknownAgent(definition.agent ?? defaultAgent, scope.reach?.agents ?? []);
    await this.#check({ tenant: tenantOf(scope), id: jobId, user: row.user, definition });
    return this.#command(jobId, { type: 'job.update', definition }, scope);
  }

  async enable(jobId: string, scope: JobRequest = {}): Promise<JobView> {
    const job = await this.#found(jobId, scope);
    const { halt, definition } = job.context;
    if (halt !== null && this.#times(definition, 1).length === 0) throw noOtherTime(job);
    return this.#command(jobId, { type: 'job.enable' }, scope);
  }

  disable(jobId: string, reason: string = reasons.disabled, scope: JobRequest = {}): Promise<JobView> {
    return this.#command(jobId, { type: 'job.disable', reason }, scope);
  }

  pause(jobId: string, reason: string = reasons.paused, scope: JobRequest = {}): Promise<JobView> {
    return this.#command(jobId, { type: 'job.pause', reason }, scope);
  }

  resume(jobId: string, scope: JobRequest = {}): Promise<JobView> {
    return this.#command(jobId, { type: 'job.resume' }, scope);
  }

  async remove(jobId: string, scope: JobRequest = {}): Promise<void> {
    const job = await this.#foundToChange(jobId, scope);
    await this.#parts.jobs.remove(tenantOf(scope), job, scope);
  }

  async run(jobId: string, scope: JobRequest = {}): Promise<JobView> {
    await this.#found(jobId, scope);
    const isTaken = await this.#parts.jobs.command(tenantOf(scope), jobId, { type: 'job.run' }, scope);
    if (!isTaken) throw queueFull(jobId);
    return this.get(jobId, scope);
  }

  async history(
    jobId: string,
    { below = Number.MAX_SAFE_INTEGER, limit = usual.history }: { below?: number; limit?: number } = {},
    scope: JobScope = {},
  ): Promise<FireView[]> {
    const { context } = await this.#found(jobId, scope);
    const { jobs } = this.#parts;
    const tenant = tenantOf(scope);
    const rows = await jobs.fires(tenant, jobId, below, limit);
    return Promise.all(
      rows.map(async (row) =>
        fireView(row, await jobs.deliveries(tenant, jobId, row.n), context.definition, this.#looksIn(tenant)),
      ),
    );
  }

  async redeliver(jobId: string, n: number, scope: JobScope = {}): Promise<number> {
    await this.#found(jobId, scope);
    const { jobs } = this.#parts;
    const tenant = tenantOf(scope);
    const [fire] = await jobs.fires(tenant, jobId, n + 1, 1);
    if (fire?.n !== n) throw noSlot(jobId, n);
    const dead = (await jobs.deliveries(tenant, jobId, n)).filter(({ status }) => status === 'dead');
    let count = 0;
    for (const { target, isAlert } of dead)
      if (await jobs.command(tenant, jobId, { type: 'job.redeliver', n, target, isAlert: isAlert === 1 }))
        count += 1;
    return count;
  }

  async next(jobId: string, count = usual.next, scope: JobScope = {}): Promise<number[]> {
    const { context } = await this.#found(jobId, scope);
    return this.#times(context.definition, count);
  }

  reconcile(how: { isDry?: boolean; removes?: boolean } = {}): Promise<Reconciled> {
    const check = async (id: string, definition: JobDefinition) => {
      const job = { tenant: defaultTenant, id, user: null, definition };
      await this.#parts.jobs.check(defaultTenant, definition);
      await refuseUnreachable(this.#parts, this.#settings.egress, job);
    };
    return reconcileDeclared(this.#parts.jobs, this.#settings.declared, how, this.#defaults(), check);
  }

  /** The operations on jobs for agents. A null user means no user in particular. */
  desk(): JobDesk {
    const { jobs } = this.#parts;
    return {
      add: (written, tenantId, userId, bounds) =>
        this.#make(written, { tenantId, userId, source: 'tool' }, bounds),
      list: async (tenant, user) => {
        const stored = await jobs.list(tenant, { user, limit: usual.list });
        const own = stored.filter(({ row }) => row.user === user);
        return Promise.all(own.map((job) => this.#view(tenant, job)));
      },
      remove: async (jobId, tenantId, userId) => {
        const job = await jobs.find(tenantId, jobId);
        if (job?.row.user !== userId) return false;
        await this.remove(jobId, { tenantId });
        return true;
      },
    };
  }

  async #make(
    written: unknown,
    scope: JobRequest & { source?: string },
    bounds: JobBounds | null,
  ): Promise<JobView> {
    const { jobs } = this.#parts;
    const tenant = tenantOf(scope);
    const { jobId, enabled, definition } = readJob(written, this.#defaults());
    if (bounds && definition.workflow !== undefined)
      throw new DetentError('INVALID_JOB', 'an agent schedules prompts, no workflows');
    await this.#check({ tenant, id: jobId, user: scope.userId ?? null, definition });
    try {
      await jobs.create({
        tenant,
        id: jobId,
        user: scope.userId ?? null,
        source: scope.source ?? 'user',
        definition: bounds ? withBounds(definition, bounds) : definition,
        halt: enabled ? null : { as: 'disabled', reason: reasons.madeSo },
        from: this.#settings.now(),
        requestId: scope.requestId,
      });
    } catch (error) {
      // The agent's call is repeated after a crash, and its job exists already.
      const isThere = DetentError.is(error) && error.code === 'JOB_EXISTS';
      const found = isThere ? await jobs.find(tenant, jobId) : null;
      if (found?.row.source === configSource) throw declaredJob(jobId);
      if (!bounds || !found || boundsOf(found.context.definition)?.call !== bounds.call) throw error;
      return this.#view(tenant, found);
    }
    return this.get(jobId, scope);
  }

  /** Sends a command, and returns the job after it. A job that is in that state already does not change. */
  async #command(jobId: string, event: JobCommand, scope: JobRequest): Promise<JobView> {
    await this.#found(jobId, scope);
    await this.#parts.jobs.command(tenantOf(scope), jobId, event, scope);
    return this.get(jobId, scope);
  }

  /** @throws DetentError `NO_JOB`, also for a job of another user, and for one beyond the reach. */
  async #found(jobId: string, scope: JobScope): Promise<StoredJob> {
    const { userId = null, reach } = scope;
    const job = await this.#parts.jobs.findFor({ user: userId, reach }, tenantOf(scope), jobId);
    if (job) return job;
    const others = await this.#listed(scope, '', usual.nearest);
    throw noJob(
      jobId,
      others.map(({ row }) => row.id),
    );
  }

  /** A job that may be changed here. @throws DetentError `NO_JOB`, `DECLARED_JOB`. */
  async #foundToChange(jobId: string, scope: JobScope): Promise<StoredJob> {
    const job = await this.#found(jobId, scope);
    if (job.row.source === configSource) throw declaredJob(jobId);
    return job;
  }

  async #listed(scope: JobScope, after: string, limit: number): Promise<StoredJob[]> {
    const filter = { user: scope.userId ?? null, limit };
    const reached: StoredJob[] = [];
    for (let behind = after; ; ) {
      const page = await this.#parts.jobs.list(tenantOf(scope), { ...filter, after: behind });
      reached.push(...page.filter(({ context }) => reachesJob(scope.reach, context.definition)));
      const last = page.at(-1);
      if (!last || page.length < limit || reached.length >= limit) return reached.slice(0, limit);
      behind = last.row.id;
    }
  }

  /** @throws DetentError for a job that names something that does not exist, or that has no time left. */
  async #check(job: NamedJob): Promise<void> {
    const { tenant, definition } = job;
    await this.#parts.jobs.check(tenant, definition);
    await refuseUnreachable(this.#parts, this.#settings.egress, job);
    if (this.#times(definition, 1).length === 0) throw noTime(definition);
  }

  #times({ schedule }: JobDefinition, count: number): number[] {
    const { now, zones } = this.#settings;
    return nextTimes(schedule, { from: now(), count, zones });
  }

  #defaults() {
    const { timeZone, now } = this.#settings;
    return { timeZone, now: now() };
  }

  #view(tenant: number, job: StoredJob): Promise<JobView> {
    return jobView(job, this.#looksIn(tenant));
  }

  #looksIn(tenant: number) {
    const { now, zones } = this.#settings;
    const { runs, jobs, store } = this.#parts;
    // If a run is not found, it will be made soon, or was deleted.
    const isStaffed = async (runId: string) => {
      const row = await store.query('loadRun', { tenant, id: runId });
      return row !== undefined && (await store.query('findTakeover', { session: row.session })) !== undefined;
    };
    const standingOf = async (runId: string) => {
      const stands = await runs.view(tenant, runId).then(standing, () => null);
      const isHeld = stands?.status === 'queued' && (await isStaffed(runId));
      return stands && { ...stands, ...(isHeld && { waitsForStaff: true as const }) };
    };
    return { now: now(), zones, standingOf, lostOf: (job: string) => jobs.lost(tenant, job) };
  }
}

function standing(run: RunView): RunStanding {
  const { status, pending, waitsFor } = run;
  const asksNobody = pending.length === 0 && waitsFor === undefined;
  const isPatient = status === 'waiting' && isWorkflowView(run) && asksNobody;
  return { status, ...(isPatient && { waitsForEvent: true }) };
}

function noTime(definition: JobDefinition): DetentError {
  const { kind } = definition.schedule;
  return new DetentError('INVALID_SCHEDULE', `the job would never run: ${whyNoTime(definition)}`, {
    details: { field: kind, ...passed(definition) },
  });
}

function noOtherTime({ row: { id, source }, context: { definition } }: StoredJob): DetentError {
  const advice =
    source === configSource
      ? 'give it another time in the configuration (field "jobs")'
      : `give it another time with: detent cron update ${shellWord(id)} --at TIME`;
  return new DetentError(
    'INVALID_SCHEDULE',
    `job "${id}" has no further time: ${whyNoTime(definition)}; ${advice}`,
    { details: { jobId: id, ...passed(definition) } },
  );
}

function passed({ schedule }: JobDefinition): { passedAt?: number } {
  return schedule.kind === 'at' ? { passedAt: schedule.atMs } : {};
}

function whyNoTime({ schedule }: JobDefinition): string {
  return schedule.kind === 'at'
    ? `${new Date(schedule.atMs).toISOString()} has passed`
    : 'this schedule has no time up to the end of 2199';
}

function declaredJob(jobId: string): DetentError {
  return new DetentError(
    'DECLARED_JOB',
    `job "${jobId}" is declared in the configuration: change or remove it there (field "jobs"); "detent cron pause ${shellWord(jobId)}" keeps it from running`,
    { details: { jobId } },
  );
}

function queueFull(jobId: string): DetentError {
  return new DetentError('QUEUE_FULL', `job "${jobId}" already has 100 waiting runs; try again later`, {
    details: { jobId },
    retryable: true,
  });
}

function noSlot(jobId: string, n: number): DetentError {
  return new DetentError(
    'NO_SLOT',
    `job "${jobId}" has no slot ${n} on record; "detent cron history" lists its slots`,
    { details: { jobId, n } },
  );
}

function withBounds(definition: JobDefinition, bounds: JobBounds): JobDefinition {
  return { ...definition, bounds: bounds as NonNullable<JobDefinition['bounds']> };
}
