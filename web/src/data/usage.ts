/** What `usage.get` answers: its interface leaves the shape open. */

/** Model calls of a group, added up. */
export interface UsageSum {
  /** The day (UTC), the model or the session; empty for sessions that were deleted. */
  key: string;
  calls: number;
  failed: number;
  /** Answered from the cache. */
  cached: number;
  /** Without a known price: `costUsd` does not include them. */
  unpriced: number;
  /** With tokens that Detent estimated. */
  estimated: number;
  inputTokens: number;
  outputTokens: number;
  /** Of the input. */
  cachedInputTokens: number;
  reasoningTokens: number;
  costUsd: number;
}

interface BudgetAccount {
  limit: number | null;
  spent: number;
  held: number;
  left: number | null;
}

export interface Budget {
  name: string;
  per: 'day' | 'month' | null;
  tokens: BudgetAccount;
  costUsd: BudgetAccount;
}

export interface Usage {
  groups: UsageSum[];
  total: UsageSum;
  budgets: Budget[];
}
