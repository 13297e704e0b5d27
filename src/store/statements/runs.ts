import type { RunMark, RunRow, Scoped, TakeableRun } from '../rows.ts';

type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & Was;

/** The run's `seq` and driver before the transition. */
interface Was {
  was: number;
  wasDriver: number | null;
}

/** What tells a driver whether it takes a run. */
export type AbandonedRun = Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session' | 'lastDriver' | 'updatedAt'>;

/** Runs in a state. */
export interface StateCount {
  machine: string;
  /** JSON. */
  state: string;
  /** 1 for forks that no driver has had, 0 for all others. */
  unstarted?: 0 | 1;
  runs: number;
}

/** Runs and the lanes that they queue in. */
export interface RunStatements {
  insertRun: {
    in: Omit<RunRow, 'pk' | 'sessionKey' | 'user' | 'faults' | 'updatedAt'>;
    out: { pk: number };
  };
  loadRun: { in: Scoped & { id: string }; out: RunRow | undefined };
  /**
   * Whose run it is, without its long columns. `reach`: only a run of these kinds, as JSON: `["agent:support", "workflow:"]`, where a
   * kind without a name stands for all; null for any.
   */
  findRunOwner: {
    in: Scoped & { id: string; reach: string | null };
    out: Pick<RunRow, 'sessionKey' | 'user'> | undefined;
  };
  /** A run of the session that is not within the reach. */
  findRunBeyond: { in: { session: number; reach: string }; out: { pk: number } | undefined };
  /** Writes a transition that does not end the run; 0 if the run has moved, or belongs to another driver. */
  advanceRun: { in: Advance; out: number };
  /** Writes the run's last transition. A statement of its own, because it changes the index of active runs. */
  endRun: { in: Advance & Pick<RunRow, 'output'>; out: number };
  /** Migrates a run to another version of its machine, which its options may name; 0 if it has moved, has ended, or belongs to another driver. */
  migrateRun: {
    in: Pick<RunRow, 'pk' | 'seq' | 'fence' | 'version' | 'state' | 'context' | 'options'> & Was;
    out: number;
  };
  /**
   * Gives a run that has not ended to the driver `me`, with the fence `seen + 1`. 0 if another driver has it, its fence is
   * not `seen`, or `me` was buried.
   */
  claimRun: { in: { pk: number; seen: number; me: number }; out: number };
  changeRunOptions: { in: Pick<RunRow, 'pk' | 'options'>; out: number };
  /** Says who has a run from now on. A statement of its own, because it changes the index of drivers. */
  passRun: { in: Pick<RunRow, 'pk' | 'driver'>; out: number };
  /** Runs after the run `after` (its `pk`) that want a driver, oldest first: see {@link RunRow.driver}. */
  listAbandonedRuns: { in: { after: number; limit: number }; out: AbandonedRun[] };
  /** Runs of a driver whose turn in their lanes has come. */
  listOwnHeads: { in: { driver: number }; out: Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session'>[] };
  /** Takes all unfinished runs away from a driver: they want another one. */
  abandonRunsOf: { in: { driver: number }; out: number };
  countFault: { in: { pk: number }; out: number };
  lastOrdinal: { in: { session: number }; out: { ordinal: number | null } | undefined };
  /** The first run of the lane that has not ended. */
  laneHead: { in: { session: number }; out: RunRow | undefined };
  /** All runs that have not ended, of every tenant: only drivers call it. */
  listActiveRuns: { in: Record<string, never>; out: RunRow[] };
  /** The next of them behind a run, by session and place in its lane. */
  listActiveRunsAfter: { in: { session: number; ordinal: number; limit: number }; out: TakeableRun[] };
  listActiveRunsOf: { in: { session: number }; out: RunRow[] };
  /** Newest first. */
  listRuns: { in: Scoped & { limit: number }; out: RunRow[] };
  /** Those created before the run `below` (its `pk`), newest first. */
  listRunsBefore: { in: Scoped & { below: number; limit: number }; out: RunRow[] };
  /** The same, of the sessions that belong to a user. */
  listUserRunsBefore: { in: Scoped & { user: string; below: number; limit: number }; out: RunRow[] };
  /** How many unfinished runs are in each state (JSON) of each machine. A null user counts those of the whole tenant. */
  countActiveRuns: { in: Scoped & { user: string | null; reach: string | null }; out: StateCount[] };
  /** How many runs ended at `since` or later in each state. */
  countEndedRuns: {
    in: Scoped & { user: string | null; reach: string | null; since: number };
    out: StateCount[];
  };
  /** Newest run that is not a sub-run. */
  newestRun: { in: Scoped; out: RunRow | undefined };
  /** Ids from `from` up to, but not including, `below`, in their order; without those of sub-runs. */
  listRunIds: { in: Scoped & { from: string; below: string; limit: number }; out: { id: string }[] };
  listRunsOf: { in: { session: number; limit: number }; out: RunRow[] };
  /**
   * Ended runs of jobs that moved last before `before`, of every tenant, and that no job names: the job went on in another
   * one, or was removed.
   */
  listLeftJobRuns: { in: { before: number; limit: number }; out: RunRow[] };
  /** Deletes a run with all its rows except messages. */
  deleteRun: { in: { run: number }; out: number };
  /** Marks of the runs created after the run `after`, oldest first. They show whether a run has moved. */
  listRunMarks: { in: Scoped & { after: number; limit: number }; out: RunMark[] };
}
