import type { BudgetKey, BudgetRow, HoldRow, Scoped } from '../rows.ts';

/** Budgets that runs share, and what calls under way hold of them. */
export interface BudgetStatements {
  /** Makes a period of a budget, or gives it other limits. */
  ensureBudget: {
    in: Scoped & BudgetKey & Pick<BudgetRow, 'maxTokens' | 'maxCostUsd'> & { at: number };
    out: number;
  };
  /** Leaves out what is held for effect `n` of `run`. */
  findBudget: {
    in: Scoped & BudgetKey & { now: number; run: number; n: number };
    out: BudgetRow | undefined;
  };
  /** Those of three periods: the empty one, a `day` and a `month`. */
  listBudgets: { in: Scoped & { day: string; month: string; now: number }; out: BudgetRow[] };
  spendBudget: {
    in: Scoped & BudgetKey & { tokens: number; costUsd: number; at: number };
    out: number;
  };
  /** Takes the place of an earlier hold for the same effect. */
  putHold: { in: HoldRow & Scoped; out: number };
  findHold: { in: { run: number; n: number }; out: HoldRow | undefined };
  deleteHold: { in: { run: number; n: number }; out: number };
  deleteHoldsOf: { in: { run: number }; out: number };
  /** Those of runs whose fence is below `fence`. */
  deleteStaleHolds: { in: { fence: number }; out: number };
}
