import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { jobMethods as declared, JobChange, JobInput, JobTargetInput } from '../../protocol/methods.ts';
import type { FireView, JobView } from '../../protocol/views.ts';
import { jobsOf, maySignWith } from '../../schedule/door.ts';
import { ownSession } from '../access/owners.ts';
import { ofCaller, principalOf } from '../feeds/sight.ts';
import { type Call, givenOf, isOfHost, type Need, needOf, type Performers, requestOf } from './method.ts';

export const jobPerformers = {
  async 'cron.list'(call, { afterJobId: after = '', limit }) {
    const jobs = await call.scheduler.list({ ...ofCaller(call.caller), after, limit });
    return { jobs: jobs.map((job) => shownTo(call, job)) };
  },
  'cron.get': async (call, { jobId }) =>
    shownTo(call, await call.scheduler.get(jobId, ofCaller(call.caller))),
  'cron.add': {
    alsoNeeds: needsOf,
    async perform(call, { jobId, ...fields }) {
      await refuseVariables(call, fields);
      await refuseTooMany(call);
      const job = { jobId, ...(await withOwnSessions(call, fields)) } as JobInput;
      const scope = { ...principalOf(call.caller), ...requestOf(call) };
      return shownTo(call, await call.scheduler.add(job, scope));
    },
    answerOf: jobAfter,
  },
  'cron.update': {
    alsoNeeds: needsOf,
    async perform(call, { jobId, ...fields }) {
      const scope = ofCaller(call.caller);
      const before = await call.scheduler.get(jobId, scope);
      refuseHosts(call, before);
      await refuseVariables(call, fields, [...before.deliver, ...before.alert]);
      const change = (await withOwnSessions(call, fields)) as JobChange;
      return shownTo(call, await call.scheduler.update(jobId, change, asked(call)));
    },
    answerOf: jobAfter,
  },
  'cron.enable': {
    perform: async (call, { jobId }) => shownTo(call, await call.scheduler.enable(jobId, asked(call))),
    answerOf: jobAfter,
  },
  'cron.disable': {
    perform: async (call, { jobId, reason }) =>
      shownTo(call, await call.scheduler.disable(jobId, reason, asked(call))),
    answerOf: jobAfter,
  },
  'cron.pause': {
    perform: async (call, { jobId, reason }) =>
      shownTo(call, await call.scheduler.pause(jobId, reason, asked(call))),
    answerOf: jobAfter,
  },
  'cron.resume': {
    perform: async (call, { jobId }) => shownTo(call, await call.scheduler.resume(jobId, asked(call))),
    answerOf: jobAfter,
  },
  'cron.remove': {
    async perform(call, { jobId }) {
      await call.scheduler.remove(jobId, asked(call));
      return { removed: true as const };
    },
    answerOf: async () => ({ removed: true as const }),
  },
  'cron.run': {
    perform: async (call, { jobId }) => shownTo(call, await call.scheduler.run(jobId, asked(call))),
    answerOf: jobAfter,
  },
  'cron.redeliver': async ({ scheduler, caller }, { jobId, n }) => ({
    redelivered: await scheduler.redeliver(jobId, n, ofCaller(caller)),
  }),
  async 'cron.history'(call, { jobId, below, limit }) {
    const page = { ...(below !== undefined && { below }), limit };
    const slots = await call.scheduler.history(jobId, page, ofCaller(call.caller));
    return { slots: slots.map((slot) => slotShownTo(call, slot)) };
  },
  'cron.next': async ({ scheduler, caller }, { jobId, count }) => ({
    next: await scheduler.next(jobId, count, ofCaller(caller)),
  }),
  'cron.preview': async ({ scheduler }, { from, count, ...schedule }) =>
    scheduler.preview(schedule, { count, ...(from !== undefined && { from }) }),
} satisfies Performers<typeof declared>;

/** The owner of a job to change, and the request that changes it. */
function asked(call: Call) {
  return { ...ofCaller(call.caller), ...requestOf(call) };
}

/** The job that a request changed, by the id that the commit noted. */
async function jobAfter(call: Call, jobId: JsonValue): Promise<JobView> {
  return shownTo(call, await call.scheduler.get(String(jobId), ofCaller(call.caller)));
}

type Fields = Pick<JobChange, 'delivery' | 'alert' | 'limits' | 'budget' | 'model' | 'session'>;

/** The scope for fields that only an administrator may set: files and addresses that results go to, limits, budgets, models. */
function needsOf(input: Fields): Need[] {
  const { delivery = [], alert = [] } = input;
  const targets = Object.entries({ delivery, alert }).filter(([, given]) => ![given].flat().every(isOpen));
  return needOf('admin', [
    ...givenOf(input, ['model', 'limits', 'budget']),
    ...targets.map(([field]) => field),
  ]);
}

/** Whether every caller may name this target. The owner of a session is checked when a message is written to it. */
function isOpen(target: JobTargetInput): boolean {
  if (typeof target === 'string') return target === 'console' || target.startsWith('session:');
  return target.kind === 'console' || target.kind === 'session';
}

/** A job that an administrator gave more than a client could must not work with another prompt for that client. */
function refuseHosts({ caller }: Call, { jobId, limits, budget, model, deliver, alert }: JobView): void {
  const isHosts =
    [limits, budget, model].some((one) => one !== null) || ![...deliver, ...alert].every(isOpen);
  if (!isHosts || caller.scopes.includes('admin')) return;
  throw new DetentError(
    'FORBIDDEN',
    `job "${jobId}" has a model, limits, a budget, a file or a webhook that an administrator gave it: to change it needs a token with the scope admin`,
    { details: { missing: ['admin'] } },
  );
}

/**
 * The variables of the process are the host's: a tenant that names one of another tenant could sign in its name.
 *
 * @param kept targets that the job has already
 * @throws DetentError `FORBIDDEN`.
 */
async function refuseVariables(
  { detent, caller, isLocal }: Call,
  { delivery = [], alert = [] }: Fields,
  kept: JobView['deliver'] = [],
): Promise<void> {
  if (isLocal || isOfHost(caller)) return;
  for (const target of [delivery, alert].flat()) {
    if (typeof target === 'string' || target.kind !== 'webhook' || target.secretEnv === undefined) continue;
    const { url, secretEnv } = target;
    if (kept.some((one) => one.kind === 'webhook' && one.url === url && one.secretEnv === secretEnv))
      continue;
    if (await maySignWith(detent, caller.tenantId, secretEnv)) continue;
    throw new DetentError(
      'FORBIDDEN',
      `webhooks of this tenant may not be signed with the variable ${JSON.stringify(secretEnv)}: the host lists its variables in "webhooks.secretEnv" of the configuration`,
    );
  }
}

async function refuseTooMany({ detent, caller, maxJobsPerUser, isLocal }: Call): Promise<void> {
  const { tenantId, userId } = caller;
  if (isLocal || userId === null) return;
  const jobs = await (await jobsOf(detent)).list(tenantId, { user: userId, limit: maxJobsPerUser });
  if (jobs.length >= maxJobsPerUser)
    throw new DetentError(
      'TOO_MANY_JOBS',
      `this user has ${maxJobsPerUser} scheduled jobs: remove one of them first`,
      { details: { max: maxJobsPerUser } },
    );
}

/** Sessions that runs share, and that results go to, exist for the caller. */
async function withOwnSessions<T extends Fields>(call: Call, fields: T): Promise<T> {
  if (call.isLocal) return fields;
  const { delivery, alert, session } = fields;
  return {
    ...fields,
    ...(typeof session === 'string' && { session: await ownSession(call, session, true) }),
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
function shownTo({ caller }: Call, job: JobView): JobView {
  if (caller.scopes.includes('admin')) return job;
  return { ...job, deliver: job.deliver.map(withoutPath), alert: job.alert.map(withoutPath) };
}

function slotShownTo({ caller }: Call, slot: FireView): FireView {
  if (caller.scopes.includes('admin')) return slot;
  const deliveries = slot.deliveries.map((one) => ({ ...one, target: withoutPath(one.target) }));
  return { ...slot, deliveries };
}

function withoutPath<T extends JobView['deliver'][number]>(target: T): T {
  if (target.kind !== 'webhook') return target;
  return { ...target, url: `${URL.parse(target.url)?.origin ?? ''}/…` };
}
