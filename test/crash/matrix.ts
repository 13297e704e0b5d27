import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCache } from '../support/compile-cache.ts';
import { leftOf } from '../support/processes.ts';
import { programFile } from '../support/program.ts';
import { inSizes, testSize } from '../support/size.ts';
import { inspect, madeRuns, unsafeInFlight } from './inspect.ts';
import { readCompany, readDeaths } from './ledger.ts';
import { obeyOrder } from './obey.ts';
import { type ChildOrder, type Command, enoughFile } from './order.ts';
import type { Scenario } from './scenarios.ts';
import { inWorld, type World } from './world.ts';

export interface MatrixResult {
  points: number;
  runs: number;
  acknowledged: number;
  effectsInLedger: number;
  /** Executions of calls that had been executed before. */
  repeats: number;
  uncertain: number;
  compactions: number;
  /** Processes that a killed one had at work. */
  processes: number;
  problems: string[];
}

export function emptyResult(): MatrixResult {
  return {
    points: 0,
    runs: 0,
    acknowledged: 0,
    effectsInLedger: 0,
    repeats: 0,
    uncertain: 0,
    compactions: 0,
    processes: 0,
    problems: [],
  };
}

/**
 * Kills a scenario at the boundaries that it passes, in turn, and looks at what is left each time.
 *
 * @param company how many other processes are at work on the same database meanwhile.
 */
export async function runMatrix(scenario: Scenario, company = 0): Promise<MatrixResult> {
  const result = emptyResult();
  const whole = await inWorld(scenario, (world) => countBoundaries(scenario, world));
  const all = whole.flatMap((names, phase) => names.map((name, index) => ({ phase, index, name })));
  const points = chosenOf(all, scenario);
  const lanes = [0, 1].map(async (lane) => {
    for (const point of points.filter((_, i) => i % 2 === lane)) {
      await inWorld(scenario, async (world) => {
        await crashAt(scenario, world, point, result, company);
        inspectImages(scenario, world, (what) =>
          result.problems.push(`${scenario.name}, point ${point.index} (${point.name}): ${what}`),
        );
      });
    }
  });
  await Promise.all(lanes);
  return result;
}

/** Another one kills at other boundaries: `DETENT_TEST_SEED=7 npm test`. */
const seed = Number(process.env.DETENT_TEST_SEED ?? 1);
const usualPoints = 2;

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

interface Point {
  phase: number;
  index: number;
  name: string;
}

/** Every request shows the same bytes, whichever process makes it. */
function inspectImages(
  { images = [] }: Scenario,
  { requests }: World,
  problem: (what: string) => void,
): void {
  const urls = images.map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  for (const [i, { body }] of requests.entries()) {
    const expected = body.messages.some(({ role }) => role === 'tool') ? urls : urls.slice(0, 1);
    const shown = [...JSON.stringify(body).matchAll(/data:image\/png;base64,[\w+/]+=*/g)].map(([url]) => url);
    if (shown.join() !== expected.join()) problem(`request ${i} shows ${shown.length} images, or others`);
  }
}

/** The boundaries of each phase when nothing is killed. */
async function countBoundaries(scenario: Scenario, world: World): Promise<string[][]> {
  const phases: string[][] = [];
  for (const commands of scenario.phases) {
    const { code, stdout, stderr } = await live(scenario, world, commands, -1);
    if (code !== 0) throw new Error(`scenario "${scenario.name}" fails without a crash: ${stderr}`);
    phases.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[]);
  }
  return phases;
}

async function crashAt(
  scenario: Scenario,
  world: World,
  point: Point,
  result: MatrixResult,
  company: number,
): Promise<void> {
  const { workspace } = world;
  const problem = (what: string) =>
    result.problems.push(
      `${scenario.name}, phase ${point.phase}, point ${point.index} (${point.name}): ${what}`,
    );
  const dismiss = await startCompany(scenario, world, company, problem);
  for (const [phase, commands] of scenario.phases.entries()) {
    if (phase > point.phase) break;
    const killAt = phase === point.phase ? point.index : -1;
    const { signal, stderr, code } = await live(scenario, world, commands, killAt);
    if (killAt >= 0 && signal !== 'SIGKILL') {
      // Parallel work may pass a boundary more or less; then there is nothing to look at.
      if (code !== 0) problem(`phase failed: ${stderr}`);
    }
    if (company === 0) await inspectProcesses(workspace, problem);
  }
  result.points++;
  // The others may have taken its runs by now, and put what was in flight to a person.
  const interrupted = company === 0 ? unsafeInFlight(workspace) : null;
  const rest: Command[] = madeRuns(workspace)
    ? [{ do: 'settle' }]
    : [...scenario.phases.flat(), { do: 'settle' }];
  const { code, stderr } = await live(scenario, world, rest, -1);
  if (code !== 0) problem(`could not be carried on: ${stderr}`);
  await dismiss();
  await inspectProcesses(workspace, problem);
  if (company === 0) for (const { processes } of readDeaths(workspace)) result.processes += processes;
  inspect(scenario, workspace, interrupted, result, problem);
}

/** Starts the processes that are at work beside the one that dies. The returned function ends them. */
async function startCompany(
  scenario: Scenario,
  world: World,
  company: number,
  problem: (what: string) => void,
): Promise<() => Promise<void>> {
  const { workspace } = world;
  const lives = Array.from({ length: company }, () =>
    spawnChild(orderFor(scenario, world, [{ do: 'accompany' }], -1)),
  );
  let isOver = false;
  for (const life of lives) void life.then(() => (isOver = true));
  while (!isOver && readCompany(workspace).length < company)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return async () => {
    writeFileSync(join(workspace, enoughFile), '');
    for (const { code, stderr } of await Promise.all(lives))
      if (code !== 0) problem(`another process failed: ${stderr}`);
  };
}

/** Whatever a process had started ends with it; all of it has the workspace in its command line. */
async function inspectProcesses(workspace: string, problem: (what: string) => void): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const pid of await leftOf(workspace)) {
    problem(`process ${pid} is left behind`);
    process.kill(Number(pid), 'SIGKILL');
  }
}

interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** At the usual size only those that are killed are processes of their own. */
function live(scenario: Scenario, world: World, commands: Command[], killAt: number): Promise<Finished> {
  const order = orderFor(scenario, world, commands, killAt);
  return killAt < 0 && testSize === 'usual' ? liveHere(order) : spawnChild(order);
}

async function liveHere(order: ChildOrder): Promise<Finished> {
  const ended = { code: 0, signal: null, stdout: '', stderr: '' };
  try {
    return { ...ended, stdout: JSON.stringify(await obeyOrder(order)) };
  } catch (error) {
    return { ...ended, code: 1, stderr: String(error instanceof Error ? error.stack : error) };
  }
}

function orderFor(
  scenario: Scenario,
  { workspace, baseUrl }: World,
  commands: Command[],
  killAt: number,
): ChildOrder {
  return {
    workspace,
    baseUrl,
    commands,
    killAt,
    contextWindow: scenario.contextWindow ?? 100_000,
    isFirstModelDown: scenario.isFirstModelDown ?? false,
    sharesBudget: scenario.sharesBudget ?? false,
    sandbox: scenario.sandbox ?? null,
    serverFile: scenario.hasServers ? programFile('test/crash/mcp-server-main') : null,
    synchronous: 'FULL',
  };
}

function spawnChild(order: ChildOrder): Promise<Finished> {
  const process_: ChildProcess = spawn(
    process.execPath,
    [programFile('test/crash/child'), JSON.stringify(order)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Hundreds of processes start here: what one has compiled, the others need not.
      env: { ...process.env, ...compileCache },
    },
  );
  let stdout = '';
  let stderr = '';
  process_.stdout?.on('data', (data: Buffer) => (stdout += data));
  process_.stderr?.on('data', (data: Buffer) => (stderr += data));
  const tooLong = setTimeout(() => process_.kill('SIGKILL'), 60_000);
  return new Promise((resolve) => {
    process_.on('close', (code, signal) => {
      clearTimeout(tooLong);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
