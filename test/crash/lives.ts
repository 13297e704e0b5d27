import { programFile } from '../support/program.ts';
import { inSizes, testSize } from '../support/size.ts';
import { unharmed } from './harness/life.ts';
import { spread } from './harness/points.ts';
import { live } from './harness/processes.ts';
import type { Command, RunOrder } from './order.ts';
import type { Scenario } from './scenarios.ts';
import { inWorld, type World } from './world.ts';

/** A boundary that a process passes. */
export interface Point {
  phase: number;
  index: number;
  name: string;
}

/** The boundaries of a scenario at which this size of the tests halts a process. */
export async function pointsOf(scenario: Scenario): Promise<readonly Point[]> {
  const whole = await inWorld(scenario, (world) => countBoundaries(scenario, world));
  const all = whole.flatMap((names, phase) => names.map((name, index) => ({ phase, index, name })));
  return chosenOf(all, scenario);
}

/** Two at a time: most of the time is spent waiting. */
export async function atEach(points: readonly Point[], work: (point: Point) => Promise<void>): Promise<void> {
  const lanes = [0, 1].map(async (lane) => {
    for (const point of points.filter((_, i) => i % 2 === lane)) await work(point);
  });
  await Promise.all(lanes);
}

/** Some boundaries from all over the scenario, one of so many, or every one. */
function chosenOf(all: readonly Point[], { stride = 4, name, startsProcesses }: Scenario): readonly Point[] {
  if (testSize === 'usual') {
    const [at = 0] = spread(all.length, 1, name.length);
    // Where its processes are at work, some of them must outlive theirs for a moment.
    const midst = startsProcesses && all.find((point) => point.name.endsWith('.midst'));
    return [midst || (all[at] as Point)];
  }
  // A short scenario has too few boundaries to leave many out.
  const every = inSizes({
    usual: 1,
    deep: Math.min(stride, Math.max(1, Math.floor(all.length / 4))),
    full: 1,
  });
  return all.filter((_, i) => i % every === 0);
}

/** The boundaries of each phase when nothing is killed. */
async function countBoundaries(scenario: Scenario, world: World): Promise<string[][]> {
  const phases: string[][] = [];
  for (const commands of scenario.phases) {
    const { code, stdout, stderr } = await live(orderFor(scenario, world, commands));
    if (code !== 0) throw new Error(`scenario "${scenario.name}" fails without a crash: ${stderr}`);
    phases.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[]);
  }
  return phases;
}

export function orderFor(
  scenario: Scenario,
  { workspace, baseUrl }: World,
  commands: Command[],
  halting: Partial<Pick<RunOrder, 'haltAt' | 'halt'>> = {},
): RunOrder {
  return {
    of: 'runs',
    ...unharmed,
    ...halting,
    workspace,
    baseUrl,
    commands,
    contextWindow: scenario.contextWindow ?? 100_000,
    isFirstModelDown: scenario.isFirstModelDown ?? false,
    sharesBudget: scenario.sharesBudget ?? false,
    sandbox: scenario.sandbox ?? null,
    serverFile: scenario.hasServers ? programFile('test/crash/mcp-server-main') : null,
    synchronous: 'FULL',
  };
}
