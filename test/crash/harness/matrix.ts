import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLimiter } from '../../../src/text/limiter.ts';
import { inSizes } from '../../support/size.ts';
import { killedFile, unharmed } from './life.ts';
import type { Order } from './obey-order.ts';
import { spread } from './points.ts';
import { type Finished, live, spawnLife } from './processes.ts';

export type Problem = (what: string) => void;

/** Where a scenario takes place: made anew for each kill. */
export interface World {
  workspace: string;
  /** The database of a server that has the runs; without one, a file of the workspace has them. */
  url?: string;
}

export interface Result {
  /** Boundaries at which a process was to die. */
  points: number;
  problems: string[];
}

/** A boundary that a process passes. */
export interface Point {
  /** Of the processes that a scenario has one after the other. */
  phase: number;
  index: number;
  name: string;
}

/** The processes of scenarios of one subject. */
interface Setting<Scenario extends { name: string }, W extends World> {
  name: Order['of'];
  /** What is outside of the processes. */
  open(workspace: string, scenario: Scenario): Promise<W & { close(): Promise<void> }>;
  /** The work of its processes, one after the other; most have one. */
  phasesOf(scenario: Scenario, world: W): readonly Order[];
  /** The boundaries to die at. Default: some from all over it. */
  choose?(all: readonly Point[], scenario: Scenario): readonly Point[];
  /** Has other processes begin, which are at work meanwhile. */
  begin?(scenario: Scenario, world: W, problem: Problem): Promise<void>;
  /** Looks at what the death has left. */
  died?(world: W, problem: Problem): Promise<void>;
  /** What is to be done after it. Default: the same again. */
  restOf?(scenario: Scenario, world: W): Order;
  /** Ends all that has begun. */
  end?(world: W, problem: Problem): Promise<void>;
}

/** Scenarios, and what must hold of them whatever is killed. */
export interface Suite<Scenario extends { name: string }, W extends World, R extends Result>
  extends Setting<Scenario, W> {
  emptyResult(): R;
  inspect(scenario: Scenario, world: W, result: R, problem: Problem): void | Promise<void>;
}

/**
 * Kills a scenario at its boundaries, in turn, starts it again or has the other processes go on, and looks at what is left.
 *
 * @param processes how many processes have the order: the first of them at the boundary dies.
 */
export async function runMatrix<Scenario extends { name: string }, W extends World, R extends Result>(
  suite: Suite<Scenario, W, R>,
  scenario: Scenario,
  processes = 1,
): Promise<R> {
  const result = suite.emptyResult();
  await atEach(suite, scenario, processes, async (world, point) => {
    const problem = (what: string) =>
      result.problems.push(
        `${scenario.name}, ${processes} processes, phase ${point.phase}, point ${point.index} (${point.name}): ${what}`,
      );
    await killAt(suite, scenario, world, { point, processes, problem });
    result.points++;
    await suite.inspect(scenario, world, result, problem);
  });
  return result;
}

/** Does something at each boundary of a scenario at which this size of the tests halts a process, in a world of its own. */
export async function atEach<Scenario extends { name: string }, W extends World>(
  setting: Setting<Scenario, W>,
  scenario: Scenario,
  processes: number,
  work: (world: W, point: Point) => Promise<void>,
): Promise<void> {
  const all = await inWorld(setting, scenario, (world) => boundariesOf(setting.phasesOf(scenario, world)));
  const wanted = Math.min(all.length, inSizes({ usual: 1, deep: 2, full: all.length }));
  const chosen =
    setting.choose?.(all, scenario) ??
    spread(all.length, wanted, scenario.name.length + processes).flatMap((i) => all[i] ?? []);
  await Promise.all(chosen.map((point) => inWorld(setting, scenario, (world) => work(world, point))));
}

/** What the processes pass when none is killed. */
async function boundariesOf(orders: readonly Order[]): Promise<Point[]> {
  const points: Point[] = [];
  for (const [phase, order] of orders.entries()) {
    const { code, stdout, stderr } = await live(order);
    if (code !== 0) throw new Error(`it fails without a crash: ${stderr}`);
    const names = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[];
    points.push(...names.map((name, index) => ({ phase, index, name })));
  }
  return points;
}

/** Most of the time of a world is spent waiting. */
const worlds = createLimiter({ runs: 2, jobs: 4, workflows: 4 } satisfies Record<Order['of'], number>);

export async function inWorld<Scenario extends { name: string }, W extends World, T>(
  { name, open }: Setting<Scenario, W>,
  scenario: Scenario,
  work: (world: W) => Promise<T>,
): Promise<T> {
  const leave = await worlds.acquire(name, new AbortController().signal);
  const workspace = mkdtempSync(join(tmpdir(), `detent-crash-${name}-`));
  const world = await open(workspace, scenario);
  try {
    return await work(world);
  } finally {
    await world.close();
    rmSync(workspace, { recursive: true, force: true });
    leave();
  }
}

async function killAt<Scenario extends { name: string }, W extends World>(
  setting: Setting<Scenario, W>,
  scenario: Scenario,
  world: W,
  { point, processes, problem }: { point: Point; processes: number; problem: Problem },
): Promise<void> {
  await setting.begin?.(scenario, world, problem);
  const orders = setting.phasesOf(scenario, world);
  for (const order of orders.slice(0, point.phase)) ended('a process before it', await live(order));
  const order = { ...(orders[point.phase] as Order), haltAt: point.index, isShared: processes > 1 };
  const lives = await Promise.all(Array.from({ length: processes }, () => spawnLife(order)));
  // Parallel work may pass a boundary more or less; then nothing dies.
  for (const life of lives) if (life.signal !== 'SIGKILL') ended('a process that was not killed', life);
  const killed = lives.filter(({ signal }) => signal === 'SIGKILL');
  if (killed.length > 1) problem(`${killed.length} processes were killed`);
  if (order.isShared && killed.length !== Number(existsSync(join(world.workspace, killedFile))))
    problem('it was not the process at the boundary that was killed');
  await setting.died?.(world, problem);
  const rest = setting.restOf?.(scenario, world) ?? { ...order, ...unharmed };
  if (!order.isShared) ended('the next process', await live(rest));
  await setting.end?.(world, problem);

  function ended(who: string, { code, stderr }: Finished) {
    if (code !== 0) problem(`${who} ended with ${code}: ${stderr}`);
    else if (stderr !== '') problem(`${who} wrote ${stderr}`);
  }
}
