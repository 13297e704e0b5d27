import type { Scoped, UsageGroup, UsageRow, UsageSum } from '../rows.ts';

/** The calls of models, and what they cost. */
export interface UsageStatements {
  /** A call that is known already is left as it is: 0. */
  insertUsage: { in: UsageRow & Scoped; out: number };
  /** The calls of a run, in order. */
  listUsageOf: { in: Scoped & { runId: string }; out: UsageRow[] };
  /** The calls stay; whose they were is not told any more. */
  forgetSessionUsage: { in: Scoped & { sessionKey: string }; out: number };
  /** From `from` on, before `to`; of one session or run, or of all. The group that was used last comes first. */
  sumUsage: {
    in: Scoped & {
      by: UsageGroup;
      from: number;
      to: number;
      sessionKey: string | null;
      runId: string | null;
      limit: number;
    };
    out: UsageSum[];
  };
}
