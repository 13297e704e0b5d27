import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { leftOf } from '../support/processes.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import type { Problem, Result, Suite } from './harness/matrix.ts';
import { spawnLife } from './harness/processes.ts';
import { inspect, leftBy } from './inspect.ts';
import { readCompany, readDeaths, readLives, readWrites } from './ledger.ts';
import { type Command, enoughFile } from './order.ts';
import { chosenOf, orderFor } from './orders.ts';
import { inspectOwnership, inspectTurns, noteOwnership } from './ownership-log.ts';
import type { Scenario } from './scenarios.ts';
import { openRunWorld, type RunWorld } from './world.ts';

export interface MatrixResult extends Result {
  runs: number;
  acknowledged: number;
  effectsInLedger: number;
  /** Executions of calls that had been executed before. */
  repeats: number;
  uncertain: number;
  compactions: number;
  /** Processes that a killed one had at work. */
  processes: number;
  /** Changes of a run's driver. */
  claims: number;
  /** How long after the death of a process another one had the first of its runs. */
  takeOverMs: number[];
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
    claims: 0,
    takeOverMs: [],
    problems: [],
  };
}

interface CompanyWorld extends RunWorld {
  /** Whether the killed process has come to make a run at all. */
  hasRuns: boolean;
  /** The unsafe calls that people must be asked about; null if that is not known: others may have taken the runs by now. */
  interrupted: readonly string[] | null;
  /** Ends the processes that are at work beside the one that dies. */
  dismiss(): Promise<void>;
}

/**
 * Processes that drive agents' runs.
 *
 * @param company how many other processes are at work on the same database meanwhile.
 */
export const runSuite = (company = 0): Suite<Scenario, CompanyWorld, MatrixResult> => ({
  name: 'runs',
  open: async (workspace, scenario) => ({
    ...(await openRunWorld(workspace, scenario)),
    hasRuns: false,
    interrupted: null,
    dismiss: async () => {},
  }),
  phasesOf: (scenario, world) => scenario.phases.map((commands) => orderFor(scenario, world, commands)),
  choose: chosenOf,
  async begin(scenario, world, problem) {
    if (company > 0) world.dismiss = await startCompany(scenario, world, company, problem);
  },
  async died(world, problem) {
    if (company > 0) await untilTaken(world.workspace, problem);
    else await inspectProcesses(world.workspace, problem);
    const left = await leftBy(world);
    world.hasRuns = left.hasRuns;
    if (company === 0) world.interrupted = left.interrupted;
  },
  restOf(scenario, world) {
    const settle: Command = { do: 'settle' };
    const commands = world.hasRuns ? [settle] : [...scenario.phases.flat(), settle];
    return orderFor(scenario, world, commands);
  },
  async end(world, problem) {
    await world.dismiss();
    await inspectProcesses(world.workspace, problem);
  },
  emptyResult,
  inspect(scenario, world, result, problem) {
    const { workspace, interrupted } = world;
    if (company === 0) for (const { processes } of readDeaths(workspace)) result.processes += processes;
    inspect(scenario, workspace, interrupted, result, problem);
    if (company > 0) inspectCompany(workspace, result, problem);
    inspectImages(scenario, world, problem);
  },
});

/** Every request shows the same bytes, whichever process makes it. */
function inspectImages({ images = [] }: Scenario, { requests }: RunWorld, problem: Problem): void {
  const urls = images.map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  for (const [i, { body }] of requests.entries()) {
    const expected = body.messages.some(({ role }) => role === 'tool') ? urls : urls.slice(0, 1);
    const shown = [...JSON.stringify(body).matchAll(/data:image\/png;base64,[\w+/]+=*/g)].map(([url]) => url);
    if (shown.join() !== expected.join()) problem(`request ${i} shows ${shown.length} images, or others`);
  }
}

/** Whoever is at work takes what a dead process had, without being asked. */
async function untilTaken(workspace: string, problem: Problem): Promise<void> {
  const dead = readLives(workspace).findLast(({ what }) => what === 'death')?.pid ?? 0;
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  const left = db
    .prepare(
      `SELECT count(*) FROM runs WHERE ended = 0 AND
       (driver IS NULL OR driver IN (SELECT epoch FROM drivers WHERE pid = ?))`,
    )
    .pluck();
  const until = Date.now() + 10_000;
  while (Number(left.get(dead)) > 0 && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 10));
  if (Number(left.get(dead)) > 0) problem('no process has taken the runs of the dead one');
  db.close();
}

/** What must hold of several processes, whatever was killed. */
function inspectCompany(workspace: string, result: MatrixResult, problem: Problem): void {
  const lives = readLives(workspace);
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  // There is none if one of the others could not begin, which is a problem of its own.
  if (!db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'all_claims'").get()) return void db.close();
  const ends = lives.filter(({ what }) => what === 'death' || what === 'close');
  const deaths = lives.filter(({ what }) => what === 'death');
  const writes = readWrites(workspace);
  const { claims, takeOverMs } = inspectOwnership(db, { ends, deaths, writes }, problem);
  db.close();
  inspectTurns(lives, problem);
  result.claims += claims;
  result.takeOverMs.push(...takeOverMs);
}

/** Starts the processes that are at work beside the one that dies. The returned function ends them. */
async function startCompany(
  scenario: Scenario,
  world: RunWorld,
  company: number,
  problem: Problem,
): Promise<() => Promise<void>> {
  const { workspace } = world;
  const lives = Array.from({ length: company }, () =>
    spawnLife(orderFor(scenario, world, [{ do: 'accompany' }])),
  );
  let isOver = false;
  for (const life of lives) void life.then(() => (isOver = true));
  while (!isOver && readCompany(workspace).length < company)
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (company > 0 && !isOver) noteOwnership(workspace);
  if (isOver) problem('one of the others ended before there was work');
  return async () => {
    writeFileSync(join(workspace, enoughFile), '');
    for (const { code, stderr } of await Promise.all(lives))
      if (code !== 0) problem(`another process failed: ${stderr}`);
  };
}

/** Whatever a process had started ends with it; all of it has the workspace in its command line. */
async function inspectProcesses(workspace: string, problem: Problem): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const pid of await leftOf(workspace)) {
    problem(`process ${pid} is left behind`);
    process.kill(Number(pid), 'SIGKILL');
  }
}
