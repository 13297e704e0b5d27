import type { Scoped } from '../rows.ts';

/** The sessions of a tenant, and the tenant itself. */
export interface SessionStatements {
  /** Makes the tenant known when it is not yet. */
  ensureTenant: { in: Scoped; out: number };
  findSession: {
    in: Scoped & { key: string };
    out: { pk: number; headRun: number; headSeq: number; prunedRun: number; prunedSeq: number } | undefined;
  };
  insertSession: { in: Scoped & { key: string; at: number }; out: { pk: number } };
  listSessions: {
    in: Scoped & { limit: number };
    out: { pk: number; key: string; createdAt: number; runs: number }[];
  };
  /** What a list shows of a session besides its runs. */
  describeSession: {
    in: { session: number };
    /** `messages` without summaries; `updatedAt`: when a run of it last moved; null without runs. */
    out: { createdAt: number; messages: number; updatedAt: number | null } | undefined;
  };
  /** With everything that belongs to them but their messages. */
  deleteRunsOf: { in: { session: number }; out: number };
  /** With its messages; its runs must be gone. */
  deleteSession: { in: { session: number }; out: number };
  moveSessionHead: { in: { session: number; run: number; seq: number }; out: number };
  /** How far the prompt shows old results of tools in short. */
  moveSessionPruning: { in: { session: number; run: number; seq: number }; out: number };
}
