import type { Scoped, UsageGroup, UsageRow, UsageSum } from '../rows.ts';

/** The ledger of model calls and their costs. */
export interface UsageStatements {
  /** Inserts a call, for the user whom its session belongs to. 0, and no change, if it exists. */
  insertUsage: { in: Omit<UsageRow, 'user'> & Scoped; out: number };
  /** The calls of a run, in order. */
  listUsageOf: { in: Scoped & { runId: string }; out: UsageRow[] };
  /** Keeps the calls and their user, but clears their session key. */
  forgetSessionUsage: { in: Scoped & { sessionKey: string }; out: number };
  /** The same, of one run. Its calls were made between `from` and `to`. */
  forgetRunUsage: { in: Scoped & { runId: string; from: number; to: number }; out: number };
  /**
   * Sums calls from `from` on and before `to`, of one session, user or run, or of all. The most recently used group is first.
   */
  sumUsage: {
    in: Scoped & {
      by: UsageGroup;
      from: number;
      to: number;
      sessionKey: string | null;
      user: string | null;
      runId: string | null;
      /** As of `findRunOwner`. */
      reach: string | null;
      limit: number;
    };
    out: UsageSum[];
  };
}
