import { isDeepStrictEqual } from 'node:util';
import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyTransitionDefinition,
  EventFromLogic,
  InputFrom,
} from 'xstate';
import { refuseFaulty } from '../../workflow/check.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import { failedOn } from '../shortest-paths.ts';
import { type ChartTransition, transitionsIn } from './chart-transitions.ts';
import { DurableRuns } from './durable-runs.ts';
import { chosenPaths, type FoundPath, findPaths, pathStart } from './find-paths.ts';
import { wordsOf } from './happening.ts';
import { PlainChart } from './plain-chart.ts';
import {
  formatReport,
  type MissingTransition,
  type WorkflowDifference,
  type WorkflowPathEnd,
  type WorkflowPathsReport,
} from './report.ts';
import { scriptOf } from './samples.ts';
import { plainStanding, type Standing } from './standing.ts';

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

/** Drives paths of a workflow, durably and under XState alone, side by side. */
class PathDriver {
  readonly #workflow: Workflow;
  readonly #runs: DurableRuns;
  readonly #plain: PlainChart;
  readonly differences: WorkflowDifference[] = [];
  steps = 0;

  private constructor(workflow: Workflow, runs: DurableRuns) {
    this.#workflow = workflow;
    this.#runs = runs;
    this.#plain = PlainChart.ofXState(workflow.chart);
  }

  static async open(workflow: Workflow): Promise<PathDriver> {
    return new PathDriver(workflow, await DurableRuns.open(workflow));
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  /** What the schema of the workflow makes of an input. @throws DetentError `INVALID_INPUT`. */
  async inputOf(input: unknown): Promise<unknown> {
    return (await this.#runs.start(this.#workflow, input, pathStart)).input();
  }

  /** Stops at the first difference of the path. @throws what `check` throws, with the path. */
  async drive(
    input: unknown,
    { happenings }: FoundPath,
    check: (end: WorkflowPathEnd) => unknown,
  ): Promise<void> {
    const run = await this.#runs.start(this.#workflow, input, pathStart);
    let plain = this.#plain.begin(await run.input(), pathStart);
    const path: string[] = [];
    if (this.#differ(path, plainStanding(plain), await run.standing())) return;
    for (const happening of happenings) {
      path.push(wordsOf(happening));
      this.steps++;
      const refused = await run.take(happening);
      const before = plain;
      plain = this.#plain.take(before, happening, this.#runs.now) ?? before;
      // Nothing is stored of an event that a transition without a target and actions keeps from the states around.
      const isEvent = happening.kind === 'event' || happening.kind === 'timer';
      const mayBeIgnored = isEvent && plain.snapshot === before.snapshot;
      if (refused !== null && !mayBeIgnored) {
        this.#add(path, 'refused', 'taken', refused);
        return;
      }
      if (this.#differ(path, plainStanding(plain), await run.standing())) return;
    }
    const divergence = await run.divergence();
    if (divergence !== null) this.#add(path, 'replay', null, divergence);
    const { state, context, end } = await run.standing();
    try {
      await check({ path, input, state, context, end });
    } catch (error) {
      throw failedOn(path.join(' → ') || 'that ends at the start', error);
    }
  }

  #differ(path: readonly string[], plain: Standing, durable: Standing): boolean {
    const fields = Object.keys(plain) as (keyof Standing)[];
    const different = fields.find((field) => !isDeepStrictEqual(plain[field], durable[field]));
    if (different) this.#add(path, different, plain[different], durable[different]);
    return different !== undefined;
  }

  #add(path: readonly string[], what: WorkflowDifference['what'], plain: unknown, durable: unknown): void {
    this.differences.push({ path: [...path], what, plain, durable });
  }
}
