import Sqlite from 'better-sqlite3';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { createJobHost } from '../../../src/schedule/job-host.ts';
import { countLeft, databaseOf, inspectLogs } from '../harness/inspect-rows.ts';
import type { Problem } from '../harness/matrix.ts';
import { readAttempts, readLives } from '../ledger.ts';
import { runHost } from '../run-host.ts';
import type { JobMatrixResult, JobWorld } from './matrix.ts';
import { clockBegins, deliveryKey } from './order.ts';
import type { Received } from './receiver.ts';
import type { Expected, JobScenario } from './scenarios.ts';

interface Fire {
  n: number;
  slot: number;
  kind: string;
  status: string;
  reason: string | null;
  run_id: string | null;
}

/** What must hold when all jobs are settled, whatever was killed. */
export function inspectJobs(
  { expected }: JobScenario,
  { workspace, receiver }: JobWorld,
  result: JobMatrixResult,
  problem: Problem,
): void {
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  try {
    const fires = db.prepare('select * from job_fires order by n').all() as Fire[];
    const dead = readLives(workspace).filter(({ what }) => what === 'death');
    const pids = new Set(dead.map(({ pid }) => pid));
    const cutOff = new Set(readAttempts(workspace).flatMap(({ id, pid }) => (pids.has(pid) ? [id] : [])));
    result.kills += dead.length;
    result.slots += fires.length;
    inspectSlots(fires, expected, problem);
    result.runs += inspectRuns(db, fires, problem);
    result.deliveries += inspectDeliveries(db, fires, expected, problem);
    result.repeats += inspectReceived(db, receiver.received, cutOff, problem);
    inspectRest(db, expected, problem);
  } finally {
    db.close();
  }
}

/** Each slot of the window is on record once: run, or with the reason why it did not. */
function inspectSlots(fires: readonly Fire[], expected: Expected, problem: Problem): void {
  const { slots, statuses, skipped: reasons = [], skips = 0 } = expected;
  const found = fires.filter(({ kind }) => kind === 'slot').map(({ slot }) => slot);
  for (const slot of slots) {
    const times = found.filter((one) => one === slot).length;
    if (times !== 1) problem(`the slot of ${new Date(slot).toISOString()} is on record ${times} times`);
  }
  for (const slot of found)
    if (!slots.includes(slot)) problem(`${new Date(slot).toISOString()} is not a slot of the job`);
  if (found.some((slot, i) => i > 0 && slot < (found[i - 1] ?? 0))) problem('slots are not in their order');
  for (const { slot, status, reason } of fires) {
    const isExpected =
      status === 'skipped'
        ? (reasons as readonly (string | null)[]).includes(reason)
        : (statuses as readonly string[]).includes(status);
    if (!isExpected) problem(`the slot of ${new Date(slot).toISOString()} is ${status} (${reason})`);
  }
  const count = fires.filter(({ status }) => status === 'skipped').length;
  if (skips !== null && count !== skips) problem(`${count} slots were left out, not ${skips}`);
  if (fires.at(-1)?.status === 'cancelled') problem('the last slot was cancelled');
}

/** Each slot that ran has one run of its own, which began and ended once; one that was cancelled may have none. Returns how many there are. */
function inspectRuns(db: Sqlite.Database, fires: readonly Fire[], problem: Problem): number {
  const runs = db.prepare("select pk, id, ended from runs where machine = 'run'").all() as {
    pk: number;
    id: string;
    ended: number;
  }[];
  const ran = fires.filter(
    ({ status, run_id: runId }) => status !== 'skipped' && !(status === 'cancelled' && runId === null),
  );
  const starts = db
    .prepare("select count(*) from run_events where run_pk = ? and type = 'run.start'")
    .pluck();
  for (const { n, run_id: id } of ran)
    if (!runs.some((run) => run.id === id)) problem(`slot ${n} has no run`);
  for (const { pk, id, ended } of runs) {
    if (ran.filter(({ run_id }) => run_id === id).length !== 1)
      problem(`run ${id} belongs to no slot, or to several`);
    if (ended !== 1) problem(`run ${id} has not ended`);
    if (Number(starts.get(pk)) !== 1) problem(`run ${id} began ${starts.get(pk)} times`);
  }
  return runs.length;
}

function inspectDeliveries(
  db: Sqlite.Database,
  fires: readonly Fire[],
  { deliveries }: Expected,
  problem: Problem,
): number {
  const statuses = db.prepare('select status from deliveries where n = ? order by is_alert, target').pluck();
  let count = 0;
  for (const { n, status } of fires) {
    const found = statuses.all(n) as string[];
    count += found.length;
    const wanted = status === 'ok' || status === 'failed' ? deliveries : [];
    if (found.join() !== wanted.join()) problem(`deliveries of slot ${n} are ${found}, not ${wanted}`);
  }
  return count;
}

/**
 * Each delivery that is said to be delivered was taken, under one id; twice only if a process that sent it died.
 * Returns how many were taken twice.
 */
function inspectReceived(
  db: Sqlite.Database,
  received: readonly Received[],
  /** Deliveries at which a process was that died. */
  cutOff: ReadonlySet<string>,
  problem: Problem,
): number {
  const rows = db
    .prepare('select n, target, is_alert as isAlert, status, message_id as id from deliveries')
    .all() as { n: number; target: number; isAlert: number; status: string; id: string }[];
  const known = new Set<string>();
  let repeats = 0;
  for (const { n, target, isAlert, status, id } of rows) {
    known.add(id);
    const taken = received.filter((one) => one.id === id && one.isTaken);
    if (status === 'delivered' && taken.length === 0) problem(`delivery ${id} was never received`);
    if (taken.length < 2) continue;
    repeats++;
    if (taken.length > 2 || !cutOff.has(deliveryKey({ n, target, isAlert: isAlert === 1 })))
      problem(`delivery ${id} was taken ${taken.length} times`);
  }
  for (const { id } of received) if (!known.has(id)) problem(`${id} was received, and is no delivery`);
  return repeats;
}

/** Nothing is left open, and the logs are whole. */
function inspectRest(db: Sqlite.Database, { jobRuns = 1 }: Expected, problem: Problem): void {
  countLeft(db, 'effects', problem);
  const timers = db
    .prepare('select count(*) from timers where due_at < ?')
    .pluck()
    .get(clockBegins + 3_600_000);
  if (timers !== 0) problem(`${timers} timers are left`);
  const made = db.prepare("select count(*) from runs where machine = 'job'").pluck().get();
  if (made !== jobRuns) problem(`the job took ${made} runs of its machine, not ${jobRuns}`);
  const hosts = { run: runHost, job: createJobHost({} as never) as MachineHost };
  inspectLogs(db, ({ machine }) => hosts[machine as 'run' | 'job'], problem);
}
