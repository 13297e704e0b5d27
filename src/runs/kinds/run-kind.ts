import type { AnyOutcome } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';

/** How to read the row of a run: each kind of machine writes rows of its own. All are pure functions of the row. */
export interface RunKind {
  /** Whether the run waits in its session's queue. */
  isQueued(row: Pick<RunRow, 'state'>): boolean;
  /** Whether the run itself waits for a person: not whether a run below it does. */
  isAsking(row: StateOfRun): boolean;
  /** Whether every run with this state path waits for a person. */
  isAskingPath(path: string): boolean;
  /** Whether the run has work that needs a process. A run that has ended, is queued or only waits has none. */
  isAtWork(row: StateOfRun): boolean;
  /** Ids of the runs that it may have begun and waits for. */
  childIds(row: Pick<RunRow, 'id' | 'ended' | 'context'>): string[];
  /**
   * Whether a process waits with the run for its children. If not, the status of the run follows from its children, and
   * the run continues when one of them ends.
   */
  readonly waitsInProcess: boolean;
  /** How a run that has ended did so. */
  endedAs(row: Pick<RunRow, 'state' | 'output'>): 'done' | 'failed' | 'cancelled';
  /** Whether a run with this state path continues without a person, as long as it has a driver. */
  isWorking(path: string): boolean;
  /** The state that people know a path by. */
  stateOf(path: string): string;
  /** The name of the state in counts of runs, which do not have the states of charts: `workflow` for a workflow under way. */
  countedAs(path: string, isEnded: boolean): string;
  /** The state of a run that was created and has not moved yet. */
  readonly firstPath: string;
  /** The agent or workflow, its model, and how the run ended. */
  asked(row: Pick<RunRow, 'machine' | 'options' | 'output'>): Asked;
  /** Why it failed; null when it did not. */
  error(row: Pick<RunRow, 'machine' | 'output'>): { code: string; message: string } | null;
  /** What it was asked; null if its first message says so. */
  prompt(row: Pick<RunRow, 'input' | 'options'>): string | null;
}

/** See `RunSummary`. */
interface Asked {
  outcome: AnyOutcome | null;
  agent: string;
  model: string;
  workflow?: string;
}

export type StateOfRun = Pick<RunRow, 'state' | 'ended' | 'context'>;
