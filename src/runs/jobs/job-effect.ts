import type { JobContext } from '../../../machines/job.types.ts';
import type { EffectJob } from '../../engine/machine-host.ts';
import type { JobRunOptions } from '../../records/job-run.ts';

/** The types of a job's runs, for the engine. */
export interface JobRun {
  context: JobContext;
  options: JobRunOptions;
  cache: null;
}

/** One effect of a job, as the engine asks for it. */
export type JobEffect = EffectJob<JobRun>;
