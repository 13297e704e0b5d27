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
