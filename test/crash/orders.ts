import { programFile } from '../support/program.ts';
import { inSizes, testSize } from '../support/size.ts';
import { unharmed } from './harness/life.ts';
import type { Point } from './harness/matrix.ts';
import { spread } from './harness/points.ts';
import type { Command, RunOrder } from './order.ts';
import type { Scenario } from './scenarios.ts';
import type { RunWorld } from './world.ts';

/** Some boundaries from all over the scenario, one of so many, or every one. */
export function chosenOf(
  all: readonly Point[],
  { stride = 4, name, startsProcesses }: Scenario,
): readonly Point[] {
  if (testSize === 'usual') {
    const [at = 0] = spread(all.length, 1, name.length);
    // Where its processes are at work, some of them must outlive theirs for a moment.
    const midst = startsProcesses && all.find((point) => point.name.endsWith('.midst'));
    return [midst || (all[at] as Point)];
  }
  // A short scenario has too few boundaries to leave many out.
  const every = inSizes({
    usual: 1,
    deep: Math.min(7 * stride, Math.max(1, Math.floor(all.length / 2))),
    full: 1,
  });
  return all.filter((_, i) => i % every === 0);
}

export function orderFor(
  scenario: Scenario,
  { workspace, baseUrl }: RunWorld,
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
