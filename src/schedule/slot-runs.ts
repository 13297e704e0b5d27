import type { JobDefinition } from '../../machines/job.types.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { StoredTaint } from '../records/stored-message.ts';
import type { JobBounds } from './machine/job-run.ts';

/** The run of a slot. */
export interface SlotRun {
  tenant: number;
  user: string | null;
  definition: JobDefinition;
  /** The bounds of the run; null for a job that a person or a program made. */
  bounds: JobBounds | null;
  /** The session of the job's runs. */
  sessionId: string;
  /** With the time of its slot and the last result filled in. */
  prompt: string;
  /** Of a workflow, with the time of its slot filled in. */
  input: JsonValue;
  /** The id that the run gets. */
  runId: string;
  /** The sources of untrusted text in the prompt. */
  tainted: readonly StoredTaint[];
}

/** What a job names. */
type JobNames = Pick<JobDefinition, 'agent' | 'skill' | 'budget' | 'workflow' | 'input'>;

/** The interface of the schedule to the rooms above it, which know agents, workflows, budgets and skills. */
export interface SlotRuns {
  /**
   * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_BUDGET`, `UNKNOWN_SKILL`, `UNKNOWN_WORKFLOW` for what a job names;
   * `INVALID_INPUT` for what its workflow does not take.
   */
  check(tenant: number, names: JobNames): Promise<void>;
  /**
   * Starts the run of a slot. The run's id is its key: two processes that start it make one run.
   *
   * @throws DetentError `UNKNOWN_SKILL`, and as any start.
   */
  start(slot: SlotRun): Promise<void>;
}
