import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { openPostgres } from '../../src/store/postgres.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import { Life, type LifeOrder } from './harness/life.ts';
import { atEach, type Point, type Problem } from './harness/matrix.ts';
import { type Finished, spawnLife } from './harness/processes.ts';
import { copyToFile, openRows, type Rows } from './harness/rows.ts';
import { inspect } from './inspect.ts';
import { type LifeEntry, readLives, readWrites } from './ledger.ts';
import { emptyResult, type MatrixResult, runSuite } from './matrix.ts';
import { openDetent, settle } from './obey.ts';
import { orderFor } from './orders.ts';
import { copyOwnership, inspectOwnership, noteOwnershipThere } from './ownership-log.ts';
import { onServer } from './postgres.ts';
import type { Scenario } from './scenarios.ts';
import { goOn, untilStopped } from './stop-matrix.ts';
import type { RunWorld } from './world.ts';

export interface ServerStops extends MatrixResult {
  /** Runs of a stopped process that another one brought to their ends. */
  taken: number;
  /** For how long each stopped process kept a transaction open, in milliseconds. */
  openMs: number[];
  /** How long after a stop another process had the first run of the stopped one. */
  stoppedMs: number[];
}

/** Silence is found out sooner than in a cluster, so that a stop takes seconds. */
const silentMs = 3_000;

/** A busy machine knows the clock of the server only so well, by which the end of a driver is written. */
const clocksDifferMs = 1_000;

/** By which the connections of the process that is stopped are known. */
const stoppedName = 'stopped';

/**
 * Stops a process at boundaries that it passes, until others have taken it for dead and brought its runs to their ends; then it goes
 * on, and must change none of them.
 */
export async function runServerStops(
  scenario: Scenario,
  choose: (all: readonly Point[]) => readonly Point[],
): Promise<ServerStops> {
  const result: ServerStops = { ...emptyResult(), taken: 0, openMs: [], stoppedMs: [] };
  const suite = onServer(runSuite());
  const phasesOf: typeof suite.phasesOf = (...of) => suite.phasesOf(...of).map(finely);
  await atEach({ ...suite, phasesOf, choose }, scenario, 1, async (world, point) => {
    const problem = (what: string) =>
      result.problems.push(`${scenario.name}, point ${point.index} (${point.name}): ${what}`);
    await stopAt(scenario, world, point, result, problem);
  });
  return result;
}

const finely = <O extends LifeOrder>(order: O): O => ({ ...order, isFine: true });

async function stopAt(
  scenario: Scenario,
  world: RunWorld & { url: string },
  point: Point,
  result: ServerStops,
  problem: Problem,
): Promise<void> {
  const { workspace, url } = world;
  const [commands = []] = scenario.phases;
  const store = await openPostgres({ url, silentMs, connections: 4 });
  const life = new Life({ ...orderFor(scenario, world, []), url });
  const other = openDetent(life, store);
  await noteOwnershipThere(url);
  const rows = openRows(world);
  try {
    const halting = { haltAt: point.index, halt: 'SIGSTOP' } as const;
    const order = orderFor(scenario, world, commands, halting);
    const stopped = spawnLife({ ...finely(order), url: `${url}?application_name=${stoppedName}` });
    const stop = await untilStopped(world, stopped);
    // Parallel work may pass a boundary more or less; then there is nothing to look at.
    if (stop)
      try {
        result.points++;
        await whileStopped({ rows, stop, stopped, result, problem, settled: () => settle(life, other) });
      } finally {
        goOn(stop.pid);
      }
    const { code, stderr } = await stopped;
    // What was taken from it ends its handles; a connection that it was making may be over.
    if (code !== 0 && !/FENCED|Detent waits for it/.test(stderr)) problem(`it could not go on: ${stderr}`);
    await settle(life, other);
    await life.end(other);
    // Errors of the other process reached no caller.
    for (const error of life.errors) problem(`the other process reports ${String(error)}`);
    await copyToFile(url, workspace);
    await copyOwnership(url, workspace);
    inspect(scenario, workspace, null, result, problem);
    inspectStop(workspace, result, problem);
  } finally {
    await rows.close();
    await store.close();
  }
}

/** Nothing was written too late, and nobody else was taken for dead. */
function inspectStop(workspace: string, result: ServerStops, problem: Problem): void {
  const lives = readLives(workspace);
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  const stops = lives.filter(({ what }) => what === 'stop');
  const closes = lives.filter(({ what }) => what === 'close');
  const ends = [...stops, ...closes.map(({ pid, at }) => ({ pid, at: at - clocksDifferMs }))];
  const writes = readWrites(workspace);
  const { claims, takeOverMs } = inspectOwnership(
    db,
    { ends, deaths: stops, isTaker: true, writes },
    problem,
  );
  db.close();
  result.claims += claims;
  result.stoppedMs.push(...takeOverMs);
}

async function whileStopped({
  rows,
  stop: { pid },
  stopped,
  result,
  problem,
  settled,
}: {
  rows: Rows;
  stop: LifeEntry;
  stopped: Promise<Finished>;
  result: ServerStops;
  problem: Problem;
  /** Brings all runs to their ends. */
  settled: () => Promise<void>;
}): Promise<void> {
  const had = await runsOf(rows, pid);
  const closing = untilClosed(rows);
  // Whatever a transaction of the stopped process holds, nobody gets before its end.
  await settled();
  const openMs = await closing;
  result.openMs.push(openMs);
  while ((await rows.all('SELECT 1 FROM drivers WHERE pid = ? AND ended_at IS NULL', pid)).length > 0)
    await pause(20);
  await settled();
  const before = await lastOf(rows, had);
  for (const { id, ended } of before) if (!ended) problem(`nobody brought its run ${id} to its end`);
  result.taken += before.length;
  goOn(pid);
  await stopped;
  const after = await lastOf(rows, had);
  if (JSON.stringify(after) !== JSON.stringify(before))
    problem(`it wrote too late: ${JSON.stringify(before)} became ${JSON.stringify(after)}`);
}

/** Waits until the stopped process has no transaction. Resolves with how long that took. */
async function untilClosed(rows: Rows): Promise<number> {
  const began = performance.now();
  // A connection that is being made has one, too, and locks no rows.
  const open =
    "SELECT 1 FROM pg_stat_activity WHERE application_name = ? AND (state = 'active' OR state LIKE 'idle in %')";
  while ((await rows.all(open, stoppedName)).length > 0) await pause(20);
  return Math.round(performance.now() - began);
}

async function runsOf(rows: Rows, pid: number): Promise<string[]> {
  const found = await rows.all(
    'SELECT id FROM runs JOIN drivers ON epoch = driver WHERE ended = 0 AND pid = ? ORDER BY pk',
    pid,
  );
  return found.map(({ id }) => String(id));
}

/** All that a write too late would change. */
async function lastOf(rows: Rows, ids: readonly string[]) {
  return rows.all(
    `SELECT id, ended, seq, state, output, fence, driver, (SELECT count(*) FROM run_events WHERE run_pk = pk) AS events,
       (SELECT count(*) FROM effects WHERE run_pk = pk AND status = 'started') AS started
     FROM runs WHERE id = ANY(string_to_array(?, ' ')) ORDER BY pk`,
    ids.join(' '),
  );
}
