import { DetentError } from '../protocol/error.ts';
import type { ToolContext } from './tool.ts';

/** Of the tool that starts sub-runs. */
export const taskName = 'task';

/** What a model hands to a run of its own. */
export interface TaskRequest {
  prompt: string;
  /** One of the configured agents; default that of the run that asks. */
  agent?: string | undefined;
  /** The only tools of the sub-run, within those of the run that asks. */
  tools?: string[] | undefined;
  maxSteps?: number | undefined;
}

/** Performs a task in a run of its own; answers its last words. Rejects with how it failed. */
export type PerformTask = (request: TaskRequest, ctx: ToolContext) => Promise<string>;

/** For a toolbox without a runtime. */
export const noTasks: PerformTask = () =>
  Promise.reject(new DetentError('TASK_UNAVAILABLE', 'nothing here can start a run; do the work yourself'));
