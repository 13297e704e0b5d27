import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { endDriver } from '../../src/engine/ownership.ts';
import { type Detent, DetentError } from '../../src/index.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import { Life } from './harness/life.ts';
import { atEach, type Point } from './harness/matrix.ts';
import { type Finished, live, spawnLife } from './harness/processes.ts';
import { inspect } from './inspect.ts';
import { type LifeEntry, readLives, readWrites } from './ledger.ts';
import { emptyResult, type MatrixResult, runSuite } from './matrix.ts';
import { openDetent, settle } from './obey.ts';
import { orderFor } from './orders.ts';
import { inspectOwnership, inspectTurns, noteOwnership } from './ownership-log.ts';
import type { Scenario } from './scenarios.ts';
import type { RunWorld } from './world.ts';

/**
 * What others do while a process is stopped. `try`: they try to take its runs, which it must keep. `bury`: they are made
 * to take it for dead, and go on with its runs, so that everything that it writes when it continues comes too late.
 */
export type Meanwhile = 'try' | 'bury';

interface StopResult extends MatrixResult {
  /** Stops inside of a transaction, where no other process can write. */
  inside: number;
  /** Runs that others went on with while their driver was stopped. */
  taken: number;
  /** Commands to runs of a stopped process. */
  commands: number;
}

/** How long a process is stopped at least. Others look for runs to take every 100 ms. */
const stoppedMs = 250;

/** Stops a scenario's process at the boundaries that it passes, in turn, while another process is at work. */
export async function runStops(scenario: Scenario, meanwhile: Meanwhile): Promise<StopResult> {
  const result: StopResult = { ...emptyResult(), inside: 0, taken: 0, commands: 0 };
  await atEach(runSuite(), scenario, 1, async (world, point) => {
    const problem = (what: string) =>
      result.problems.push(
        `${scenario.name}, ${meanwhile}, phase ${point.phase}, point ${point.index} (${point.name}): ${what}`,
      );
    await stopAt(scenario, world, point, meanwhile, result, problem);
  });
  return result;
}

async function stopAt(
  scenario: Scenario,
  world: RunWorld,
  point: Point,
  meanwhile: Meanwhile,
  result: StopResult,
  problem: (what: string) => void,
): Promise<void> {
  const life = new Life(orderFor(scenario, world, []));
  const other = openDetent(life);
  await other.runs.resume();
  noteOwnership(world.workspace);
  let taken: number | null = null;
  for (const [phase, commands] of scenario.phases.entries()) {
    if (phase < point.phase) await live(orderFor(scenario, world, commands));
    if (phase !== point.phase) continue;
    const stopped = spawnLife(orderFor(scenario, world, commands, { haltAt: point.index, halt: 'SIGSTOP' }));
    const stop = await untilStopped(world, stopped);
    // Parallel work may pass a boundary more or less; then there is nothing to look at.
    if (stop)
      try {
        taken = await whileStopped({ world, other, stop, meanwhile, result, problem });
      } finally {
        goOn(stop.pid);
      }
    const { code, stderr } = await stopped;
    // What was taken from it ends its handles.
    if (code !== 0 && !(taken && stderr.includes('FENCED'))) problem(`it could not go on: ${stderr}`);
  }
  result.points++;
  await settle(life, other);
  await life.end(other);
  // Errors of the other process reached no caller.
  for (const error of life.errors) problem(`the other process reports ${String(error)}`);
  inspect(scenario, world.workspace, null, result, problem);
  inspectStop(world, taken, result, problem);
}

/** The process once it is stopped, and where; null if it ended without that. */
export async function untilStopped(
  { workspace }: RunWorld,
  stopped: Promise<Finished>,
): Promise<LifeEntry | null> {
  let isOver = false;
  void stopped.then(() => (isOver = true));
  for (;;) {
    const stop = readLives(workspace).find(({ what }) => what === 'stop');
    if (stop && isStopped(stop.pid)) return stop;
    if (isOver) return null;
    await pause(5);
  }
}

/** Whether the kernel has stopped it: state T. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function isStopped(pid: number): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
}

export function goOn(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has gone on, and come to its end.
  }
}

interface Stop {
  world: RunWorld;
  other: Detent;
  stop: LifeEntry;
  meanwhile: Meanwhile;
  result: StopResult;
  problem: (what: string) => void;
}

/** @returns how many runs were taken from the stopped process; null if it was not taken for dead. */
async function whileStopped({
  world,
  other,
  stop,
  meanwhile,
  result,
  problem,
}: Stop): Promise<number | null> {
  const { pid } = stop;
  // Parallel work may have another boundary at this place than when they were counted.
  const isInside = stop.name === 'commit.inside';
  if (isInside) result.inside++;
  // Nothing can be written while it is inside of a transaction, its end neither.
  const isBuried = meanwhile === 'bury' && !isInside;
  const db = new Sqlite(databaseOf(world.workspace));
  try {
    const before = runsOf(db, pid);
    const taking = other.runs.resume().catch((error) => problem(`others cannot look: ${error}`));
    const commanding = before.map(({ id }) => commandNothing(other, id, result, problem));
    let isAnswered = false;
    void Promise.race(commanding).then(() => (isAnswered = true));
    await pause(stoppedMs);
    const after = runsOf(db, pid);
    if (JSON.stringify(after) !== JSON.stringify(before))
      problem(`while it was stopped ${JSON.stringify(before)} became ${JSON.stringify(after)}`);
    if (isAnswered) problem('a command was answered while its driver was stopped');
    if (isBuried) {
      await bury(databaseOf(world.workspace), pid);
      for (const { id } of before) await other.runs.attach(id).result;
      if (runsOf(db, pid).length > 0) problem('a run was not taken from a driver that is said to have ended');
    }
    // What waits for the transaction of the stopped process goes on with it.
    goOn(pid);
    await taking;
    await Promise.all(commanding);
    return isBuried ? before.length : null;
  } finally {
    db.close();
  }
}

interface Driven {
  id: string;
  seq: number;
  driver: number;
  fence: number;
}

function runsOf(db: Sqlite.Database, pid: number): Driven[] {
  return db
    .prepare(
      `SELECT r.id, r.seq, r.driver, r.fence FROM runs r JOIN drivers d ON d.epoch = r.driver
       WHERE r.ended = 0 AND d.pid = ? AND d.ended_at IS NULL ORDER BY r.pk`,
    )
    .all(pid) as Driven[];
}

/** Writes that a process ended which did not, as another one does that takes it for dead. */
async function bury(file: string, pid: number): Promise<void> {
  const store = await openSqlite({ file });
  for (const row of await store.query('listDrivers', {}))
    if (row.pid === pid) await endDriver(store, row.epoch, Date.now());
  await store.close();
}

/** A command that changes nothing: only the driver of a run says that it has no such call. */
async function commandNothing(
  other: Detent,
  runId: string,
  result: StopResult,
  problem: (what: string) => void,
): Promise<void> {
  result.commands++;
  try {
    const answer = await other.runs.reconcile(runId, 'c99', { verdict: 'skip' });
    problem(`a call that is not there was reconciled: ${JSON.stringify(answer)}`);
  } catch (error) {
    if (!DetentError.is(error) || !['NOT_FOUND', 'NOT_WAITING', 'RUN_ENDED'].includes(error.code))
      problem(`a command was answered with ${String(error)}`);
  }
}

/** What must hold besides: nothing was written too late, and nothing taken from a process that only stood still. */
function inspectStop(
  { workspace }: RunWorld,
  taken: number | null,
  result: StopResult,
  problem: (what: string) => void,
): void {
  const lives = readLives(workspace);
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  // One that was taken for dead counts as ended from when it stopped.
  const stops = taken !== null ? lives.filter(({ what }) => what === 'stop') : [];
  const ends = [...lives.filter(({ what }) => what === 'close'), ...stops];
  const { claims } = inspectOwnership(db, { ends, deaths: [], writes: readWrites(workspace) }, problem);
  db.close();
  // Calls that may be repeated may be so while the process that is taken for dead performs them still.
  if (taken === null) inspectTurns(lives, problem);
  result.taken += taken ?? 0;
  result.claims += claims;
}
