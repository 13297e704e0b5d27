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
