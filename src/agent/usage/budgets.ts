import type { RunFailure } from '../../../machines/run.types.ts';
import type { Clock } from '../../engine/clock.ts';
import type { CommitScope } from '../../engine/machine-host.ts';
import type { ResolvedModel } from '../../ports/chat-model.ts';
import { costOf } from '../../ports/model-cost.ts';
import type { RunBudget } from '../../records/run-options.ts';
import type { Program } from '../../store/program.ts';
import type { BudgetRow } from '../../store/rows.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { ask, type Store } from '../statements.ts';

/**
 * Budgets that runs share. A call reserves what it may cost before it begins, and what it did cost is settled in the
 * commit of its fact, so that runs side by side cannot each spend the same rest. A budget is overdrawn by one call at
 * most, as long as no call costs more than it reserved.
 */

/** A call that takes longer than this is no longer reserved for: its process may be gone. */
const holdMs = 15 * 60_000;
/** Waits for the calls of others end with the last hold that could be in the way. */
const maxWaitMs = holdMs + 60_000;
const firstDelayMs = 20;
const maxDelayMs = 1_000;

/** What a call may cost at most. */
interface Estimate {
  model: Pick<ResolvedModel, 'price' | 'maxOutputTokens'>;
  /** Of the prompt. */
  tokens: number;
}

/** What a call did cost. */
export interface Spent {
  tokens: number;
  costUsd: number;
}

/**
 * The period that an instant lies in, in UTC: `2026-01-31`, `2026-01`, or nothing for a budget that never starts anew.
 *
 * @param at milliseconds since the epoch
 */
export function periodOf(per: RunBudget['per'], at: number): string {
  const day = new Date(at).toISOString().slice(0, 10);
  return per === 'day' ? day : per === 'month' ? day.slice(0, 7) : '';
}

/** Makes the limits of a budget those that are configured now: they hold for runs under way, too. */
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
    yield* ask('ensureTenant', { tenant });
    yield* ask('ensureBudget', { ...key, maxTokens, maxCostUsd, at: now });
  });
}

/**
 * Reserves a call in the run's shared budget. Where only what others have reserved stands in the way it waits, for they
 * may spend less; it rejects when the effect is aborted meanwhile.
 *
 * A call that was reserved by a process that died is reserved anew, once.
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
  const giveUpAt = clock.now() + maxWaitMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
    job.signal.throwIfAborted();
    const now = clock.now();
    const verdict = await store.commit(() => admit(job, budget, hold, now));
    if (verdict.kind === 'admitted') return null;
    if (verdict.kind === 'exhausted') return exhausted(budget, verdict.row);
    if (now >= giveUpAt) return takenByOthers(budget, verdict.row);
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
  // It was aborted, or is another driver's, whose hold this would become.
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

/** Adds what a call did cost to the budget that it was reserved in; to be written in the commit of its fact. */
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

/** Gives back what a run has reserved; to be written in the commit that aborts its calls. */
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
