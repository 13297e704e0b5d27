import { workedMs } from '../../machines/run.rules.ts';
import type { RunLimits } from '../../machines/run.types.ts';
import { taintAtCall } from '../agent/policy/taint.ts';
import { followedSkills, inherited } from '../agent/skills/followed.ts';
import type { EventBus, RunSignal } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { PerformTask, TaskRequest } from '../ports/task.ts';
import { type ToolContext, ToolFailure } from '../ports/tool.ts';
import type { RunView } from '../protocol/run-view.ts';
import { callNumber } from '../records/call-id.ts';
import { defaultLimits, type RunOptions } from '../records/run-options.ts';
import { contextOf, readRun, type StoredRun } from '../records/stored-run.ts';
import { subRunId, subRunSession } from '../records/sub-run-id.ts';
import type { RunRow } from '../store/rows.ts';
import { isWorking } from './read-run-view.ts';
import type { Runs } from './runs.ts';
import { ask, type Store } from './statements.ts';
import { askingSubRun, isAsking, isOrphan } from './sub-run-rows.ts';

/** Runs within runs: the user's is 0 deep, what it starts 1. */
const maxDepth = 3;

/**
 * What a sub-run is made with; must not give it more than its parent has.
 *
 * @throws DetentError as for any run: `UNKNOWN_AGENT`, `UNKNOWN_TOOLSET`, `PRICE_MISSING`, …
 */
type PlanSubRun = (
  parent: RunOptions,
  request: TaskRequest,
  /** What the parent has left. */
  left: RunLimits,
) => Promise<{ options: RunOptions; limits: RunLimits }>;

interface SubRunsOptions {
  store: Store;
  engine: Engine;
  bus: EventBus;
  clock: Clock;
  runs: Pick<Runs, 'row' | 'view' | 'start' | 'cancel'>;
  plan: PlanSubRun;
}

/**
 * Runs that calls of other runs start. Each is a run like any other, under an id that is made of its call's: whoever
 * performs the call again, after a crash, finds the run that is there instead of making a second one.
 */
export class SubRuns {
  readonly #options: SubRunsOptions;

  constructor(options: SubRunsOptions) {
    this.#options = options;
  }

  /** Starts the sub-run of a call, or goes on with it, and waits for its end however long that takes. */
  readonly perform: PerformTask = async (request, ctx) => {
    const { store, runs } = this.#options;
    const { tenantId: tenant } = ctx.principal;
    const parent = await runs.row(tenant, ctx.runId);
    const call = callNumber(ctx.callId);
    const id = subRunId(parent.id, call);
    const found = await store.query('loadRun', { tenant, id });
    // From now on nothing may end without a look at what becomes of the sub-run.
    ctx.signal.addEventListener('abort', () => void this.#leave(tenant, id), { once: true });
    if (found) await this.#rejoin(parent, call, found);
    else await this.#start(parent, ctx, id, request);
    if (ctx.signal.aborted) await this.#leave(tenant, id);
    const { tokensIn, tokensOut, costUsd } = contextOf(await this.#end(ctx, tenant, id));
    ctx.charge({ inputTokens: tokensIn, outputTokens: tokensOut, costUsd });
    const view = await runs.view(tenant, id);
    // What it says may be what untrusted text had it say.
    if (view.tainted) ctx.untrusted?.();
    return resultOf(view);
  };

  async #start(row: RunRow, ctx: ToolContext, id: string, request: TaskRequest): Promise<void> {
    const { clock, plan, runs } = this.#options;
    const parent = readRun(row);
    const depth = (parent.options.depth ?? 0) + 1;
    if (depth > maxDepth)
      throw new ToolFailure(
        'TASK_TOO_DEEP',
        `this run is ${maxDepth} tasks deep already, and no deeper one is started; do the work here`,
      );
    const { options, limits } = await plan(parent.options, request, leftOf(parent, clock.now()));
    const tainted = await taintAtCall(this.#options.store, row, callNumber(ctx.callId));
    const follows = inherited(await followedSkills(this.#options.store, row, parent.options));
    ctx.signal.throwIfAborted();
    await runs.start({
      runId: id,
      tenant: row.tenant,
      sessionId: subRunSession(id),
      prompt: request.prompt,
      mode: 'queue',
      limits,
      options: {
        ...options,
        parentRunId: row.id,
        parentCall: ctx.callId,
        depth,
        tainted,
        ...(follows.length > 0 && { follows }),
      },
    });
  }

  /** The crash that broke off the wait was no fault of the waiting, so the attempt at it is not counted. */
  async #rejoin(parent: RunRow, call: number, { session }: RunRow): Promise<void> {
    const { store, engine } = this.#options;
    const place = { run: parent.pk, n: call };
    await store.commit(function* () {
      const effect = yield* ask('findEffect', place);
      if (effect && effect.attempt > 1) yield* ask('uncountAttempt', { ...place, fence: effect.fence });
    });
    await engine.adopt(session);
  }

  /** Resolves with the row of the run once it has ended; tells meanwhile for whom it waits. */
  #end(ctx: ToolContext, tenant: number, id: string): Promise<RunRow> {
    const { bus, runs, store } = this.#options;
    const ended = Promise.withResolvers<RunRow>();
    let waitsFor: string | null = null;
    const look = async () => {
      const row = await runs.row(tenant, id);
      const asking = isAsking(row) ? row : await askingSubRun(store, row);
      if (waitsFor && !asking) {
        await this.#tellParent(ctx, 'subrun.resumed');
        waitsFor = null;
      }
      if (asking && asking.id !== waitsFor) {
        if (!waitsFor) await this.#tellParent(ctx, 'subrun.parked');
        waitsFor = asking.id;
        this.#tellWaiting(ctx, asking.id);
      }
      if (row.ended) ended.resolve(row);
    };
    // One look after the other, so that waiting begins before it ends.
    let looked: Promise<void> = Promise.resolve();
    const lookAgain = () => {
      looked = looked.then(look).catch(ended.reject);
    };
    const listen = (signal: RunSignal) => {
      if (signal.type === 'stalled') ended.reject(signal.error);
      const rests = signal.type === 'transition' && (waitsFor !== null || !isWorking(String(signal.path)));
      if (rests || signal.type === 'waits') lookAgain();
    };
    const stop = bus.listen(id, listen);
    const leave = () => ended.reject(ctx.signal.reason);
    ctx.signal.addEventListener('abort', leave, { once: true });
    if (ctx.signal.aborted) leave();
    lookAgain();
    return ended.promise.finally(() => {
      stop();
      ctx.signal.removeEventListener('abort', leave);
    });
  }

  #tellWaiting(ctx: ToolContext, runId: string): void {
    ctx.progress(`run ${runId} of a task waits for a person: detent runs show ${runId}`);
    // Whoever waits for the parent to come to rest looks again.
    this.#options.bus.notify({ runId: ctx.runId, type: 'waits', for: runId });
  }

  /** Waiting for people is no working time. A parent that has ended, or whose call is closed, ignores it. */
  async #tellParent(
    { principal, runId, callId }: ToolContext,
    type: 'subrun.parked' | 'subrun.resumed',
  ): Promise<void> {
    const event = { type, callId: callNumber(callId) };
    await this.#options.engine.send(principal.tenantId, runId, { event });
  }

  /** The call was broken off. Where its run has ended nobody waits for the sub-run; a driver that stops leaves it as it is. */
  async #leave(tenant: number, id: string): Promise<void> {
    const { store, runs } = this.#options;
    try {
      const row = await store.query('loadRun', { tenant, id });
      if (row && (await isOrphan(store, row))) await runs.cancel(tenant, id, 'the run that started it ended');
    } catch {
      // The driver has stopped, or the database is gone: the next one that resumes looks again.
    }
  }
}

/** What the run may still spend, at most. @throws ToolFailure when that is nothing. */
function leftOf({ context }: StoredRun, now: number): RunLimits {
  const { limits, steps, tokensIn, tokensOut, costUsd } = context;
  const left: RunLimits = {
    ...limits,
    queueMs: defaultLimits.queueMs,
    steps: limits.steps - steps,
    tokens: limits.tokens === null ? null : limits.tokens - tokensIn - tokensOut,
    costUsd: limits.costUsd === null ? null : limits.costUsd - costUsd,
    workMs: Math.max(1, limits.workMs - workedMs(context, now)),
  };
  const isSpent = left.steps < 1 || (left.tokens ?? 1) <= 0 || (left.costUsd ?? 1) <= 0;
  if (isSpent)
    throw new ToolFailure('BUDGET_EXHAUSTED', 'this run has nothing left to spend on a task; answer now');
  return left;
}

function resultOf({ runId, status, outcome, text, error }: RunView): string {
  if (status === 'done') return text;
  const words = text === '' ? '' : `\nIts last words: ${text}`;
  if (status === 'cancelled')
    throw new ToolFailure('TASK_CANCELLED', `the run of this task, ${runId}, was cancelled${words}`);
  // What says "try again" would find the same run, at its end.
  const code = error === null || error.code === 'NETWORK_ERROR' ? 'TASK_FAILED' : error.code;
  throw new ToolFailure(
    code,
    `the run of this task, ${runId}, failed (${outcome}): ${error?.message ?? 'no reason is known'}${words}`,
  );
}
