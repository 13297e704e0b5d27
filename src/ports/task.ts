import { DetentError } from '../protocol/error.ts';
import type { ToolContext } from './tool.ts';

/** Name of the tool that starts sub-runs. */
export const taskName = 'task';

/** A task that a model gives to a sub-run. */
export interface TaskRequest {
  prompt: string;
  /** One of the configured agents; default: the parent's. */
  agent?: string | undefined;
  /** The only tools of the sub-run, within the parent's tools. */
  tools?: string[] | undefined;
  maxSteps?: number | undefined;
}

/** Performs a task in a sub-run and resolves with its last answer. Rejects with its failure. */
export type PerformTask = (request: TaskRequest, ctx: ToolContext) => Promise<string>;

/** The default for a toolbox without a runtime. */
export const noTasks: PerformTask = () =>
  Promise.reject(new DetentError('TASK_UNAVAILABLE', 'nothing here can start a run; do the work yourself'));
