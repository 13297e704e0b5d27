import type { JsonValue } from './json.ts';
import type { AnyOutcome, RunStatus, RunView } from './run-view.ts';

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
export interface WorkflowView {
  /** Of its chart. */
  id: string;
  version: number;
  /** The state of the chart, as XState has it; `(queued)`, `(cancelled)` or `(failed)` outside of the chart. A run whose chart or action threw keeps the chart's. */
  state: JsonValue;
  /** The chart's own context; null before it has started. */
  context: JsonValue;
  input: JsonValue;
  /** The chart's own; left out until it has ended, and when it has none. */
  output?: JsonValue;
  /** Invocations and named actions that have not ended, in the order in which they began. */
  services: ServiceView[];
  /** What it waits for on the clock, soonest first. */
  timers: FlowTimerView[];
  /** What the runs of its services have spent together. */
  spent: { tokens: number; costUsd: number };
}

/** An invocation or a named action of a chart. */
export interface ServiceView {
  /** The invocation's id; of an action, its name. */
  id: string;
  /** Its name in `setup({ actors })`. */
  src: string;
  kind: 'service' | 'action';
  /** The number of its effect, and as people write it: `c3`. */
  effect: number;
  callId: string;
  /** From 1. */
  attempt: number;
  /** `uncertain`: its process ended, and a person must say whether it ran. `retrying`: it failed, and begins again later. */
  status: 'open' | 'uncertain' | 'retrying';
  /** When it begins again: milliseconds since the epoch. */
  retryAt?: number;
  /** The run that performs it; left out for a step, and for a run that has not begun. */
  run?: { runId: string; status: RunStatus; outcome: AnyOutcome | null; waitsFor?: string };
}

export interface FlowTimerView {
  /** As people read it: `after 7 days`, `after patience`, `retry of assess`. */
  name: string;
  /** The event that it sends. */
  event: string;
  /** Milliseconds since the epoch. */
  dueAt: number;
}
