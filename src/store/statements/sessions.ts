import type { Scoped } from '../rows.ts';

interface ListedSession {
  pk: number;
  key: string;
  createdAt: number;
  runs: number;
}

/** The sessions of a tenant. */
export interface SessionStatements {
  findSession: {
    in: Scoped & { key: string };
    out:
      | {
          pk: number;
          /** Whom it belongs to; null for one of no user in particular. */
          user: string | null;
          headRun: number;
          headSeq: number;
          prunedRun: number;
          prunedSeq: number;
        }
      | undefined;
  };
  insertSession: { in: Scoped & { key: string; user: string | null; at: number }; out: { pk: number } };
  /** Newest first. */
  listSessions: { in: Scoped & { limit: number }; out: ListedSession[] };
  /** The same, of those that belong to a user. */
  listUserSessions: { in: Scoped & { user: string; limit: number }; out: ListedSession[] };
  /** The columns of a session list, apart from its runs. */
  describeSession: {
    in: { session: number };
    /** `messages` does not count summaries. `updatedAt` is when a run of it last moved; null without runs. */
    out: { createdAt: number; messages: number; updatedAt: number | null } | undefined;
  };
  /** Deletes runs with all their rows except messages. */
  deleteRunsOf: { in: { session: number }; out: number };
  /** Deletes a session with its messages. Its runs must be deleted before. */
  deleteSession: { in: { session: number }; out: number };
  moveSessionHead: { in: { session: number; run: number; seq: number }; out: number };
  /** Moves the place up to which tool results are shortened in the prompt. */
  moveSessionPruning: { in: { session: number; run: number; seq: number }; out: number };
}
