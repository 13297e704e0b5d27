import type { BudgetRow } from '../rows.ts';
import type { BudgetStatements } from '../statements/budgets.ts';
import {
  type BudgetHold,
  everyRow,
  type Handlers,
  requireRun,
  type StoredBudget,
  type Tables,
} from './schema.ts';

export function budgetStatements(tables: Tables): Handlers<BudgetStatements> {
  const { budgets, holds, budgetHolds } = tables;
  const withHeld = (
    tenant: number,
    row: StoredBudget,
    isCounted: (hold: BudgetHold) => boolean,
  ): BudgetRow => {
    const { id: budget, period } = row;
    const counted = budgetHolds
      .from(everyRow, { tenant, budget, period, run: 0, n: Number.NEGATIVE_INFINITY })
      .filter((hold) => hold.tenant === tenant && hold.budget === budget && hold.period === period)
      .filter(isCounted);
    return {
      ...row,
      heldTokens: counted.reduce((sum, { tokens }) => sum + tokens, 0),
      heldCostUsd: counted.reduce((sum, { costUsd }) => sum + costUsd, 0),
      holds: counted.length,
    };
  };
  const remove = (hold: BudgetHold) => {
    holds.remove(hold.run, hold);
    budgetHolds.remove(everyRow, hold);
  };
  return {
    ensureBudget({ tenant, id, period, maxTokens, maxCostUsd, at }) {
      const limits = { maxTokens, maxCostUsd, updatedAt: at };
      const old = budgets.find(tenant, { id, period });
      if (old) budgets.replace(tenant, { ...old, ...limits });
      else budgets.add(tenant, { id, period, spentTokens: 0, spentCostUsd: 0, ...limits });
      return 1;
    },

    findBudget({ tenant, id, period, now, run, n }) {
      const row = budgets.find(tenant, { id, period });
      const isOwn = (hold: BudgetHold) => hold.run === run && hold.n === n;
      return row && withHeld(tenant, row, (hold) => hold.expiresAt > now && !isOwn(hold));
    },

    listBudgets: ({ tenant, day, month, now }) =>
      budgets
        .of(tenant)
        .filter(({ period }) => ['', day, month].includes(period))
        .map((row) => withHeld(tenant, row, ({ expiresAt }) => expiresAt > now)),

    spendBudget({ tenant, id, period, tokens, costUsd, at }) {
      const row = budgets.find(tenant, { id, period });
      if (!row) return 0;
      budgets.replace(tenant, {
        ...row,
        spentTokens: row.spentTokens + tokens,
        spentCostUsd: row.spentCostUsd + costUsd,
        updatedAt: at,
      });
      return 1;
    },

    putHold({ tenant, run, n, budget, period, tokens, costUsd, expiresAt }) {
      requireRun(tables, run);
      const old = holds.find(run, { n });
      if (old) remove(old);
      const hold = { tenant: old?.tenant ?? tenant, run, n, budget, period, tokens, costUsd, expiresAt };
      holds.add(run, hold);
      budgetHolds.add(everyRow, hold);
      return 1;
    },

    findHold({ run, n }) {
      const found = holds.find(run, { n });
      if (!found) return undefined;
      const { tenant: _, ...hold } = found;
      return hold;
    },

    deleteHold({ run, n }) {
      const hold = holds.find(run, { n });
      if (!hold) return 0;
      remove(hold);
      return 1;
    },

    deleteHoldsOfDriver({ driver }) {
      const stale = budgetHolds.of(everyRow).filter(({ run }) => tables.runs.get(run)?.driver === driver);
      for (const hold of stale) remove(hold);
      return stale.length;
    },

    deleteHoldsOf({ run }) {
      const gone = [...holds.of(run)];
      for (const hold of gone) remove(hold);
      return gone.length;
    },
  };
}
