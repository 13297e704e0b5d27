import type * as z from 'zod/mini';
import type * as answers from './methods/answers/run.ts';
import type { RunView } from './run-view.ts';

/**
 * The run of a workflow. It has no messages and no steps; what it asks a person, and what the runs ask that it waits for, is in
 * `pending`.
 */
export interface WorkflowRunView<Output = unknown> extends RunView<Output> {
  workflow: WorkflowView;
}

/** Whether a run is that of a workflow. */
export function isWorkflowView(view: RunView): view is WorkflowRunView {
  return 'workflow' in view;
}

/** What the run of a workflow has that no run of an agent has. */
export interface WorkflowView extends z.output<typeof answers.flow> {}

/** An invocation or a named action of a chart. */
export interface ServiceView extends z.output<typeof answers.service> {}

export interface FlowTimerView extends z.output<typeof answers.flowTimer> {}
