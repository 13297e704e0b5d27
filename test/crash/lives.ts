import { type ChildProcess, spawn } from 'node:child_process';
import { compileCache } from '../support/compile-cache.ts';
import { programFile } from '../support/program.ts';
import { inSizes, testSize } from '../support/size.ts';
import { obeyOrder } from './obey.ts';
import type { ChildOrder, Command, LifeOrder } from './order.ts';
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

/** Another one kills at other boundaries: `DETENT_TEST_SEED=7 npm test`. */
const seed = Number(process.env.DETENT_TEST_SEED ?? 1);
const usualPoints = 1;

/** Some boundaries from all over the scenario, one of so many, or every one. */
function chosenOf(all: readonly Point[], { stride = 4, name, startsProcesses }: Scenario): readonly Point[] {
  if (testSize === 'usual') {
    const part = Math.floor(all.length / usualPoints);
    // In each part of the scenario another one, and other ones in other scenarios.
    const at = (i: number) => i * part + (((seed + i) * 7919 + name.length * 31) % part);
    const [first, ...others] = Array.from({ length: usualPoints }, (_, i) => all[at(i)] as Point);
    // Where its processes are at work, some of them must outlive theirs for a moment.
    const midst = startsProcesses && all.find((point) => point.name.endsWith('.midst'));
    return [midst || (first as Point), ...others];
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
    const { code, stdout, stderr } = await live(scenario, world, commands);
    if (code !== 0) throw new Error(`scenario "${scenario.name}" fails without a crash: ${stderr}`);
    phases.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[]);
  }
  return phases;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** At the usual size only those that are killed are processes of their own. */
export function live(
  scenario: Scenario,
  world: World,
  commands: Command[],
  killAt = noBoundary,
): Promise<Finished> {
  const order = orderFor(scenario, world, commands, { haltAt: killAt });
  return killAt === noBoundary && testSize === 'usual' ? liveHere(order) : spawnChild(order);
}

/** Where nothing is killed or stopped. */
const noBoundary = -1;

async function liveHere(order: ChildOrder): Promise<Finished> {
  const ended = { code: 0, signal: null, stdout: '', stderr: '' };
  try {
    return { ...ended, stdout: JSON.stringify(await obeyOrder(order)) };
  } catch (error) {
    return { ...ended, code: 1, stderr: String(error instanceof Error ? error.stack : error) };
  }
}

export function orderFor(
  scenario: Scenario,
  { workspace, baseUrl }: World,
  commands: Command[],
  { haltAt = noBoundary, halt = 'SIGKILL' }: Partial<Pick<ChildOrder, 'haltAt' | 'halt'>> = {},
): ChildOrder {
  return {
    workspace,
    baseUrl,
    commands,
    haltAt,
    halt,
    contextWindow: scenario.contextWindow ?? 100_000,
    isFirstModelDown: scenario.isFirstModelDown ?? false,
    sharesBudget: scenario.sharesBudget ?? false,
    sandbox: scenario.sandbox ?? null,
    serverFile: scenario.hasServers ? programFile('test/crash/mcp-server-main') : null,
    synchronous: 'FULL',
  };
}

export function spawnChild(order: ChildOrder): Promise<Finished> {
  return spawnLife('test/crash/child', order, { afterMs: 60_000, signal: 'SIGKILL' });
}

/** Starts a process of a crash scenario, and ends it if it takes too long. */
export function spawnLife(
  module: string,
  order: LifeOrder,
  tooLong: { afterMs: number; signal: NodeJS.Signals },
): Promise<Finished> {
  const child: ChildProcess = spawn(process.execPath, [programFile(module), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Hundreds of processes start here: what one has compiled, the others need not.
    env: { ...process.env, ...compileCache },
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data: Buffer) => (stdout += data));
  child.stderr?.on('data', (data: Buffer) => (stderr += data));
  const timer = setTimeout(() => child.kill(tooLong.signal), tooLong.afterMs);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
