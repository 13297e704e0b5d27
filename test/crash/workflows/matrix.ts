import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLimiter } from '../../../src/text/limiter.ts';
import { inSizes, testSize } from '../../support/size.ts';
import { type Finished, spawnLife } from '../lives.ts';
import { killedFile, SharedLife } from '../shared-life.ts';
import { inspectWorkflow } from './inspect.ts';
import { obeyWorkflowOrder } from './obey.ts';
import type { WorkflowOrder } from './order.ts';
import type { WorkflowScenario } from './scenarios.ts';
import { workflowOf } from './services.ts';
import { type Site, startSite } from './site.ts';

export interface WorkflowMatrixResult {
  points: number;
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
  problems: string[];
}

export function emptyWorkflowResult(): WorkflowMatrixResult {
  const found = { repeats: 0, unsafeTwice: 0, lost: 0, poisoned: 0, left: 0, asked: 0, timers: 0 };
  return { points: 0, notReached: 0, kills: 0, runs: 0, ...found, problems: [] };
}

/** Where a scenario takes place: made anew for each kill. */
export interface WorkflowWorld {
  workspace: string;
  site: Site;
}

/**
 * Kills a scenario of workflows at its boundaries, in turn, starts it again or has the other processes go on, and looks at
 * what is left.
 *
 * @param processes how many processes work on the database: the first of them at the boundary dies.
 */
export async function runWorkflowMatrix(
  scenario: WorkflowScenario,
  processes: number,
): Promise<WorkflowMatrixResult> {
  const result = emptyWorkflowResult();
  const boundaries = await inWorkflowWorld((world) => obeyWorkflowOrder(orderFor(scenario, world)));
  const points = chosen(boundaries.length, scenario.name.length + processes);
  await Promise.all(
    points.map((point) =>
      inWorkflowWorld(async (world) => {
        const problem = (what: string) =>
          result.problems.push(
            `${scenario.name}, ${processes} processes, point ${point} (${boundaries[point]}): ${what}`,
          );
        await killAt(scenario, world, { haltAt: point, processes }, problem);
        result.points++;
        inspectIn(scenario, { ...world, isAtRest: false }, result, problem);
      }),
    ),
  );
  return result;
}

/** Kills the process of a workflow each time that it waits for a person, so often, and then has it go on. */
export async function runNights(scenario: WorkflowScenario, nights: number): Promise<WorkflowMatrixResult> {
  const result = emptyWorkflowResult();
  const problem = (what: string) => result.problems.push(`${scenario.name}, at rest: ${what}`);
  await inWorkflowWorld(async (world) => {
    for (let night = 0; night < nights; night++) {
      const { signal, stderr } = await live(orderFor(scenario, world, { diesAtRest: true }));
      if (signal !== 'SIGKILL') problem(`process ${night} did not come to rest: ${stderr}`);
    }
    const { code, stderr } = await liveOn(orderFor(scenario, world));
    if (code !== 0) problem(`it could not be carried on: ${stderr}`);
    result.points++;
    inspectIn(scenario, { ...world, isAtRest: true }, result, problem);
    result.kills += nights;
  });
  return result;
}

/** Another one kills at other boundaries: `DETENT_TEST_SEED=7 npm test`. */
const seed = Number(process.env.DETENT_TEST_SEED ?? 1);

/** Boundaries from all over the scenario. */
function chosen(count: number, salt: number): number[] {
  const wanted = Math.min(count, inSizes({ usual: 1, deep: 3, full: count }));
  const part = count / wanted;
  return Array.from({ length: wanted }, (_, i) =>
    Math.floor(i * part + (wanted === count ? 0 : ((seed + i) * 7919 + salt * 31) % part)),
  );
}

/** Most of the time of a world is spent waiting. */
const worlds = createLimiter({ world: 4 });

async function inWorkflowWorld<T>(work: (world: WorkflowWorld) => Promise<T>): Promise<T> {
  const leave = await worlds.acquire('world', new AbortController().signal);
  const workspace = mkdtempSync(join(tmpdir(), 'detent-crash-workflows-'));
  const site = await startSite();
  try {
    return await work({ workspace, site });
  } finally {
    await site.close();
    rmSync(workspace, { recursive: true, force: true });
    leave();
  }
}

async function killAt(
  scenario: WorkflowScenario,
  world: WorkflowWorld,
  { haltAt, processes }: { haltAt: number; processes: number },
  problem: (what: string) => void,
): Promise<void> {
  const isShared = processes > 1;
  const order = orderFor(scenario, world, { haltAt, isShared });
  const lives = await Promise.all(Array.from({ length: processes }, () => live(order)));
  for (const { signal, code, stderr } of lives)
    if (signal !== 'SIGKILL') said('a process that was not killed', code, stderr);
  const killed = lives.filter(({ signal }) => signal === 'SIGKILL');
  if (killed.length > 1) problem(`${killed.length} processes were killed`);
  if (isShared && killed.length !== Number(existsSync(join(world.workspace, killedFile))))
    problem('it was not the process at the boundary that was killed');
  if (isShared || killed.length === 0) return;
  const { code, stderr } = await liveOn(orderFor(scenario, world));
  said('the next process', code, stderr);
  function said(who: string, code: number | null, stderr: string) {
    if (code !== 0) problem(`${who} ended with ${code}: ${stderr}`);
    else if (stderr !== '') problem(`${who} wrote ${stderr}`);
  }
}

function inspectIn(
  scenario: WorkflowScenario,
  world: WorkflowWorld & { isAtRest: boolean },
  result: WorkflowMatrixResult,
  problem: (what: string) => void,
): void {
  const workflow = workflowOf(new SharedLife(orderFor(scenario, world)), scenario);
  inspectWorkflow(scenario, { ...world, workflow }, result, problem);
}

function orderFor(
  { name: scenario }: WorkflowScenario,
  { workspace, site }: WorkflowWorld,
  given: Partial<Pick<WorkflowOrder, 'haltAt' | 'isShared' | 'diesAtRest'>> = {},
): WorkflowOrder {
  const order = { workspace, scenario, site: site.url, halt: 'SIGKILL' as const };
  return { ...order, haltAt: -1, isShared: false, diesAtRest: false, ...given };
}

function live(order: WorkflowOrder): Promise<Finished> {
  return spawnLife('test/crash/workflows/child', order, { afterMs: 30_000, signal: 'SIGTERM' });
}

/** At the usual size only processes that are killed are processes of their own. */
async function liveOn(order: WorkflowOrder): Promise<Finished> {
  if (testSize !== 'usual') return live(order);
  const ended = { code: 0, signal: null, stdout: '', stderr: '' };
  try {
    await obeyWorkflowOrder(order);
    return ended;
  } catch (error) {
    return { ...ended, code: 1, stderr: String(error instanceof Error ? error.stack : error) };
  }
}
