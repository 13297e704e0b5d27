import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLimiter } from '../../../src/text/limiter.ts';
import { inSizes } from '../../support/size.ts';
import { killedFile, unharmed } from './life.ts';
import { type Order, obeyOrder } from './obey-order.ts';
import { spread } from './points.ts';
import { type Finished, live, spawnLife } from './processes.ts';

export type Problem = (what: string) => void;

/** Where a scenario takes place: made anew for each kill. */
export interface World {
  workspace: string;
}

export interface Result {
  /** Boundaries at which a process was to die. */
  points: number;
  problems: string[];
}

/** Scenarios of one subject, each of which is one order, and what must hold of them. */
export interface Suite<Scenario extends { name: string }, W extends World, R extends Result> {
  name: string;
  /** What is outside of the processes. */
  open(workspace: string): Promise<W & { close(): Promise<void> }>;
  orderFor(scenario: Scenario, world: W): Order;
  emptyResult(): R;
  inspect(scenario: Scenario, world: W, result: R, problem: Problem): void;
}

/**
 * Kills a scenario at its boundaries, in turn, starts it again or has the other processes go on, and looks at what is left.
 *
 * @param processes how many processes have the order: the first of them at the boundary dies.
 */
export async function runMatrix<Scenario extends { name: string }, W extends World, R extends Result>(
  suite: Suite<Scenario, W, R>,
  scenario: Scenario,
  processes: number,
): Promise<R> {
  const result = suite.emptyResult();
  const boundaries = await inWorld(suite, (world) => obeyOrder(suite.orderFor(scenario, world)));
  const wanted = Math.min(boundaries.length, inSizes({ usual: 1, deep: 3, full: boundaries.length }));
  await Promise.all(
    spread(boundaries.length, wanted, scenario.name.length + processes).map((point) =>
      inWorld(suite, async (world) => {
        const problem = (what: string) =>
          result.problems.push(
            `${scenario.name}, ${processes} processes, point ${point} (${boundaries[point]}): ${what}`,
          );
        await killAt(suite.orderFor(scenario, world), point, processes, problem);
        result.points++;
        suite.inspect(scenario, world, result, problem);
      }),
    ),
  );
  return result;
}

/** Most of the time of a world is spent waiting. */
const worlds = createLimiter({ world: 4 });

export async function inWorld<W extends World, T>(
  { name, open }: Pick<Suite<never, W, never>, 'name' | 'open'>,
  work: (world: W) => Promise<T>,
): Promise<T> {
  const leave = await worlds.acquire('world', new AbortController().signal);
  const workspace = mkdtempSync(join(tmpdir(), `detent-crash-${name}-`));
  const world = await open(workspace);
  try {
    return await work(world);
  } finally {
    await world.close();
    rmSync(workspace, { recursive: true, force: true });
    leave();
  }
}

async function killAt(order: Order, haltAt: number, processes: number, problem: Problem): Promise<void> {
  const isShared = processes > 1;
  const lives = await Promise.all(
    Array.from({ length: processes }, () => spawnLife({ ...order, haltAt, isShared })),
  );
  for (const life of lives) if (life.signal !== 'SIGKILL') ended('a process that was not killed', life);
  const killed = lives.filter(({ signal }) => signal === 'SIGKILL');
  if (killed.length > 1) problem(`${killed.length} processes were killed`);
  if (isShared && killed.length !== Number(existsSync(join(order.workspace, killedFile))))
    problem('it was not the process at the boundary that was killed');
  if (!isShared && killed.length > 0) ended('the next process', await live({ ...order, ...unharmed }));

  function ended(who: string, { code, stderr }: Finished) {
    if (code !== 0) problem(`${who} ended with ${code}: ${stderr}`);
    else if (stderr !== '') problem(`${who} wrote ${stderr}`);
  }
}
