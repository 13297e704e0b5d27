import { DetentError } from '../protocol/error.ts';
import type { ToolContext } from './tool.ts';

/** Name of the tool that makes scheduled jobs. */
export const scheduleJobName = 'schedule_job';

/** What a model asks of scheduled jobs. */
export type JobRequest =
  | { action: 'list' }
  | { action: 'remove'; jobId: string }
  | {
      action: 'create';
      jobId: string;
      prompt: string;
      cron?: string | undefined;
      every?: string | undefined;
      at?: string | undefined;
      timeZone?: string | undefined;
      /** Where results go: to this conversation, or to the console. */
      deliver: 'session' | 'console';
    };

/** Performs the request for the user of the run, and resolves with what the model reads. Rejects with a code. */
export type PerformJobRequest = (request: JobRequest, ctx: ToolContext) => Promise<object>;

/** The default for a toolbox without a runtime. */
export const noSchedule: PerformJobRequest = () =>
  Promise.reject(new DetentError('NO_SCHEDULER', 'this program runs no schedule'));
