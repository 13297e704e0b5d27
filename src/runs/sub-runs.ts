import { workedMs } from '../../machines/calls.rules.ts';
import type { RunLimits } from '../../machines/run.types.ts';
import { followedSkills, inherited } from '../agent/skills.ts';
import { taintAtCall } from '../call/policy.ts';
import type { EventBus, RunSignal } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import { isFenced } from '../engine/commit.ts';
import type { Engine } from '../engine/engine.ts';
import { type TaskRequest, type ToolContext, ToolFailure } from '../protocol/tool.ts';
import type { RunView } from '../protocol/views.ts';
import type { RunRow } from '../store/rows.ts';
import { defaultLimits, type RunOptions } from '../store/run-options.ts';
import { callNumber } from '../store/stored-call.ts';
import { contextOf, readRun, type StoredRun, subRunId, subRunSession } from '../store/stored-run.ts';
import { agentKind } from './kinds/agent-kind.ts';
import { shownCost } from './rows/spent-by.ts';
import type { Store } from './rows/statements.ts';
import { askingSubRun, isOrphan } from './rows/sub-run-rows.ts';
import { uncountAttempt } from './rows/uncount-attempt.ts';
import type { Runs } from './runs.ts';

/** Maximum depth of sub-runs: the user's run has depth 0, its tasks have depth 1. */
const maxDepth = 3;

/**
 * Chooses a sub-run's options and limits; must not give it more than its parent has.
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
 * Runs that calls of other runs start. A sub-run's id is made from its call's id: a driver that performs the call again
 * after a crash finds the existing sub-run instead of creating a second one.
 */
export class SubRuns {
  readonly #options: SubRunsOptions;

  constructor(options: SubRunsOptions) {
    this.#options = options;
  }

  /** Starts or rejoins the sub-run of a call, and waits for its end without a timeout. */
  readonly perform = async (request: TaskRequest, ctx: ToolContext): Promise<string> => {
    const { store, runs } = this.#options;
    const { tenantId: tenant } = ctx.principal;
    const parent = await runs.row(tenant, ctx.runId);
    const call = callNumber(ctx.callId);
    const id = subRunId(parent.id, call);
    const found = await store.query('loadRun', { tenant, id });
    // From here on, every exit must decide whether to cancel the sub-run.
    ctx.signal.addEventListener('abort', () => void this.#leave(tenant, id), { once: true });
    if (found) await this.#rejoin(parent, call, found);
    else await this.#start(parent, ctx, id, request);
    if (ctx.signal.aborted) await this.#leave(tenant, id);
    const ended = await this.#end(ctx, tenant, id);
    const { tokensIn: inputTokens, tokensOut: outputTokens, costUsd } = contextOf(ended);
    const spent = { tokens: inputTokens + outputTokens, costUsd };
    ctx.charge({ inputTokens, outputTokens, costUsd: await shownCost(store, ended, spent) });
    const view = await runs.view(tenant, id);
    // Untrusted text in the sub-run's conversation may have shaped its answer.
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
        `this run is already ${maxDepth} tasks deep, the maximum; do the work here`,
      );
    const { options, limits } = await plan(parent.options, request, leftOf(parent, clock.now()));
    const tainted = await taintAtCall(this.#options.store, row, callNumber(ctx.callId));
    const follows = inherited(await followedSkills(this.#options.store, row, parent.options));
    ctx.signal.throwIfAborted();
    await runs.start({
      runId: id,
      tenant: row.tenant,
      sessionId: subRunSession(id),
      user: row.user,
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

  /** A crash during the wait says nothing against the call, so the attempt does not count towards `POISONED`. */
  async #rejoin(parent: RunRow, call: number, { session }: RunRow): Promise<void> {
    const { store, engine } = this.#options;
    await uncountAttempt(store, { run: parent.pk, n: call });
    await engine.adopt(session);
  }

  /** Resolves with the run's row once it has ended; meanwhile reports which run waits for a person. */
  #end(ctx: ToolContext, tenant: number, id: string): Promise<RunRow> {
    const { bus, runs, store } = this.#options;
    const ended = Promise.withResolvers<RunRow>();
    let waitsFor: string | null = null;
    const look = async () => {
      const row = await runs.row(tenant, id);
      const asking = agentKind.isAsking(row) ? row : await askingSubRun(store, row);
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
    // Looks are serial, so that "parked" always precedes "resumed".
    let looked: Promise<void> = Promise.resolve();
    const lookAgain = () => {
      looked = looked.then(look).catch(ended.reject);
    };
    const listen = (signal: RunSignal) => {
      // Another process has taken it: what it makes of it is told here, too.
      if (signal.type === 'stalled' && !isFenced(signal.error)) ended.reject(signal.error);
      const rests =
        signal.type === 'transition' && (waitsFor !== null || !agentKind.isWorking(String(signal.path)));
      if (rests || signal.type === 'waits') lookAgain();
    };
    const stop = bus.listen(id, listen);
    const attendance = bus.attend(tenant, id);
    const leave = () => ended.reject(ctx.signal.reason);
    ctx.signal.addEventListener('abort', leave, { once: true });
    if (ctx.signal.aborted) leave();
    void attendance.begun.then(lookAgain);
    return ended.promise.finally(() => {
      stop();
      attendance.leave();
      ctx.signal.removeEventListener('abort', leave);
    });
  }

  #tellWaiting(ctx: ToolContext, runId: string): void {
    ctx.progress(`run ${runId} of a task waits for a person; see it with: detent runs show ${runId}`);
    // Wakes those that wait for the parent to park or end.
    this.#options.bus.notify({ runId: ctx.runId, type: 'waits', for: runId });
  }

  /** Stops or restarts the parent's working time. A parent that has ended, or has closed the call, ignores the event. */
  async #tellParent(
    { principal, runId, callId }: ToolContext,
    type: 'subrun.parked' | 'subrun.resumed',
  ): Promise<void> {
    const event = { type, callId: callNumber(callId) };
    await this.#options.engine.send(principal.tenantId, runId, { event });
  }

  /** After an abort: cancels the sub-run if its parent has ended. A driver that stops leaves it as it is. */
  async #leave(tenant: number, id: string): Promise<void> {
    const { store, runs } = this.#options;
    try {
      const row = await store.query('loadRun', { tenant, id });
      if (row && (await isOrphan(store, row))) await runs.cancel(tenant, id, 'the run that started it ended');
    } catch {
      // The driver has stopped, or the database is closed; the next resume cancels orphans.
    }
  }
}

/** The limits that the run has left. @throws ToolFailure when nothing is left. */
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

function resultOf({ runId, status, outcome, text, output, error }: RunView): string {
  if (status === 'done') return output === undefined ? text : JSON.stringify(output);
  const words = text === '' ? '' : `\nIts last words: ${text}`;
  if (status === 'cancelled')
    throw new ToolFailure('TASK_CANCELLED', `the run of this task, ${runId}, was cancelled${words}`);
  // A retryable code would make a retry, and that would find the same ended run.
  const code = error === null || error.code === 'NETWORK_ERROR' ? 'TASK_FAILED' : error.code;
  throw new ToolFailure(
    code,
    `the run of this task, ${runId}, failed (${outcome}): ${error?.message ?? 'no reason is known'}${words}`,
  );
}
