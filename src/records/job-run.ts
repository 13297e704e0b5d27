import type { RunRow } from '../store/rows.ts';

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
