import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { leftOf } from '../support/processes.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import { live, spawnLife } from './harness/processes.ts';
import { inspect, madeRuns, unsafeInFlight } from './inspect.ts';
import { readCompany, readDeaths, readLives, readWrites } from './ledger.ts';
import { atEach, orderFor, type Point, pointsOf } from './lives.ts';
import { type Command, enoughFile } from './order.ts';
import { inspectOwnership, inspectTurns, noteOwnership } from './ownership-log.ts';
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
  /** Changes of a run's driver. */
  claims: number;
  /** How long after the death of a process another one had the first of its runs. */
  takeOverMs: number[];
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
    claims: 0,
    takeOverMs: [],
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
  await atEach(await pointsOf(scenario), (point) =>
    inWorld(scenario, async (world) => {
      await crashAt(scenario, world, point, result, company);
      inspectImages(scenario, world, (what) =>
        result.problems.push(`${scenario.name}, point ${point.index} (${point.name}): ${what}`),
      );
    }),
  );
  return result;
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
    const isLast = phase === point.phase;
    const order = orderFor(scenario, world, commands, isLast ? { haltAt: point.index } : {});
    const { signal, stderr, code } = await live(order);
    if (isLast && signal !== 'SIGKILL') {
      // Parallel work may pass a boundary more or less; then there is nothing to look at.
      if (code !== 0) problem(`phase failed: ${stderr}`);
    }
    if (company === 0) await inspectProcesses(workspace, problem);
  }
  result.points++;
  if (company > 0) await untilTaken(workspace, problem);
  // The others may have taken its runs by now, and put what was in flight to a person.
  const interrupted = company === 0 ? unsafeInFlight(workspace) : null;
  const rest: Command[] = madeRuns(workspace)
    ? [{ do: 'settle' }]
    : [...scenario.phases.flat(), { do: 'settle' }];
  const { code, stderr } = await live(orderFor(scenario, world, rest));
  if (code !== 0) problem(`could not be carried on: ${stderr}`);
  await dismiss();
  await inspectProcesses(workspace, problem);
  if (company === 0) for (const { processes } of readDeaths(workspace)) result.processes += processes;
  inspect(scenario, workspace, interrupted, result, problem);
  if (company > 0) inspectCompany(workspace, result, problem);
}

export function noteOwnershipIn(workspace: string): void {
  const db = new Sqlite(databaseOf(workspace));
  noteOwnership(db);
  db.close();
}

/** Whoever is at work takes what a dead process had, without being asked. */
async function untilTaken(workspace: string, problem: (what: string) => void): Promise<void> {
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
function inspectCompany(workspace: string, result: MatrixResult, problem: (what: string) => void): void {
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
  world: World,
  company: number,
  problem: (what: string) => void,
): Promise<() => Promise<void>> {
  const { workspace } = world;
  const lives = Array.from({ length: company }, () =>
    spawnLife(orderFor(scenario, world, [{ do: 'accompany' }])),
  );
  let isOver = false;
  for (const life of lives) void life.then(() => (isOver = true));
  while (!isOver && readCompany(workspace).length < company)
    await new Promise((resolve) => setTimeout(resolve, 20));
  if (company > 0 && !isOver) noteOwnershipIn(workspace);
  if (isOver) problem('one of the others ended before there was work');
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
