import type { RunLimits } from '../../../machines/run.types.ts';
import { taintAtCall } from '../../agent/policy/taint.ts';
import { followedSkills, inherited } from '../../agent/skills/followed.ts';
import type { JobRequest, PerformJobRequest } from '../../ports/schedule-job.ts';
import type { ToolContext } from '../../ports/tool.ts';
import type { Unavailable } from '../../ports/toolbox.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { nameOfUser } from '../../protocol/session-key.ts';
import { callNumber } from '../../records/call-id.ts';
import { boundsOf, type JobBounds } from '../../records/job-run.ts';
import { readRun } from '../../records/stored-run.ts';
import type { Runs } from '../runs.ts';
import type { Store } from '../statements.ts';
import type { JobDesk, ShownJob } from './job-work.ts';
import type { Jobs } from './jobs.ts';

interface JobsOfToolsOptions {
  store: Store;
  runs: Pick<Runs, 'row'>;
  jobs: Pick<Jobs, 'find' | 'desk'>;
}

/** How much of a prompt the list shows. */
const shownCharacters = 200;

/** What agents ask of scheduled jobs: for the user of their run, and with no more power than it has. */
export class JobsOfTools {
  readonly #options: JobsOfToolsOptions;

  constructor(options: JobsOfToolsOptions) {
    this.#options = options;
  }

  /** Why no agent can ask it here; null when one can. */
  whyUnavailable(): Unavailable | null {
    if (this.#options.jobs.desk) return null;
    return { code: 'NO_SCHEDULER', reason: 'this process runs no schedule; "detent serve" does' };
  }

  readonly perform: PerformJobRequest = async (request, ctx) => {
    const desk = this.#desk();
    if (request.action === 'create') return { created: told(await this.#create(desk, request, ctx)) };
    const { tenantId, userId } = ctx.principal;
    if (request.action === 'list') {
      const list = await desk.list(tenantId, userId);
      // Whoever reads their prompts reads what made them.
      if (list.some(({ isTainted }) => isTainted)) ctx.untrusted?.();
      return { jobs: list.map(told) };
    }
    const { jobId } = request;
    // Gone at the second time, when a crash has the call made again.
    for (const id of [jobId, nameOfUser(userId, jobId)])
      if (await desk.remove(id, tenantId, userId)) return { removed: id };
    return { removed: null, why: `there is no job "${jobId}" of this user any more` };
  };

  #desk(): JobDesk {
    const { desk } = this.#options.jobs;
    if (desk) return desk;
    throw new DetentError('NO_SCHEDULER', 'this process runs no schedule, so nothing was done');
  }

  async #create(
    desk: JobDesk,
    { jobId, prompt, cron, every, at, timeZone, deliver }: Extract<JobRequest, { action: 'create' }>,
    ctx: ToolContext,
  ): Promise<ShownJob> {
    const { jobs } = this.#options;
    const { tenantId, userId } = ctx.principal;
    const { agent, bounds } = await this.#boundsOf(ctx);
    const id = nameOfUser(userId, jobId);
    const given = Object.entries({ cron, every, at, timeZone }).filter(([, value]) => value !== undefined);
    const written = {
      jobId: id,
      prompt,
      agent,
      ...Object.fromEntries(given),
      delivery: deliver === 'session' ? { kind: 'session', session: ctx.sessionId } : 'console',
    };
    try {
      return await desk.add(written, tenantId, userId, bounds);
    } catch (error) {
      // A crash has the call made again, and the job is there.
      const found = DetentError.is(error) && error.code === 'JOB_EXISTS' && (await jobs.find(tenantId, id));
      if (!found || boundsOf(found.context.definition)?.call !== ctx.idempotencyKey) throw error;
      return desk.show(found, tenantId);
    }
  }

  /** What the run may do at most: its own tools, skills, limits and budget, and what it has read. */
  async #boundsOf(ctx: ToolContext): Promise<{ agent: string | null; bounds: JobBounds }> {
    const { store, runs } = this.#options;
    const row = await runs.row(ctx.principal.tenantId, ctx.runId);
    const { options, context } = readRun(row);
    const { agent = null, approve, approveGiven, tools, skills = null, budget } = options;
    return {
      agent,
      bounds: {
        call: ctx.idempotencyKey,
        tools,
        skills,
        // What its request approved was for that run. What the configuration approves is for all.
        approve: approve === 'all' ? (approveGiven ? 'ask' : null) : approve,
        limits: spendable(context.limits),
        budget: budget?.name ?? null,
        follows: inherited(await followedSkills(store, row, options)),
        tainted: await taintAtCall(store, row, callNumber(ctx.callId)),
      },
    };
  }
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

/** A job as a model reads it. Where its results go is for people. */
function told({ jobId, prompt, words, next, state, why }: ShownJob) {
  return {
    job_id: jobId,
    prompt: prompt.length > shownCharacters ? `${prompt.slice(0, shownCharacters)}…` : prompt,
    schedule: words,
    next: next.map((at) => new Date(at).toISOString()),
    state,
    ...(why !== null && { why }),
  };
}
