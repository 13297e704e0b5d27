import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyTransitionDefinition,
  EventFromLogic,
  InputFrom,
} from 'xstate';
import { refuseFaulty } from '../../workflow/check.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import { type ChartTransition, transitionsIn } from './chart-transitions.ts';
import { PathDriver } from './drive-paths.ts';
import { chosenPaths, type FoundPath, findPaths } from './find-paths.ts';
import {
  formatReport,
  type MissingTransition,
  type WorkflowPathEnd,
  type WorkflowPathsReport,
} from './report.ts';
import { scriptOf } from './samples.ts';

export interface WorkflowPathsOptions<Chart extends AnyStateMachine = AnyStateMachine> {
  /** What the runs are started with. */
  input?: InputFrom<Chart>;
  /** Several of them, where the input decides the way. */
  inputs?: readonly InputFrom<Chart>[];
  /**
   * What services answer, by their names in `setup({ actors })`: an answer for each branch of a guard. `{ error: { code, message } }`
   * is a failure. A service fails once even if no answer says so, and a question without a form is approved and rejected.
   */
  samples?: Readonly<Record<string, readonly unknown[]>>;
  /** What may come from outside, with its payload. Default: each event that the chart names, without one. */
  events?: readonly EventFromLogic<Chart>[];
  /**
   * What of a snapshot's context tells two states apart. Default: the whole context. A chart that counts without an end needs
   * one that does not, such as a capped count.
   */
  key?(snapshot: AnyMachineSnapshot): string;
  /** Your expectations at the end of each path: what it throws names the path. May be async. */
  check?(end: WorkflowPathEnd<Chart>): unknown;
  /** Default: 500. With more, those are driven first that take a transition which no other one takes. */
  maxPaths?: number;
  /** Happenings that are tried to find the paths. Default: 20,000. */
  maxMoves?: number;
}

/** See `workflowPaths`. */
export async function pathsOf(
  workflow: Workflow,
  options: WorkflowPathsOptions,
): Promise<WorkflowPathsReport> {
  const { samples = {}, events, check = () => {}, maxPaths = 500, maxMoves = 20_000 } = options;
  const { key = ({ context }) => JSON.stringify(context) } = options;
  refuseFaulty(workflow);
  const script = await scriptOf(workflow, samples, events);
  const inputs = options.inputs ?? [options.input];
  const driver = await PathDriver.open(workflow);
  const driven: FoundPath[] = [];
  let found = 0;
  let isWhole = true;
  try {
    for (const input of inputs) {
      const fit = await driver.inputOf(input);
      const search = findPaths(workflow.chart, { input: fit, script, key, maxMoves });
      const chosen = chosenPaths(search.paths, Math.ceil(maxPaths / inputs.length));
      for (const path of chosen) await driver.drive(input, path, check);
      driven.push(...chosen);
      found += search.paths.length;
      isWhole &&= search.isWhole;
    }
  } finally {
    await driver.close();
  }
  const { differences, steps } = driver;
  const counts = {
    paths: driven.length,
    pathsLeft: found - driven.length,
    steps,
    isWhole,
    transitions: coverageOf(workflow, driven),
    differences,
  };
  const report = Object.create({ toString: () => formatReport(workflow.id, counts) });
  return Object.assign(report, counts);
}

function coverageOf({ chart }: Workflow, driven: readonly FoundPath[]): WorkflowPathsReport['transitions'] {
  const declared = [...transitionsIn(chart)];
  const pathsBy = (transition: AnyTransitionDefinition) =>
    driven.filter(({ took }) => took.has(transition)).length;
  const all = declared.map(([transition, words]) => ({ ...words, paths: pathsBy(transition) }));
  const missing = declared
    .filter((_, i) => all[i]?.paths === 0)
    .map(([transition, words]): MissingTransition => ({ ...words, remedy: remedyOf(transition, words) }));
  return { total: all.length, taken: all.length - missing.length, missing, all };
}

/** What would have it taken, if its state is reached. */
function remedyOf({ source, eventType }: AnyTransitionDefinition, { guard, event }: ChartTransition): string {
  const holds = guard === undefined ? 'for which no guard before it holds' : `for which "${guard}" holds`;
  const [, ended, id] = /^xstate\.(done|error)\.actor\.(.*)$/.exec(eventType) ?? [];
  const service = source.invoke.find((invoke) => invoke.id === id);
  if (service && ended)
    return ended === 'done'
      ? `give samples.${String(service.src)} an answer ${holds}`
      : `give samples.${String(service.src)} an { error: { code, message } } ${holds}`;
  if (eventType === '' || eventType.startsWith('xstate.'))
    return `give samples that lead to its state, and a context ${holds}`;
  return `give events one of type "${event}" ${holds}`;
}
