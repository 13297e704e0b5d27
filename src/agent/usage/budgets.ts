import type { RunFailure } from '../../../machines/run.types.ts';
import { type Clock, workedMs } from '../../engine/clock.ts';
import type { CommitScope } from '../../engine/machine.ts';
import type { ResolvedModel } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import type { BudgetRow } from '../../store/rows.ts';
import type { RunBudget } from '../../store/run-options.ts';
import type { RunJob } from '../effect/run-effect.ts';
import { ask, type Store } from '../effect/statements.ts';
import type { AgentServices } from '../services.ts';
import { costOf } from './model-cost.ts';

/**
 * Budgets that runs share. A call reserves its maximum cost before it begins; the commit of its fact replaces the
 * reservation by the actual cost. So concurrent runs cannot each spend the same remainder. A budget is overdrawn by at most
 * one call, as long as no call costs more than it reserved.
 */

/** A reservation expires after this time, since the call's process may be gone. */
const holdMs = 15 * 60_000;
/** Maximum wait for the reservations of other calls: slightly longer than they can last. */
const maxWaitMs = holdMs + 60_000;
const firstDelayMs = 20;
const maxDelayMs = 1_000;

/** The maximum cost of a call. */
interface Estimate {
  model: Pick<ResolvedModel, 'price' | 'maxOutputTokens'>;
  /** Of the prompt. */
  tokens: number;
}

/** The actual cost of a call. */
export interface Spent {
  tokens: number;
  costUsd: number;
}

/**
 * The period of an instant, in UTC: `2026-01-31`, `2026-01`, or empty for a budget without periods.
 *
 * @param at milliseconds since the epoch
 */
export function periodOf(per: RunBudget['per'], at: number): string {
  const day = new Date(at).toISOString().slice(0, 10);
  return per === 'day' ? day : per === 'month' ? day.slice(0, 7) : '';
}

/** Applies the configured limits of a budget now, also to active runs. */
export async function declareBudget(
  store: Store,
  tenant: number,
  { name, maxTokens, maxCostUsd, per }: RunBudget,
  now: number,
): Promise<void> {
  const key = { tenant, id: name, period: periodOf(per, now) };
  const row = await store.query('findBudget', { ...key, now, run: 0, n: 0 });
  if (row?.maxTokens === maxTokens && row.maxCostUsd === maxCostUsd) return;
  await store.commit(function* () {
    yield* ask('ensureBudget', { ...key, maxTokens, maxCostUsd, at: now });
  });
}

/**
 * Reserves a call in the run's shared budget. If only other calls' reservations prevent it, it waits for them, since they
 * may cost less. It rejects when the effect is aborted meanwhile.
 *
 * Replaces the reservation of the same call by a process that died.
 *
 * @returns null when the call may begin, else `BUDGET_EXHAUSTED` that says what to do
 */
export async function reserveCall(
  { store, clock, random }: Pick<AgentServices, 'store' | 'clock' | 'random'>,
  job: Pick<RunJob, 'run' | 'options' | 'effectId' | 'signal'>,
  estimate: Estimate,
): Promise<RunFailure | null> {
  const { budget } = job.options;
  if (!budget) return null;
  const hold = holdOf(estimate);
  const giveUpAt = workedMs(clock) + maxWaitMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
    job.signal.throwIfAborted();
    const now = clock.now();
    const verdict = await store.commit(() => admit(job, budget, hold, now));
    if (verdict.kind === 'admitted') return null;
    if (verdict.kind === 'exhausted') return exhausted(budget, verdict.row);
    if (workedMs(clock) >= giveUpAt) return takenByOthers(budget, verdict.row);
    await pause(clock, delayMs * (0.5 + random()), job.signal);
  }
}

type Verdict = { kind: 'admitted' } | { kind: 'exhausted' | 'taken'; row: BudgetRow };

function* admit(
  { run, effectId: n }: Pick<RunJob, 'run' | 'effectId'>,
  { name, maxTokens, maxCostUsd, per }: RunBudget,
  hold: Spent,
  now: number,
): Program<Verdict> {
  const { tenant } = run;
  const key = { tenant, id: name, period: periodOf(per, now) };
  const effect = yield* ask('findEffect', { run: run.pk, n });
  // The effect was aborted, or another driver has it and would own this reservation.
  if (effect?.status !== 'started' || effect.fence !== run.fence)
    throw new Error('this call is not ours any more');
  const find = () => ask('findBudget', { ...key, now, run: run.pk, n });
  let row = yield* find();
  if (!row) {
    yield* ask('ensureBudget', { ...key, maxTokens, maxCostUsd, at: now });
    row = yield* find();
  }
  if (!row) throw new Error(`budget ${name} was not made`);
  if (isReached(row, row.spentTokens, row.spentCostUsd)) return { kind: 'exhausted', row };
  if (isReached(row, row.spentTokens + row.heldTokens, row.spentCostUsd + row.heldCostUsd))
    return { kind: 'taken', row };
  yield* ask('putHold', {
    tenant,
    run: run.pk,
    n,
    budget: name,
    period: key.period,
    ...hold,
    expiresAt: now + holdMs,
  });
  return { kind: 'admitted' };
}

function isReached({ maxTokens, maxCostUsd }: BudgetRow, tokens: number, costUsd: number): boolean {
  return (maxTokens !== null && tokens >= maxTokens) || (maxCostUsd !== null && costUsd >= maxCostUsd);
}

function holdOf({ model: { price, maxOutputTokens }, tokens }: Estimate): Spent {
  const call = {
    inputTokens: tokens,
    outputTokens: maxOutputTokens,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
  return { tokens: tokens + maxOutputTokens, costUsd: price ? costOf(call, price) : 0 };
}

/** Adds a call's actual cost to its budget, in the commit of its fact. */
export function* settleCall(
  { row, at }: Pick<CommitScope, 'row' | 'at'>,
  effectId: number,
  budget: RunBudget,
  spent: Spent,
): Program<void> {
  const place = { run: row.pk, n: effectId };
  const hold = yield* ask('findHold', place);
  if (hold) yield* ask('deleteHold', place);
  if (spent.tokens === 0 && spent.costUsd === 0) return;
  const id = hold?.budget ?? budget.name;
  const period = hold?.period ?? periodOf(budget.per, at);
  yield* ask('spendBudget', { tenant: row.tenant, id, period, ...spent, at });
}

/** Releases a run's reservations, in the commit that aborts its calls. */
export function* releaseHolds({ row }: Pick<CommitScope, 'row'>): Program<void> {
  yield* ask('deleteHoldsOf', { run: row.pk });
}

/** Resolves after a while; rejects at once when `signal` aborts. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const leave = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.wakeAt(clock.now() + ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}

function exhausted({ name, per }: RunBudget, row: BudgetRow): RunFailure {
  const anew = per === null ? '' : `, or wait: it starts anew with the next ${per} (UTC)`;
  return {
    code: 'BUDGET_EXHAUSTED',
    message: `budget "${name}" is used up: ${used(row)}; raise budgets.${name} in the configuration${anew}`,
    retryable: false,
  };
}

function takenByOthers({ name }: RunBudget, row: BudgetRow): RunFailure {
  const minutes = Math.round(maxWaitMs / 60_000);
  return {
    code: 'BUDGET_EXHAUSTED',
    message: `budget "${name}" was reserved by ${row.holds} other calls for ${minutes} minutes; raise budgets.${name} in the configuration, or let fewer runs share it`,
    retryable: false,
  };
}

function used({ maxTokens, maxCostUsd, spentTokens, spentCostUsd }: BudgetRow): string {
  const tokens = maxTokens === null ? [] : [`${spentTokens} of ${maxTokens} tokens`];
  const money = maxCostUsd === null ? [] : [`$${spentCostUsd.toFixed(4)} of $${maxCostUsd}`];
  return [...tokens, ...money].join(', ');
}
