import { isDeepStrictEqual } from 'node:util';
import type { Workflow } from '../../workflow/workflow.ts';
import { failedOn } from '../shortest-paths.ts';
import { DurableRuns } from './durable-runs.ts';
import { type FoundPath, pathStart } from './find-paths.ts';
import { wordsOf } from './happening.ts';
import { PlainChart } from './plain-chart.ts';
import type { WorkflowDifference, WorkflowPathEnd } from './report.ts';
import { plainStanding, type Standing } from './standing.ts';

/** Drives paths of a workflow, durably and under XState alone, side by side. */
export class PathDriver {
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
