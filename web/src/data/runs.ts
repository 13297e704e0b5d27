import type { ClientRun, Output } from '#src/client/index.ts';
import type { WorkflowView } from '#src/protocol/views.ts';

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

/** Whether a person must do something. A workflow that asks nothing waits for events, or for the clock. */
export function waitsForPerson({
  status,
  workflow,
  asks,
}: {
  status: string | null;
  workflow?: string | undefined;
  asks?: readonly string[] | undefined;
}): boolean {
  return status === 'waiting' && (workflow === undefined || asks !== undefined);
}

/** Whether nothing works on the run until somebody resumes it. */
export function isLeft({ status }: { status: string | null }): boolean {
  return status === 'unstarted' || status === 'decided' || status === 'interrupted';
}

/** The runs that ask a person themselves: one that waits for another run of them is left out. */
export function asking(runs: readonly RunRow[]): RunRow[] {
  const waiting = runs.filter(waitsForPerson);
  const parents = new Set(waiting.map(({ parentRunId }) => parentRunId));
  return waiting.filter(({ runId }) => !parents.has(runId));
}

/** The runs of an answer. */
export function runsOf(answer: Output<'run.list'> | undefined): RunRow[] | undefined {
  return answer?.runs;
}

/** Things of a list, those whose parent at any height is in the list under it. */
export function foldedBelow<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  parentOf: (one: T) => string | undefined,
): { top: T; below: T[] }[] {
  const listed = new Map(all.map((one) => [idOf(one), one]));
  const topOf = (one: T): T => {
    const parent = listed.get(parentOf(one) ?? '');
    return parent === undefined || parent === one ? one : topOf(parent);
  };
  const groups = Map.groupBy(all, topOf);
  return [...groups].map(([top, group]) => ({ top, below: group.filter((one) => one !== top) }));
}
