import { Life, unharmed } from '../harness/life.ts';
import { inWorld, type Result, type Suite, type World } from '../harness/matrix.ts';
import { live, spawnLife } from '../harness/processes.ts';
import { inspectWorkflow } from './inspect.ts';
import type { WorkflowOrder } from './order.ts';
import type { WorkflowScenario } from './scenarios.ts';
import { workflowOf } from './services.ts';
import { type Site, startSite } from './site.ts';

export interface WorkflowMatrixResult extends Result {
  kills: number;
  /** Runs of workflows and of their services. */
  runs: number;
  /** Of the points, those at which no process died: another one did that work, or a timer was sooner. */
  notReached: number;
  /** Effects that may be repeated and took place again, under the same key. */
  repeats: number;
  /** Unsafe effects that took place twice. */
  unsafeTwice: number;
  /** Effects that never took place, and runs that never ended. */
  lost: number;
  /** Effects that were given up because their processes died. */
  poisoned: number;
  /** Effects, commands, timers and questions that were still open at the end. */
  left: number;
  /** Unknown outcomes that a person was asked about. */
  asked: number;
  /** Timers that fired. */
  timers: number;
}

export interface WorkflowWorld extends World {
  site: Site;
  /** Its processes died while it waited, at no boundary. */
  isAtRest?: true;
}

/** Processes that drive a chart. */
export const workflowSuite: Suite<WorkflowScenario, WorkflowWorld, WorkflowMatrixResult> = {
  name: 'workflows',
  async open(workspace) {
    const site = await startSite();
    return { workspace, site, close: () => site.close() };
  },
  phasesOf: (scenario, world) => [orderFor(scenario, world)],
  emptyResult() {
    const found = { repeats: 0, unsafeTwice: 0, lost: 0, poisoned: 0, left: 0, asked: 0, timers: 0 };
    return { points: 0, notReached: 0, kills: 0, runs: 0, ...found, problems: [] };
  },
  inspect(scenario, world, result, problem) {
    const workflow = workflowOf(new Life(orderFor(scenario, world)), scenario);
    inspectWorkflow(scenario, { ...world, workflow }, result, problem);
  },
};

function orderFor({ name: scenario }: WorkflowScenario, { workspace, site }: WorkflowWorld): WorkflowOrder {
  return { of: 'workflows', ...unharmed, workspace, scenario, site: site.url, diesAtRest: false };
}

/** Kills the process of a workflow each time that it waits for a person, so often, and then has it go on. */
export async function runNights(scenario: WorkflowScenario, nights: number): Promise<WorkflowMatrixResult> {
  const result = workflowSuite.emptyResult();
  const problem = (what: string) => result.problems.push(`${scenario.name}, at rest: ${what}`);
  await inWorld(workflowSuite, scenario, async (world) => {
    const order = orderFor(scenario, world);
    for (let night = 0; night < nights; night++) {
      const { signal, stderr } = await spawnLife({ ...order, diesAtRest: true });
      if (signal !== 'SIGKILL') problem(`process ${night} did not come to rest: ${stderr}`);
    }
    const { code, stderr } = await live(order);
    if (code !== 0) problem(`it could not be carried on: ${stderr}`);
    result.points++;
    await workflowSuite.inspect(scenario, { ...world, isAtRest: true }, result, problem);
    result.kills += nights;
  });
  return result;
}
