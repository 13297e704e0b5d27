import { z } from 'zod';
import type { Scope } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import {
  type JobChange,
  type JobInput,
  type JobTargetInput,
  jobChangeFields,
  jobFields,
  scheduleFields,
} from '../../protocol/job-input.ts';
import type { FireView, JobView } from '../../protocol/job-view.ts';
import { ofCaller, ownSession, principalOf } from '../owners.ts';
import { limit, view } from './fields.ts';
import { type Call, type Method, method } from './method.ts';

const jobId = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own.');
const reason = z.string().min(1).max(1000).optional().describe('What the job says while it stands still.');
const time = z.int().min(0).describe('Milliseconds since the epoch.');
const ofJob = z.strictObject({ jobId });

const jobView = view(
  {
    jobId: z.string(),
    state: z.enum([
      'scheduled',
      'overdue',
      'running',
      'waiting',
      'interrupted',
      'delivering',
      'paused',
      'disabled',
      'finished',
      'failed',
    ]),
    why: z.string().nullable().describe('Why it stands still.'),
    words: z.string().describe('The schedule in English.'),
    parts: z.looseObject({}).nullable().describe('The schedule for other languages.'),
    next: z.array(time).describe('Its next times; none while it stands still.'),
    last: view({ status: z.enum(['ok', 'failed', 'cancelled']) })
      .nullable()
      .describe('The last run that ended.'),
    sessionId: z.string().describe('Of its runs.'),
  },
  'Job',
);

const slotView = view(
  {
    n: z.int(),
    slot: time.describe('Its time.'),
    status: z.enum(['queued', 'running', 'ok', 'failed', 'cancelled', 'skipped']),
    reason: z.string().nullable().describe('Why it did not run.'),
    runId: z.string().nullable(),
    deliveries: z.array(view({ status: z.string() })),
  },
  'JobSlot',
);

/** Changes the state of a job. Repeating it does nothing. */
const command = (
  verb: 'enable' | 'disable' | 'pause' | 'resume',
  summary: string,
  { hasReason = false } = {},
): Method =>
  method({
    name: `cron.${verb}`,
    scope: 'write',
    summary,
    input: hasReason ? z.strictObject({ jobId, reason }) : ofJob,
    output: jobView,
    http: { verb: 'post', path: `/jobs/{jobId}/${verb}` },
    keyed: 'repeated',
    async perform(call, { jobId, reason }: { jobId: string; reason?: string | undefined }) {
      const { scheduler, caller } = call;
      const scope = ofCaller(caller);
      const isQuiet = verb === 'enable' || verb === 'resume';
      const changed = isQuiet ? scheduler[verb](jobId, scope) : scheduler[verb](jobId, reason, scope);
      return shownTo(call, await changed);
    },
  });

/** Scheduled jobs. A page that shows them asks for the list again from time to time: there are no events of jobs. */
export const jobMethods: readonly Method[] = [
  method({
    name: 'cron.list',
    scope: 'read',
    summary: 'Scheduled jobs, in the order of their ids.',
    input: z.strictObject({
      afterJobId: z.string().max(200).optional().describe('Only those behind this id.'),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ jobs: z.array(jobView) }),
    http: { verb: 'get', path: '/jobs' },
    async perform(call, { afterJobId: after = '', limit }) {
      const jobs = await call.scheduler.list({ ...ofCaller(call.caller), after, limit });
      return { jobs: jobs.map((job) => shownTo(call, job)) };
    },
  }),
  method({
    name: 'cron.get',
    scope: 'read',
    summary: 'A job: its schedule in words, its next times, what it does now, how it ended last.',
    input: ofJob,
    output: jobView,
    http: { verb: 'get', path: '/jobs/{jobId}' },
    perform: async (call, { jobId }) => shownTo(call, await call.scheduler.get(jobId, ofCaller(call.caller))),
  }),
  method({
    name: 'cron.add',
    scope: 'write',
    summary: 'Makes a job. Files and webhooks as targets, `limits` and `budget` need the scope `admin`.',
    input: z.strictObject({ jobId, ...jobFields }),
    output: jobView,
    http: { verb: 'post', path: '/jobs', status: 201 },
    keyed: 'refused',
    makesJobs: true,
    startsAgents: true,
    alsoNeeds: needsOf,
    async perform(call, { jobId, ...fields }) {
      await refuseTooMany(call);
      const job = { jobId, ...(await withOwnSessions(call, fields)) } as JobInput;
      return shownTo(call, await call.scheduler.add(job, principalOf(call.caller)));
    },
  }),
  method({
    name: 'cron.update',
    scope: 'write',
    summary:
      'Changes the fields that are given. Needs the scope `admin` for what `cron.add` does, and for any change of a job that has it.',
    input: z.strictObject({ jobId, ...jobChangeFields }),
    output: jobView,
    http: { verb: 'patch', path: '/jobs/{jobId}' },
    keyed: 'repeated',
    alsoNeeds: needsOf,
    async perform(call, { jobId, ...fields }) {
      const scope = ofCaller(call.caller);
      refuseHosts(call, await call.scheduler.get(jobId, scope));
      const change = (await withOwnSessions(call, fields)) as JobChange;
      return shownTo(call, await call.scheduler.update(jobId, change, scope));
    },
  }),
  command('enable', 'Slots from now on count again.'),
  command('disable', 'From now on the job has no slots. A run at work goes on.', { hasReason: true }),
  command('pause', 'Slots go on record, and none runs.', { hasReason: true }),
  command('resume', 'Ends a pause.'),
  method({
    name: 'cron.remove',
    scope: 'write',
    summary: 'Removes a job with its record, and cancels its run. The conversation of its runs stays.',
    input: ofJob,
    output: z.strictObject({ removed: z.literal(true) }),
    http: { verb: 'delete', path: '/jobs/{jobId}' },
    keyed: 'refused',
    async perform({ scheduler, caller }, { jobId }) {
      await scheduler.remove(jobId, ofCaller(caller));
      return { removed: true as const };
    },
  }),
  method({
    name: 'cron.run',
    scope: 'write',
    summary: 'Runs the job once now, behind a run at work, in a process that runs the schedule.',
    input: ofJob,
    output: jobView,
    http: { verb: 'post', path: '/jobs/{jobId}/run', status: 202 },
    keyed: 'refused',
    perform: async (call, { jobId }) => shownTo(call, await call.scheduler.run(jobId, ofCaller(call.caller))),
  }),
  method({
    name: 'cron.redeliver',
    scope: 'write',
    summary:
      'Tries the deliveries of a slot again that were given up; says how many. What arrived, or is on its way, stays as it is.',
    input: z.strictObject({ jobId, n: z.int().min(1).max(1e12).describe('The number of the slot.') }),
    output: z.strictObject({ redelivered: z.int() }),
    http: { verb: 'post', path: '/jobs/{jobId}/slots/{n}/redeliver', status: 202 },
    keyed: 'repeated',
    perform: async ({ scheduler, caller }, { jobId, n }) => ({
      redelivered: await scheduler.redeliver(jobId, n, ofCaller(caller)),
    }),
  }),
  method({
    name: 'cron.history',
    scope: 'read',
    summary: 'The slots of a job, newest first: how each ended, or why it did not run.',
    input: z.strictObject({
      jobId,
      below: z.int().min(0).optional().describe('Only slots with a smaller `n`.'),
      limit: limit(200, 20),
    }),
    output: z.strictObject({ slots: z.array(slotView) }),
    http: { verb: 'get', path: '/jobs/{jobId}/history' },
    async perform(call, { jobId, below, limit }) {
      const page = { ...(below !== undefined && { below }), limit };
      const slots = await call.scheduler.history(jobId, page, ofCaller(call.caller));
      return { slots: slots.map((slot) => slotShownTo(call, slot)) };
    },
  }),
  method({
    name: 'cron.next',
    scope: 'read',
    summary: 'The next times of a job, also while it stands still.',
    input: z.strictObject({ jobId, count: limit(100, 3) }),
    output: z.strictObject({ next: z.array(time) }),
    http: { verb: 'get', path: '/jobs/{jobId}/next' },
    perform: async ({ scheduler, caller }, { jobId, count }) => ({
      next: await scheduler.next(jobId, count, ofCaller(caller)),
    }),
  }),
  method({
    name: 'cron.preview',
    scope: 'read',
    summary: 'What a schedule means: in words, and its next times. Makes no job.',
    input: z.strictObject({ ...scheduleFields, from: time.optional(), count: limit(100, 3) }),
    output: view(
      { words: z.string(), parts: z.looseObject({}).nullable(), next: z.array(time) },
      'SchedulePreview',
    ),
    http: { verb: 'get', path: '/schedule-preview' },
    perform: async ({ scheduler }, { from, count, ...schedule }) => ({
      ...scheduler.preview(schedule, { count, ...(from !== undefined && { from }) }),
    }),
  }),
];

type Fields = Pick<JobChange, 'delivery' | 'alert' | 'limits' | 'budget'>;

/** What the host decides, unless the caller may administrate: files and addresses that results go to, limits and purses. */
function needsOf({ delivery, alert, limits, budget }: Fields): Scope[] {
  const targets = [delivery ?? [], alert ?? []].flat();
  const isHosts = limits !== undefined || budget !== undefined || !targets.every(isOpen);
  return isHosts ? ['admin'] : [];
}

/** Whether anyone may have results sent there. Who the words belong to is checked when they are. */
function isOpen(target: JobTargetInput): boolean {
  if (typeof target === 'string') return target === 'console' || target.startsWith('session:');
  return target.kind === 'console' || target.kind === 'session';
}

/** A job that an administrator gave more than a client could must not work with another prompt for that client. */
function refuseHosts({ caller }: Call, { jobId, limits, budget, deliver, alert }: JobView): void {
  const isHosts = limits !== null || budget !== null || ![...deliver, ...alert].every(isOpen);
  if (!isHosts || caller.scopes.includes('admin')) return;
  throw new DetentError(
    'FORBIDDEN',
    `job "${jobId}" has limits, a budget, a file or a webhook that an administrator gave it: to change it needs a token with the scope admin`,
    { details: { missing: ['admin'] } },
  );
}

async function refuseTooMany({ detent, caller, maxJobsPerUser }: Call): Promise<void> {
  const { tenantId, userId } = caller;
  if (userId === null) return;
  const jobs = await detent.jobs.list(tenantId, { user: userId, limit: maxJobsPerUser });
  if (jobs.length >= maxJobsPerUser)
    throw new DetentError(
      'TOO_MANY_JOBS',
      `this user has ${maxJobsPerUser} scheduled jobs: remove one of them first`,
    );
}

/** Sessions that results go to exist for the caller. */
async function withOwnSessions<T extends Fields>(call: Call, fields: T): Promise<T> {
  const { delivery, alert } = fields;
  return {
    ...fields,
    ...(delivery !== undefined && { delivery: await ownTargets(call, delivery) }),
    ...(alert !== undefined && { alert: await ownTargets(call, alert) }),
  };
}

async function ownTargets(call: Call, targets: NonNullable<JobInput['delivery']>) {
  return Promise.all(
    [targets].flat().map(async (target) => {
      const named = sessionOf(target);
      if (named === null) return target;
      return { kind: 'session' as const, session: await ownSession(call, named, true) };
    }),
  );
}

function sessionOf(target: JobTargetInput): string | null {
  if (typeof target !== 'string') return target.kind === 'session' ? target.session : null;
  return target.startsWith('session:') ? target.slice('session:'.length) : null;
}

/** The address of a webhook can be a secret in itself: without the scope `admin` only its server is shown. */
function shownTo({ caller }: Call, job: JobView) {
  if (caller.scopes.includes('admin')) return { ...job };
  return { ...job, deliver: job.deliver.map(withoutPath), alert: job.alert.map(withoutPath) };
}

function slotShownTo({ caller }: Call, slot: FireView) {
  if (caller.scopes.includes('admin')) return { ...slot };
  const deliveries = slot.deliveries.map((one) => ({ ...one, target: withoutPath(one.target) }));
  return { ...slot, deliveries };
}

function withoutPath<T extends JobView['deliver'][number]>(target: T): T {
  if (target.kind !== 'webhook') return target;
  return { ...target, url: `${URL.parse(target.url)?.origin ?? ''}/…` };
}
