import Sqlite from 'better-sqlite3';
import { administer } from '../support/postgres.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import type { LifeEntry } from './ledger.ts';

/** A process's end, as it or its killer noted it: driver rows may only be ended from then on. Or that it stood still. */
export interface LifeEnd {
  pid: number;
  /** Milliseconds since the epoch, not after the end. */
  at: number;
  /** When it went on. */
  until?: number;
}

/** A commit as the process noted it that made it. */
interface NotedWrite {
  pid: number;
  run: number;
  seq: number;
}

/** Has a database note every change of a run's driver, and the order of all transitions. */
export function noteOwnership(workspace: string): void {
  const db = new Sqlite(databaseOf(workspace));
  db.exec(`
    CREATE TABLE all_events (n INTEGER PRIMARY KEY, run_pk, seq, type, path, driver, fence);
    CREATE TRIGGER note_event AFTER INSERT ON run_events BEGIN
      INSERT INTO all_events (run_pk, seq, type, path, driver, fence)
        SELECT new.run_pk, new.seq, new.type, new.path, driver, fence FROM runs WHERE pk = new.run_pk; END;
    CREATE TABLE all_claims (n INTEGER PRIMARY KEY, run_pk, was, now, fence_was, fence, was_ended, at);
    CREATE TRIGGER note_claim AFTER UPDATE OF driver, fence ON runs
      WHEN new.driver IS NOT old.driver OR new.fence <> old.fence BEGIN
      INSERT INTO all_claims (run_pk, was, now, fence_was, fence, was_ended, at) VALUES
        (new.pk, old.driver, new.driver, old.fence, new.fence,
         (SELECT ended_at FROM drivers WHERE epoch = old.driver), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END`);
  db.close();
}

/** The same in a database of a server, beside its tables. */
export async function noteOwnershipThere(url: string): Promise<void> {
  await administer(
    url,
    `create schema noted;
     create table noted.all_events (n bigserial, run_pk bigint, seq bigint, type text, path text, driver bigint, fence bigint);
     create table noted.all_claims (n bigserial, run_pk bigint, was bigint, now bigint, fence_was bigint, fence bigint, was_ended bigint, at bigint);
     create function noted.event() returns trigger language plpgsql as $$ begin
       insert into noted.all_events (run_pk, seq, type, path, driver, fence)
         select new.run_pk, new.seq, new.type, new.path, driver, fence from runs where pk = new.run_pk;
       return null; end $$;
     create trigger note_event after insert on run_events for each row execute function noted.event();
     create function noted.claim() returns trigger language plpgsql as $$ begin
       insert into noted.all_claims (run_pk, was, now, fence_was, fence, was_ended, at) values
         (new.pk, old.driver, new.driver, old.fence, new.fence,
          (select ended_at from drivers where epoch = old.driver), extract(epoch from clock_timestamp()) * 1000);
       return null; end $$;
     create trigger note_claim after update on runs for each row
       when (new.driver is distinct from old.driver or new.fence <> old.fence) execute function noted.claim()`,
  );
}

/** Brings what a server noted into the copy of its rows in a workspace. */
export async function copyOwnership(url: string, workspace: string): Promise<void> {
  noteOwnership(workspace);
  const db = new Sqlite(databaseOf(workspace));
  // One row at a time would wait for the disk at each.
  db.exec('BEGIN');
  for (const table of ['all_events', 'all_claims']) {
    const [found] = await administer(
      url,
      `select row_to_json(noted)::text as row from noted.${table} as noted order by n`,
    );
    for (const { row } of found?.rows ?? []) {
      const values: Record<string, unknown> = JSON.parse(row);
      const names = Object.keys(values);
      db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`).run(
        ...Object.values(values),
      );
    }
  }
  db.exec('COMMIT');
  db.close();
}

interface Claim {
  run: number;
  was: number | null;
  now: number | null;
  fenceWas: number;
  fence: number;
  wasEnded: number | null;
  at: number;
}

interface OwnershipResult {
  /** Changes of a run's driver. */
  claims: number;
  /** Milliseconds between the death of a process and the first run of it that another one had, this one only if it is a taker. */
  takeOverMs: number[];
}

/**
 * No run was taken from a driver that lived, every claim counted the fence, and each transition was committed by the
 * process that had the run.
 *
 * @param deaths those of `ends` after which others take runs over.
 */
export function inspectOwnership(
  db: Sqlite.Database,
  {
    ends,
    deaths,
    writes,
    isTaker = false,
    mayMistake = false,
  }: {
    ends: readonly LifeEnd[];
    deaths: readonly LifeEnd[];
    writes?: readonly NotedWrite[];
    /** This process took runs over as others do. */
    isTaker?: boolean;
    /** A server that was killed may have kept the locks of some for too long. */
    mayMistake?: boolean;
  },
  problem: (what: string) => void,
): OwnershipResult {
  const drivers = db.prepare('SELECT epoch, pid, ended_at AS endedAt FROM drivers').all() as {
    epoch: number;
    pid: number;
    endedAt: number | null;
  }[];
  for (const { epoch, pid, endedAt } of drivers)
    if (endedAt !== null && !mayMistake && !ends.some((end) => end.pid === pid && isWithin(end, endedAt)))
      problem(`driver ${epoch} was declared dead while its process ${pid} lived`);
  const claims = db
    .prepare(
      'SELECT run_pk AS run, was, now, fence_was AS fenceWas, fence, was_ended AS wasEnded, at FROM all_claims ORDER BY n',
    )
    .all() as Claim[];
  for (const { run, was, now, fenceWas, fence, wasEnded } of claims) {
    if (was && now && was !== now && wasEnded === null)
      problem(`driver ${now} took run ${run} from driver ${was}, which had not ended`);
    // A driver may claim what it has; who gives a run up leaves its fence.
    const counted = fence - fenceWas;
    const isCounted = now ? counted === 1 || (now === was && counted === 0) : counted === 0;
    if (!isCounted)
      problem(`run ${run} went from driver ${was} to ${now}, and its fence from ${fenceWas} to ${fence}`);
  }
  const pidOf = new Map(drivers.map(({ epoch, pid }) => [epoch, pid]));
  if (writes) inspectWriters(db, writes, pidOf, problem);
  inspectLanes(db, problem);
  return { claims: claims.length, takeOverMs: takeOvers(claims, deaths, drivers, isTaker) };
}

/** The row of a run names the process that committed each of its transitions. */
function inspectWriters(
  db: Sqlite.Database,
  writes: readonly NotedWrite[],
  pidOf: ReadonlyMap<number, number>,
  problem: (what: string) => void,
): void {
  const noted = db.prepare('SELECT driver FROM all_events WHERE run_pk = ? AND seq = ?').pluck();
  const writers = new Map<string, number>();
  for (const { pid, run, seq } of writes) {
    const driver = noted.get(run, seq) as number | null | undefined;
    if (driver === undefined)
      problem(`process ${pid} committed transition ${seq} of run ${run}, which is not there`);
    else if (driver && pidOf.get(driver) !== pid)
      problem(`process ${pid} committed transition ${seq} of run ${run}, which driver ${driver} had`);
    const other = writers.get(`${run} ${seq}`);
    if (other !== undefined)
      problem(`processes ${other} and ${pid} committed transition ${seq} of run ${run}`);
    writers.set(`${run} ${seq}`, pid);
  }
}

/** A run of a session begins only after all before it have ended. */
function inspectLanes(db: Sqlite.Database, problem: (what: string) => void): void {
  const early = db
    .prepare(
      `SELECT r.id FROM runs r JOIN all_events s ON s.run_pk = r.pk AND s.type = 'run.start'
       JOIN runs e ON e.session_pk = r.session_pk AND e.ordinal < r.ordinal
       WHERE (SELECT max(n) FROM all_events WHERE run_pk = e.pk) > s.n`,
    )
    .pluck()
    .all();
  for (const run of early) problem(`run ${run} began before one ahead of it had ended`);
}

/** Two processes never perform effects of one run at the same time. The order of the entries decides, and no clock. */
export function inspectTurns(lives: readonly LifeEntry[], problem: (what: string) => void): void {
  /** The effects that are performed, by run, with their process. */
  const performed = new Map<string, Map<string, number>>();
  for (const { what, pid, run = '', effect = '' } of lives) {
    const now = performed.get(run) ?? new Map<string, number>();
    performed.set(run, now);
    if (what === 'end') now.delete(effect);
    if (what === 'death' || what === 'close')
      for (const effects of performed.values())
        for (const [key, performer] of effects) if (performer === pid) effects.delete(key);
    if (what !== 'begin') continue;
    for (const [other, performer] of now)
      if (performer !== pid)
        problem(`process ${pid} began ${effect} while process ${performer} performed ${other}`);
    now.set(effect, pid);
  }
}

function takeOvers(
  claims: readonly Claim[],
  deaths: readonly LifeEnd[],
  drivers: readonly { epoch: number; pid: number }[],
  isTaker: boolean,
): number[] {
  return deaths.flatMap((death) => {
    const { pid, at } = death;
    const epochsOf = (one: number) =>
      new Set(drivers.flatMap((driver) => (driver.pid === one ? [driver.epoch] : [])));
    const [dead, here] = [epochsOf(pid), epochsOf(process.pid)];
    const lost = new Set<number>();
    for (const { run, was, now, at: when } of claims) {
      if (was !== null && dead.has(was) && now === null && isWithin(death, when)) lost.add(run);
      else if (now && lost.delete(run) && !dead.has(now) && (isTaker || !here.has(now))) return [when - at];
    }
    return [];
  });
}

const isWithin = ({ at, until = Number.POSITIVE_INFINITY }: LifeEnd, when: number) =>
  at <= when && when <= until;

/** How long take-overs took, in words. */
export function takeOverWords(takeOverMs: readonly number[]): string {
  const sorted = takeOverMs.toSorted((a, b) => a - b);
  return `take-over p50 ${sorted[sorted.length >> 1]} ms, p100 ${sorted.at(-1)} ms of ${sorted.length}`;
}
