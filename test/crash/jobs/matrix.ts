import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLimiter } from '../../../src/text/limiter.ts';
import { inSizes } from '../../support/size.ts';
import { type Finished, spawnLife } from '../lives.ts';
import { killedFile } from '../shared-life.ts';
import { inspectJobs } from './inspect.ts';
import { obeyJobOrder } from './obey.ts';
import type { JobOrder } from './order.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { JobScenario } from './scenarios.ts';

export interface JobMatrixResult {
  points: number;
  kills: number;
  slots: number;
  runs: number;
  deliveries: number;
  /** Deliveries that a receiver took twice: the first process died before it knew. */
  repeats: number;
  problems: string[];
}

export function emptyJobResult(): JobMatrixResult {
  return { points: 0, kills: 0, slots: 0, runs: 0, deliveries: 0, repeats: 0, problems: [] };
}

/**
 * Kills a scenario of jobs at its boundaries, in turn, starts it again or has the other processes go on, and looks at the rows.
 *
 * @param processes how many processes run the schedule: the first of them at the boundary dies.
 */
export async function runJobMatrix(scenario: JobScenario, processes: number): Promise<JobMatrixResult> {
  const result = emptyJobResult();
  const boundaries = await inJobWorld((world) => {
    const order = orderFor(scenario, world, {});
    return obeyJobOrder(order);
  });
  const points = chosen(boundaries.length, scenario.name.length + processes);
  await Promise.all(
    points.map((point) =>
      inJobWorld(async (world) => {
        const problem = (what: string) =>
          result.problems.push(
            `${scenario.name}, ${processes} processes, point ${point} (${boundaries[point]}): ${what}`,
          );
        await killAt(scenario, world, point, processes, problem);
        result.points++;
        inspectJobs(scenario, world, result, problem);
      }),
    ),
  );
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

export interface JobWorld {
  workspace: string;
  receiver: Receiver;
  begunAt: number;
}

/** Most of the time of a world is spent waiting. */
const worlds = createLimiter({ world: 4 });

export async function inJobWorld<T>(work: (world: JobWorld) => Promise<T>): Promise<T> {
  const leave = await worlds.acquire('world', new AbortController().signal);
  const workspace = mkdtempSync(join(tmpdir(), 'detent-crash-jobs-'));
  const receiver = await startReceiver();
  try {
    return await work({ workspace, receiver, begunAt: Date.now() });
  } finally {
    await receiver.close();
    rmSync(workspace, { recursive: true, force: true });
    leave();
  }
}

async function killAt(
  scenario: JobScenario,
  world: JobWorld,
  haltAt: number,
  processes: number,
  problem: (what: string) => void,
): Promise<void> {
  const isShared = processes > 1;
  const lives = await Promise.all(
    Array.from({ length: processes }, () => live(scenario, world, { haltAt, isShared })),
  );
  for (const { signal, code, stderr } of lives)
    if (signal !== 'SIGKILL') said('a process that was not killed', code, stderr);
  const killed = lives.filter(({ signal }) => signal === 'SIGKILL');
  if (killed.length > 1) problem(`${killed.length} processes were killed`);
  if (isShared && killed.length !== Number(existsSync(join(world.workspace, killedFile))))
    problem('it was not the process at the boundary that was killed');
  if (!isShared && killed.length > 0) {
    const { code, stderr } = await live(scenario, world, {});
    said('the next process', code, stderr);
  }
  function said(who: string, code: number | null, stderr: string) {
    if (code !== 0) problem(`${who} ended with ${code}: ${stderr}`);
    else if (stderr !== '') problem(`${who} wrote ${stderr}`);
  }
}

type Halting = Partial<Pick<JobOrder, 'haltAt' | 'isShared'>>;

function orderFor(
  { job, thinkingMs = 20, asks = false }: JobScenario,
  { workspace, receiver, begunAt }: JobWorld,
  { haltAt = -1, isShared = false }: Halting,
): JobOrder {
  const jobs = [job(receiver.url)];
  return { workspace, begunAt, jobs, haltAt, halt: 'SIGKILL', thinkingMs, asks, isShared };
}

function live(scenario: JobScenario, world: JobWorld, halting: Halting): Promise<Finished> {
  return spawnLife('test/crash/jobs/child', orderFor(scenario, world, halting), {
    afterMs: 30_000,
    signal: 'SIGTERM',
  });
}
