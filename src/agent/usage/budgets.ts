import type { RunFailure } from '../../../machines/run.types.ts';
import { type Clock, workedMs } from '../../engine/clock.ts';
import type { CommitScope } from '../../engine/machine.ts';
import type { ResolvedModel } from '../../protocol/ports.ts';
import { budgetErrorText, type Sentence } from '../../protocol/views.ts';
import type { Program } from '../../store/program.ts';
import type { BudgetRow, RunRow } from '../../store/rows.ts';
import { accountOf, type RunBudget } from '../../store/run-options.ts';
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
  budget: RunBudget,
  user: string | null,
  now: number,
): Promise<void> {
  const period = periodOf(budget.per, now);
  for (const { id, maxTokens, maxCostUsd } of accountsFor(budget, user)) {
    const row = await store.query('findBudget', { tenant, id, period, now, run: 0, n: 0 });
    if (row?.maxTokens === maxTokens && row.maxCostUsd === maxCostUsd) continue;
    await store.commit(function* () {
      yield* ask('ensureBudget', { tenant, id, period, maxTokens, maxCostUsd, at: now });
    });
  }
}

/** What a call must find room in: the budget; or the account of its user, and the sum of all users. The first one has its hold. */
function accountsFor(
  { name, each, all, maxTokens, maxCostUsd }: RunBudget,
  user: string | null,
): { id: string; maxTokens: number | null; maxCostUsd: number | null }[] {
  if (each === undefined) return [{ id: name, maxTokens, maxCostUsd }];
  return [
    { id: accountOf(name, user), maxTokens, maxCostUsd },
    { id: name, maxTokens: null, maxCostUsd: null, ...all },
  ];
}

/** The user of a run, now: a session may have gone over to another. */
function* userOf({ tenant, sessionKey: key }: Pick<RunRow, 'tenant' | 'sessionKey'>): Program<string | null> {
  return (yield* ask('findSession', { tenant, key }))?.user ?? null;
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
    if (workedMs(clock) >= giveUpAt) return takenByOthers(verdict.row);
    await pause(clock, delayMs * (0.5 + random()), job.signal);
  }
}

type Verdict = { kind: 'admitted' } | { kind: 'exhausted' | 'taken'; row: BudgetRow };

function* admit(
  { run, effectId: n }: Pick<RunJob, 'run' | 'effectId'>,
  budget: RunBudget,
  hold: Hold,
  now: number,
): Program<Verdict> {
  const { tenant } = run;
  const period = periodOf(budget.per, now);
  const effect = yield* ask('findEffect', { run: run.pk, n });
  // The effect was aborted, or another driver has it and would own this reservation.
  if (effect?.status !== 'started' || effect.fence !== run.fence)
    throw new Error('this call no longer belongs to this process');
  const accounts = accountsFor(budget, budget.each ? yield* userOf(run) : null);
  let taken: BudgetRow | null = null;
  for (const { id, maxTokens, maxCostUsd } of accounts) {
    const find = () => ask('findBudget', { tenant, id, period, now, run: run.pk, n });
    let row = yield* find();
    if (!row) {
      yield* ask('ensureBudget', { tenant, id, period, maxTokens, maxCostUsd, at: now });
      row = yield* find();
    }
    if (!row) throw new Error(`budget ${id} was not made`);
    if (isReached(row, row.spentTokens, row.spentCostUsd)) return { kind: 'exhausted', row };
    if (isReached(row, row.spentTokens + row.heldTokens, row.spentCostUsd + row.heldCostUsd)) taken ??= row;
  }
  if (taken) return { kind: 'taken', row: taken };
  yield* ask('putHold', {
    tenant,
    run: run.pk,
    n,
    budget: accounts[0]?.id ?? budget.name,
    period,
    ...hold,
    expiresAt: now + holdMs,
  });
  return { kind: 'admitted' };
}

function isReached({ maxTokens, maxCostUsd }: BudgetRow, tokens: number, costUsd: number): boolean {
  return (maxTokens !== null && tokens >= maxTokens) || (maxCostUsd !== null && costUsd >= maxCostUsd);
}

type Hold = Spent & { leastTokens: number; leastCostUsd: number };

function holdOf({ model: { price, maxOutputTokens }, tokens }: Estimate): Hold {
  const prompt = { inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const usd = (outputTokens: number) => (price ? costOf({ ...prompt, outputTokens }, price) : 0);
  return {
    tokens: tokens + maxOutputTokens,
    costUsd: usd(maxOutputTokens),
    leastTokens: tokens,
    leastCostUsd: usd(0),
  };
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
  const id = hold?.budget ?? (budget.each ? accountOf(budget.name, yield* userOf(row)) : budget.name);
  yield* spend({ tenant: row.tenant, id, period: hold?.period ?? periodOf(budget.per, at), ...spent, at });
}

/**
 * Releases a run's reservations, in the commit that aborts its calls. On a user's account their prompts stay: whoever cancels each
 * answer just before its end would have it for nothing.
 */
export function* releaseHolds({ row, at }: Pick<CommitScope, 'row' | 'at'>): Program<void> {
  const holds = yield* ask('listHoldsOf', { run: row.pk });
  for (const { budget: id, period, leastTokens: tokens, leastCostUsd: costUsd } of holds)
    if (sumOf(id) !== id) yield* spend({ tenant: row.tenant, id, period, tokens, costUsd, at });
  yield* ask('deleteHoldsOf', { run: row.pk });
}

/** What a user's account spends, the sum of all users spends, too. */
function* spend(spent: Spent & { tenant: number; id: string; period: string; at: number }): Program<void> {
  yield* ask('spendBudget', spent);
  const id = sumOf(spent.id);
  if (id !== spent.id) yield* ask('spendBudget', { ...spent, id });
}

/** The budget that an account is of. */
function sumOf(id: string): string {
  return id.split(':', 1)[0] ?? id;
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
  return {
    code: 'BUDGET_EXHAUSTED',
    message: budgetErrorText('budget_used_up', {
      name,
      ...used(row),
      ...(row.id !== name && { user: row.id.slice(name.length + 1) }),
      ...(per !== null && { per }),
    }),
    retryable: false,
  };
}

function takenByOthers(row: BudgetRow): RunFailure {
  const name = sumOf(row.id);
  const minutes = Math.round(maxWaitMs / 60_000);
  return {
    code: 'BUDGET_EXHAUSTED',
    message: budgetErrorText('budget_held', { name, count: row.holds, minutes }),
    retryable: false,
  };
}

function used({ maxTokens, maxCostUsd, spentTokens, spentCostUsd }: BudgetRow): Sentence['params'] {
  return {
    ...(maxTokens !== null && { spent: spentTokens, max: maxTokens }),
    ...(maxCostUsd !== null && { spentUsd: `$${spentCostUsd.toFixed(4)}`, maxUsd: `$${maxCostUsd}` }),
  };
}
