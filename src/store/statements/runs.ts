import type { RunMark, RunRow, Scoped } from '../rows.ts';

/** `was` is the `seq` before the transition. */
type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & { was: number };

/** Runs and the lanes that they queue in. */
export interface RunStatements {
  insertRun: {
    in: Omit<RunRow, 'pk' | 'sessionKey' | 'faults' | 'updatedAt'>;
    out: { pk: number };
  };
  loadRun: { in: Scoped & { id: string }; out: RunRow | undefined };
  /** Writes a transition that does not end the run; 0 if the run has moved, or belongs to another driver. */
  advanceRun: { in: Advance; out: number };
  /** Writes the run's last transition. A statement of its own, because it changes the index of active runs. */
  endRun: { in: Advance & Pick<RunRow, 'output'>; out: number };
  /** Migrates a run to another version of its machine; 0 if it has moved, has ended, or belongs to another driver. */
  migrateRun: {
    in: Pick<RunRow, 'pk' | 'seq' | 'fence' | 'version' | 'state' | 'context'> & { was: number };
    out: number;
  };
  claimRun: { in: { pk: number; fence: number }; out: number };
  countFault: { in: { pk: number }; out: number };
  lastOrdinal: { in: { session: number }; out: { ordinal: number | null } | undefined };
  /** The first run of the lane that has not ended. */
  laneHead: { in: { session: number }; out: RunRow | undefined };
  /** All runs that have not ended, of every tenant: only drivers call it. */
  listActiveRuns: { in: Record<string, never>; out: RunRow[] };
  listActiveRunsOf: { in: { session: number }; out: RunRow[] };
  /** Newest first. */
  listRuns: { in: Scoped & { limit: number }; out: RunRow[] };
  /** Those created before the run `below` (its `pk`), newest first. */
  listRunsBefore: { in: Scoped & { below: number; limit: number }; out: RunRow[] };
  /** Newest run that is not a sub-run. */
  newestRun: { in: Scoped; out: RunRow | undefined };
  /** Ids from `from` up to, but not including, `below`, in their order; without those of sub-runs. */
  listRunIds: { in: Scoped & { from: string; below: string; limit: number }; out: { id: string }[] };
  listRunsOf: { in: { session: number; limit: number }; out: RunRow[] };
  /** Marks of the runs created after the run `after`, oldest first. They show whether a run has moved. */
  listRunMarks: { in: Scoped & { after: number; limit: number }; out: RunMark[] };
}
