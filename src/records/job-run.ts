import type { JobDefinition } from '../../machines/job.types.ts';
import type { FollowedSkill } from '../ports/skill-source.ts';
import type { LimitsConfig } from '../protocol/config.ts';
import type { RunRow } from '../store/rows.ts';
import type { StoredTaint } from './messages.ts';

/** The id of the job machine. */
export const jobMachineId = 'job';

/** What each run of a job was created with. */
export interface JobRunOptions {
  machine: typeof jobMachineId;
  jobId: string;
  /** See `JobRow.key`. */
  key: string;
  user: string | null;
}

export function isJobRun({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === jobMachineId;
}

export function jobOptionsOf({ options }: Pick<RunRow, 'options'>): JobRunOptions {
  return JSON.parse(options) as JobRunOptions;
}

/** The session of a job's own runs. No caller can name it: keys have no control characters. */
export function jobLane(jobId: string): string {
  return `\u0001job:${jobId}`;
}

/** The session of the agent's runs. */
export function jobSession(jobId: string): string {
  return `cron:${jobId}`;
}

/** The agent's run of a slot: the same for each process that starts it. */
export function fireRunId(key: string, n: number): string {
  return `run_${key.replace(/^job_/, '')}f${n}`;
}

/** A job goes on in run after run, each with a number. */
export function jobRunId(key: string, ordinal: number): string {
  return `${key}-${ordinal}`;
}

/** What the runs of a job may do at most that an agent has made: what the run may do that made it. */
export type JobBounds = {
  /** The idempotency key of the call that made it. */
  call: string;
  /** As of `RunOptions`. */
  tools: string[] | null;
  skills: string[] | null;
  /** Null: as the configuration says. */
  approve: 'ask' | 'none' | null;
  limits: LimitsConfig;
  budget: string | null;
  follows: FollowedSkill[];
  /** The sources of untrusted text in the conversation that it was made in. */
  tainted: StoredTaint[];
};

export function withBounds(definition: JobDefinition, bounds: JobBounds): JobDefinition {
  return { ...definition, bounds: bounds as NonNullable<JobDefinition['bounds']> };
}

export function boundsOf({ bounds }: JobDefinition): JobBounds | null {
  return bounds === undefined ? null : (bounds as JobBounds);
}
