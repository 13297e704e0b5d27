import { periodOf } from '../../agent/usage/budgets.ts';
import { DetentError } from '../../protocol/error.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import { type BudgetRow, noCalls, type UsageGroup, type UsageSum } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { findBudget } from '../config/find-budget.ts';
import type { DetentOptions } from '../config/options.ts';

/** What of the ledger is added up. */
export interface UsageFilter {
  /** Default 1. */
  tenantId?: number;
  session?: string;
  runId?: string;
  /** From this moment on, milliseconds since the epoch. Default: the beginning. */
  from?: number;
  /** Before this moment. Default: the end. */
  to?: number;
  /** Default `day`. */
  by?: Exclude<UsageGroup, 'all'>;
  /** Groups at most, those used last. Default 1,000; `total` is always of all. */
  limit?: number;
}

/** What calls of models cost: of each group, the one used last first, and of all. */
export interface UsageReport {
  by: Exclude<UsageGroup, 'all'>;
  /** The `key` of sessions that were deleted is empty. */
  groups: UsageSum[];
  /** Its `key` is empty. */
  total: UsageSum;
}

/** A budget in its current period. */
export interface BudgetView {
  name: string;
  per: 'day' | 'month' | null;
  /** The day or month (UTC) that it is of; null for a budget that never starts anew. */
  period: string | null;
  /** Limits are null where there is none, and `left` then too. */
  tokens: BudgetAccount;
  costUsd: BudgetAccount;
  /** Calls under way that have reserved something. */
  holds: number;
}

export interface BudgetAccount {
  limit: number | null;
  spent: number;
  /** Reserved for calls under way: what they may cost at most. */
  held: number;
  /** Never less than 0. */
  left: number | null;
}

export interface DetentBudgets {
  /** Those that are configured or have been used, by name. */
  list(tenantId?: number): Promise<BudgetView[]>;
}

const groups = ['day', 'model', 'session', 'run', 'purpose'] as const;
const defaultLimit = 1_000;

/**
 * Adds up the ledger.
 *
 * @throws DetentError `INVALID_ARGUMENTS` when `by` is none of its words.
 */
export async function usageReport(
  store: Store,
  { tenantId = defaultTenant, session, runId, from = 0, to, by = 'day', limit = defaultLimit }: UsageFilter,
): Promise<UsageReport> {
  if (!groups.includes(by))
    throw new DetentError('INVALID_ARGUMENTS', `by is ${groups.join(', ')}, not "${String(by)}"`);
  const filter = {
    tenant: tenantId,
    from,
    to: to ?? Number.MAX_SAFE_INTEGER,
    sessionKey: session ?? null,
    runId: runId ?? null,
  };
  const [total = noCalls] = await store.query('sumUsage', { ...filter, by: 'all', limit: 1 });
  return { by, groups: await store.query('sumUsage', { ...filter, by, limit }), total };
}

/** Every budget that is configured, or was used in its current period. */
export async function listBudgets(
  store: Store,
  { budgets = {} }: Pick<DetentOptions, 'budgets'>,
  tenant: number,
  now: number,
): Promise<BudgetView[]> {
  const [day, month] = [periodOf('day', now), periodOf('month', now)];
  const rows = await store.query('listBudgets', { tenant, day, month, now });
  const unused = Object.keys(budgets)
    .map((name) => findBudget(name, budgets))
    .filter(({ name, per }) => !rows.some((row) => row.id === name && row.period === periodOf(per, now)))
    .map(({ name, per, maxTokens, maxCostUsd }) => ({
      ...unspent,
      id: name,
      period: periodOf(per, now),
      maxTokens,
      maxCostUsd,
    }));
  return [...rows, ...unused].map(viewOf).sort((a, b) => compare(a.name, b.name));
}

const unspent = {
  spentTokens: 0,
  spentCostUsd: 0,
  heldTokens: 0,
  heldCostUsd: 0,
  holds: 0,
};

function viewOf(row: Omit<BudgetRow, 'updatedAt'>): BudgetView {
  const { id, period, maxTokens, maxCostUsd, holds } = row;
  return {
    name: id,
    per: period === '' ? null : period.length === 7 ? 'month' : 'day',
    period: period || null,
    tokens: account(maxTokens, row.spentTokens, row.heldTokens),
    costUsd: account(maxCostUsd, row.spentCostUsd, row.heldCostUsd),
    holds,
  };
}

function account(limit: number | null, spent: number, held: number): BudgetAccount {
  return { limit, spent, held, left: limit === null ? null : Math.max(0, limit - spent - held) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
