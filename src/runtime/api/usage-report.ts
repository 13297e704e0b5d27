import { periodOf } from '../../agent/run-host.ts';
import { defaultTenant, type Reach } from '../../protocol/access.ts';
import { usageGroups } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import { type BudgetRow, noCalls, type UsageGroup } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { kindsOf } from '../../store/stored-run.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { findBudget } from '../config/find-budget.ts';

/** Selects and groups rows of the ledger. */
export interface UsageFilter {
  /** Default 1. */
  tenantId?: number;
  sessionId?: string;
  /** Only calls in sessions of this user. Default, and for null: those of the whole tenant. */
  userId?: string | null;
  /** Only calls of runs of these agents and workflows, as long as the runs are kept. Default: of all. */
  reach?: Reach;
  runId?: string;
  /** Calls from this moment on, milliseconds since the epoch. Default: the beginning. */
  from?: number;
  /** Calls before this moment. Default: the end. */
  to?: number;
  /** Default `day`. */
  by?: Exclude<UsageGroup, 'all'>;
  /** Maximum of groups, the most recently used ones. Default 1,000. `total` is always the sum of all. */
  limit?: number;
}

/** Costs of model calls: of each group, most recently used first, and in total. */
export interface UsageReport extends Omit<MethodOutput<'usage.get'>, 'budgets'> {}

/** A budget in its current period. */
export type BudgetView = MethodOutput<'usage.get'>['budgets'][number];

export type BudgetAccount = BudgetView['tokens'];

export interface DetentBudgets {
  /** The budgets that are configured or were used, by name. */
  list(tenantId?: number): Promise<BudgetView[]>;
}

const defaultLimit = 1_000;
const fields: readonly string[] = [
  'tenantId',
  'sessionId',
  'userId',
  'reach',
  'runId',
  'from',
  'to',
  'by',
  'limit',
] satisfies (keyof UsageFilter)[];

/**
 * Adds up the ledger.
 *
 * @throws DetentError `INVALID_ARGUMENTS` for an unknown field, or if `by` is no known group.
 *
 * @internal
 */
export async function usageReport(
  store: Store,
  {
    tenantId = defaultTenant,
    sessionId,
    userId = null,
    reach,
    runId,
    from = 0,
    to,
    by = 'day',
    limit = defaultLimit,
    ...others
  }: UsageFilter,
): Promise<UsageReport> {
  refuseUnknownFields(others, fields, 'a filter of usage', 'INVALID_ARGUMENTS');
  if (!usageGroups.includes(by))
    throw new DetentError(
      'INVALID_ARGUMENTS',
      `by must be one of ${usageGroups.join(', ')}, not "${String(by)}"`,
    );
  const filter = {
    tenant: tenantId,
    from,
    to: to ?? Number.MAX_SAFE_INTEGER,
    sessionKey: sessionId ?? null,
    user: userId,
    runId: runId ?? null,
    reach: kindsOf(reach),
  };
  const [total = noCalls] = await store.query('sumUsage', { ...filter, by: 'all', limit: 1 });
  return { by, groups: await store.query('sumUsage', { ...filter, by, limit }), total };
}

/**
 * Every budget that is configured, or that was used in its current period.
 *
 * @internal
 */
export async function listBudgets(
  store: Store,
  { budgets = {} }: Pick<DetentOptions, 'budgets'>,
  tenant: number,
  now: number,
): Promise<BudgetView[]> {
  const [day, month] = [periodOf('day', now), periodOf('month', now)];
  const rows = await store.query('listBudgets', { tenant, day, month, now });
  const views = await Promise.all(
    rows.map(async (row) => {
      const { id, period } = row;
      const accounts = await store.query('listAccounts', { tenant, id, period, now, limit: maxUsers });
      return budgetView(row, accounts);
    }),
  );
  const unused = Object.keys(budgets)
    .map((name) => findBudget(name, budgets))
    .filter(({ name, per }) => !rows.some((row) => row.id === name && row.period === periodOf(per, now)))
    .map(({ name, per, all, maxTokens, maxCostUsd }) =>
      budgetView({ ...unspent, id: name, period: periodOf(per, now), ...(all ?? { maxTokens, maxCostUsd }) }),
    );
  return [...views, ...unused].sort((a, b) => compare(a.name, b.name));
}

/** Of a budget for each user, so many are listed. */
const maxUsers = 20;

const unspent = {
  spentTokens: 0,
  spentCostUsd: 0,
  heldTokens: 0,
  heldCostUsd: 0,
  holds: 0,
};

function budgetView(row: Omit<BudgetRow, 'updatedAt'>, users: readonly BudgetRow[] = []): BudgetView {
  const { id, period, holds } = row;
  return {
    name: id,
    per: period === '' ? null : period.length === 7 ? 'month' : 'day',
    period: period || null,
    ...accountsOf(row),
    holds,
    ...(users.length > 0 && {
      users: users.map((user) => ({ userId: user.id.slice(id.length + 1) || null, ...accountsOf(user) })),
    }),
  };
}

function accountsOf(row: Omit<BudgetRow, 'updatedAt'>): Pick<BudgetView, 'tokens' | 'costUsd'> {
  return {
    tokens: account(row.maxTokens, row.spentTokens, row.heldTokens),
    costUsd: account(row.maxCostUsd, row.spentCostUsd, row.heldCostUsd),
  };
}

function account(limit: number | null, spent: number, held: number): BudgetAccount {
  return { limit, spent, held, left: limit === null ? null : Math.max(0, limit - spent - held) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
