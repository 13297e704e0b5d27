import type { ClientRun, Output } from '#src/client/index.ts';
import type { WorkflowView } from '#src/protocol/views.ts';
import { may } from './connection.ts';

/** A run in a list. */
export type RunRow = Output<'run.list'>['runs'][number];

/** A run as the gateway shows it, if it is that of a workflow. */
export type FlowRun = ClientRun & { workflow: WorkflowView };

export function isFlow(run: ClientRun): run is FlowRun {
  return 'workflow' in run;
}

/** What the model of a run is called that makes one call, for a workflow or a program; the name of its tool follows. */
export const givenCall = /^(?:workflow|tool)\//;

/** Whether the run makes one call, and takes no messages. */
export function isGivenCall(model: string | null | undefined): boolean {
  return givenCall.test(model ?? '');
}

/** Whether a workflow reads what becomes of the run's calls, and no model: it is one, or makes a call for one. */
export function isForChart(run: ClientRun): boolean {
  return isFlow(run) || (run.call !== undefined && run.parentRunId !== undefined);
}

/** What a run or a session in a list says of the people it waits for. */
interface Waiting {
  status: string | null;
  state?: string | null | undefined;
  workflow?: string | undefined;
  asks?: readonly string[] | undefined;
  asksStaff?: readonly string[] | undefined;
}

/** The states of takeovers: those of a workflow's chart are called as its author likes. */
const takeoverStates: readonly unknown[] = ['waiting', 'taken'];

/** Whether a person must do something. A workflow that asks nothing waits for events, or for the clock. */
export function waitsForPerson({ status, state, workflow, asks, asksStaff = [] }: Waiting): boolean {
  if (status !== 'waiting' || (workflow === undefined && takeoverStates.includes(state))) return false;
  if (asksStaff.length > 0 && asksStaff.length === asks?.length) return false;
  return workflow === undefined || asks !== undefined;
}

/** Whether a person of the staff must do something: come into the conversation, or decide on a call. */
export function waitsForStaff({ status, state, workflow, asksStaff = [] }: Waiting): boolean {
  return status === 'waiting' && ((workflow === undefined && state === 'waiting') || asksStaff.length > 0);
}

/** Whether nothing works on the run until somebody resumes it. */
export function isLeft({ status }: { status: string | null }): boolean {
  return status === 'unstarted' || status === 'decided' || status === 'interrupted';
}

/** The runs that ask the person here themselves: one that waits for another run of them is left out. */
export function asking(runs: readonly RunRow[]): RunRow[] {
  const isStaff = may('approve');
  const waiting = runs.filter((run) => waitsForPerson(run) || (isStaff && waitsForStaff(run)));
  const parents = new Set(waiting.map(({ parentRunId }) => parentRunId));
  return waiting.filter(({ runId }) => !parents.has(runId));
}

/** The runs of an answer. */
export function runsOf(answer: Output<'run.list'> | undefined): RunRow[] | undefined {
  return answer?.runs;
}
