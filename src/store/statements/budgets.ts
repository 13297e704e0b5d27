import type { BudgetKey, BudgetRow, HoldRow, Scoped } from '../rows.ts';

/** Budgets that runs share, and the holds of calls in flight. */
export interface BudgetStatements {
  /** Creates a period of a budget, or updates its limits. */
  ensureBudget: {
    in: Scoped & BudgetKey & Pick<BudgetRow, 'maxTokens' | 'maxCostUsd'> & { at: number };
    out: number;
  };
  /** Does not count the hold of effect `n` of `run`. */
  findBudget: {
    in: Scoped & BudgetKey & { now: number; run: number; n: number };
    out: BudgetRow | undefined;
  };
  /** Budgets of three periods: the empty one, a `day` and a `month`. */
  listBudgets: { in: Scoped & { day: string; month: string; now: number }; out: BudgetRow[] };
  spendBudget: {
    in: Scoped & BudgetKey & { tokens: number; costUsd: number; at: number };
    out: number;
  };
  /** Replaces an earlier hold for the same effect. */
  putHold: { in: HoldRow & Scoped; out: number };
  findHold: { in: { run: number; n: number }; out: HoldRow | undefined };
  deleteHold: { in: { run: number; n: number }; out: number };
  deleteHoldsOf: { in: { run: number }; out: number };
  /** Deletes the holds of a driver's runs. */
  deleteHoldsOfDriver: { in: { driver: number }; out: number };
}
