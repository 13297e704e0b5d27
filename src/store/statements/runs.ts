import type { RunMark, RunRow, Scoped } from '../rows.ts';

/** `was` is the `seq` before. */
type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & { was: number };

/** Runs and the lanes that they queue in. */
export interface RunStatements {
  insertRun: {
    in: Omit<RunRow, 'pk' | 'sessionKey' | 'faults' | 'updatedAt'>;
    out: { pk: number };
  };
  loadRun: { in: Scoped & { id: string }; out: RunRow | undefined };
  /** Moves a run that goes on; 0 when it has moved, or is another driver's. */
  advanceRun: { in: Advance; out: number };
  /** The same for its last transition: apart, because what says which runs are active is indexed. */
  endRun: { in: Advance & Pick<RunRow, 'output'>; out: number };
  /** A run becomes one of another version of its machine; 0 when it has moved, has ended, or is another driver's. */
  migrateRun: {
    in: Pick<RunRow, 'pk' | 'seq' | 'fence' | 'version' | 'state' | 'context'> & { was: number };
    out: number;
  };
  claimRun: { in: { pk: number; fence: number }; out: number };
  countFault: { in: { pk: number }; out: number };
  lastOrdinal: { in: { session: number }; out: { ordinal: number | null } | undefined };
  /** The first run of the lane that has not ended. */
  laneHead: { in: { session: number }; out: RunRow | undefined };
  /** All runs that have not ended, of every tenant: for drivers alone. */
  listActiveRuns: { in: Record<string, never>; out: RunRow[] };
  listActiveRunsOf: { in: { session: number }; out: RunRow[] };
  /** Newest first. */
  listRuns: { in: Scoped & { limit: number }; out: RunRow[] };
  listRunsOf: { in: { session: number; limit: number }; out: RunRow[] };
  /** Oldest first, those that were made after the run `after`; what tells whether one has moved. */
  listRunMarks: { in: Scoped & { after: number; limit: number }; out: RunMark[] };
}
