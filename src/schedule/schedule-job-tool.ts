import type { RunLimits } from '../../machines/run.types.ts';
import { followedSkills, inherited } from '../agent/skills.ts';
import { taintAtCall } from '../call/policy.ts';
import { nameOfUser } from '../protocol/access.ts';
import type { LimitsConfig } from '../protocol/config.ts';
import { DetentError } from '../protocol/error.ts';
import type { Unavailable } from '../protocol/ports.ts';
import { defineTool, ownArguments, type Tool, type ToolContext, ToolFailure } from '../protocol/tool.ts';
import { type JobView, offText } from '../protocol/views.ts';
import { findRow, type Store } from '../runs/rows.ts';
import { callNumber } from '../store/stored-call.ts';
import { readRun } from '../store/stored-run.ts';
import { shortened } from '../text/wording.ts';
import type { JobDesk, JobWorker } from './job-host.ts';
import type { JobBounds } from './machine/job-run.ts';

/** Name of the tool that makes scheduled jobs. */
export const scheduleJobName = 'schedule_job';

/** How much of a prompt the list shows. */
const shownCharacters = 200;

const parameters = ownArguments(
  { action: { type: 'string', enum: ['create', 'list', 'remove'] } },
  {
    job_id: {
      type: 'string',
      minLength: 1,
      maxLength: 150,
      description: 'A short name, such as daily-report',
    },
    prompt: { type: 'string', minLength: 1, maxLength: 100_000, description: 'What each run is asked' },
    cron: { type: 'string', maxLength: 500, description: 'A cron expression, such as 0 9 * * 1-5' },
    every: { type: 'string', maxLength: 40, description: 'An interval, such as 15m or 24h' },
    at: { type: 'string', maxLength: 100, description: 'Once, such as 2026-12-24T18:00:00+01:00' },
    timezone: { type: 'string', maxLength: 100, description: 'Of cron, such as Europe/Berlin' },
    deliver: {
      type: 'string',
      enum: ['session', 'console'],
      description: 'Where results go: into this conversation (default), or to the console',
    },
  },
  { trimmed: ['prompt'] },
);

/** What a model asks for. */
interface Wanted {
  jobId: string;
  prompt: string;
  timeZone: string | undefined;
  deliver: 'session' | 'console';
  cron?: string | undefined;
  every?: string | undefined;
  at?: string | undefined;
}

/** `schedule_job`: an agent makes, lists and removes jobs of its user, with no more power than its run has. */
export function scheduleJobTool(store: Store, worker: Pick<JobWorker, 'desk'>): Tool {
  return defineTool({
    name: scheduleJobName,
    description:
      'Has an agent like you run later or again and again, without this conversation; lists and removes such jobs. ' +
      'To create one give job_id, prompt, and one of cron, every and at. Say in the prompt all that the run must know. ' +
      'A person is asked before a job is created or removed.',
    parameters,
    sideEffect: ({ action }) => (action === 'list' ? 'readonly' : 'idempotent'),
    confirm: ({ action }) => action !== 'list',
    async run({ action, job_id: jobId, prompt, timezone: timeZone, deliver = 'session', ...times }, ctx) {
      const { desk } = worker;
      if (!desk) throw new DetentError('NO_SCHEDULER', 'this process runs no schedule, so nothing was done');
      if (action === 'list') return { jobs: await list(desk, ctx) };
      if (jobId === undefined) throw missing('job_id');
      if (action === 'remove') return remove(desk, jobId, ctx);
      if (prompt === undefined) throw missing('prompt');
      const wanted = { jobId, prompt, timeZone, deliver, ...times };
      return { created: shownToModel(await create(store, desk, wanted, ctx)) };
    },
  });
}

/** Why no agent can schedule jobs here; null when one can. */
export function whyNoSchedule({ desk }: Pick<JobWorker, 'desk'>): Unavailable | null {
  return desk ? null : { code: 'NO_SCHEDULER', reason: offText('no_scheduler') };
}

function missing(field: string): ToolFailure {
  return new ToolFailure('INVALID_ARGUMENTS', `this action needs ${field}`);
}

async function list(desk: JobDesk, ctx: ToolContext): Promise<object[]> {
  const { tenantId, userId } = ctx.principal;
  const jobs = await desk.list(tenantId, userId);
  // A reader of the jobs' prompts reads the untrusted text that they were made from.
  if (jobs.some(({ isTainted }) => isTainted)) ctx.untrusted?.();
  return jobs.map(shownToModel);
}

async function remove(
  desk: JobDesk,
  jobId: string,
  { principal: { tenantId, userId } }: ToolContext,
): Promise<object> {
  // When the call is repeated after a crash, the job is gone already.
  for (const id of [jobId, nameOfUser(userId, jobId)])
    if (await desk.remove(id, tenantId, userId)) return { removed: id };
  return { removed: null, why: `this user no longer has a job "${jobId}"` };
}

async function create(
  store: Store,
  desk: JobDesk,
  { jobId, prompt, cron, every, at, timeZone, deliver }: Wanted,
  ctx: ToolContext,
): Promise<JobView> {
  const { tenantId, userId } = ctx.principal;
  const { agent, bounds } = await boundsOfCall(store, ctx);
  const given = Object.entries({ cron, every, at, timeZone }).filter(([, value]) => value !== undefined);
  const written = {
    jobId: nameOfUser(userId, jobId),
    prompt,
    agent,
    ...Object.fromEntries(given),
    delivery: deliver === 'session' ? { kind: 'session', session: ctx.sessionId } : 'console',
  };
  return desk.add(written, tenantId, userId, bounds);
}

/** The bounds of the run of a call: its own tools, skills, limits and budget, and the untrusted text that it has read. */
async function boundsOfCall(
  store: Store,
  ctx: ToolContext,
): Promise<{ agent: string | null; bounds: JobBounds }> {
  const row = await findRow(store, ctx.principal.tenantId, ctx.runId);
  const { options, context } = readRun(row);
  const { agent = null, approve, approveGiven, tools, skills = null, budget } = options;
  return {
    agent,
    bounds: {
      call: ctx.idempotencyKey,
      tools,
      skills,
      // An approval in the run's request holds only for that run; one in the configuration holds for all.
      approve: approve === 'all' ? (approveGiven ? 'ask' : null) : approve,
      limits: spendable(context.limits),
      budget: budget?.name ?? null,
      follows: inherited(await followedSkills(store, row, options)),
      tainted: await taintAtCall(store, row, callNumber(ctx.callId)),
    },
  };
}

function spendable({
  steps,
  tokens,
  costUsd,
  workMs,
  errors,
  repeats,
  attempts,
}: Omit<RunLimits, 'queueMs'>): LimitsConfig {
  return {
    maxSteps: steps,
    ...(tokens !== null && { maxTokens: tokens }),
    ...(costUsd !== null && { maxCostUsd: costUsd }),
    timeoutMs: workMs,
    maxErrors: errors,
    maxRepeats: repeats,
    maxRetries: attempts - 1,
  };
}

/** A job as a model reads it. Its targets are shown only to people. */
function shownToModel({ jobId, prompt, words, next, state, why }: JobView): object {
  return {
    job_id: jobId,
    prompt: shortened(prompt, shownCharacters),
    schedule: words,
    next: next.map((at) => new Date(at).toISOString()),
    state,
    ...(why !== null && { why }),
  };
}
