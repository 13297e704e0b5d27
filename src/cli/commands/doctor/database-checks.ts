import { accessSync, constants, existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { isDriven, livingDrivers } from '../../../cluster/living-drivers.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import { nextTimes } from '../../../schedule/times.ts';
import type { RunRow } from '../../../store/rows.ts';
import { databaseError, needsMigration, openSqlite, readPlace } from '../../../store/sqlite.ts';
import { counted } from '../../../text/wording.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { type Check, fail, failed, ok, type Subject, warn } from './check.ts';
import { unfinishedRuns } from './run-checks.ts';
import { changedAt, megabytes, nearestThere } from './workspace-checks.ts';

const megabyte = 2 ** 20;
/** Above this size a full check takes seconds. The quick check only omits the comparison of indexes with their tables. */
const quickAbove = 256 * megabyte;
/** SQLite checkpoints the log at 4 MB. A much larger log means that a reader keeps it from doing so. */
const largeLog = 64 * megabyte;
/** A slot this much later than its time has no process that runs it. */
const lateMs = 60_000;
const recentMs = 7 * 24 * 60 * 60_000;

const subjects = {
  file: ['database', 'Database'],
  writable: ['database.writable', 'Database writable'],
  schema: ['database.schema', 'Schema'],
  integrity: ['database.integrity', 'Integrity'],
  references: ['database.references', 'References'],
  driver: ['database.driver', 'Driver'],
  log: ['database.log', 'Write-ahead log'],
  size: ['database.size', 'Size'],
} as const satisfies Record<string, Subject>;

interface DatabaseReport {
  checks: Check[];
  /** Times of the newest writes, for the check of the clock. */
  moments: [what: string, at: number | undefined][];
}

/**
 * Checks a database read-only, also while another process drives it.
 *
 * @param maxPages the configured maximum size of the file, in pages
 * @param now milliseconds since the epoch
 */
export async function checkDatabase(
  file: string,
  maxPages: number | undefined,
  now: number,
): Promise<DatabaseReport> {
  if (file === ':memory:')
    return {
      checks: [ok(subjects.file, 'in memory: each command starts with an empty database')],
      moments: [],
    };
  const writable = checkWritable(file);
  if (!existsSync(file))
    return { checks: [ok(subjects.file, `none yet; the first run creates ${file}`), writable], moments: [] };
  let db: Sqlite.Database | undefined;
  try {
    if (statSync(file).isDirectory())
      throw new DetentError('DATABASE_UNUSABLE', `${file} is a folder; name a file`);
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 2000');
    return await examine(db, file, maxPages, now, writable);
  } catch (error) {
    return { checks: [failed(subjects.file, databaseError(error, file)), writable], moments: [] };
  } finally {
    db?.close();
  }
}

async function examine(
  db: Sqlite.Database,
  file: string,
  maxPages: number | undefined,
  now: number,
  writable: Check,
): Promise<DatabaseReport> {
  const { size } = statSync(file);
  const schema = checkSchema(db, file);
  const found = ok(subjects.file, `${file}, ${megabytes(size)}`);
  const body = [
    guarded(subjects.integrity, file, () => checkIntegrity(db, size)),
    guarded(subjects.references, file, () => checkReferences(db)),
  ];
  const isOurs = schema.status === 'ok';
  return {
    checks: [
      found,
      writable,
      schema,
      ...body,
      checkDriver(file),
      checkLog(file),
      ...(maxPages === undefined ? [] : [checkSize(db, maxPages)]),
      ...(isOurs ? await checkRuns(db, file, now) : []),
    ],
    moments: [['the database', changedAt(file)], ...(isOurs ? newest(db) : [])],
  };
}

/** Checks write access to the file, or to the folder that would contain it, without writing. */
function checkWritable(file: string): Check {
  const there = nearestThere(file);
  try {
    accessSync(there, constants.W_OK);
    return ok(subjects.writable, there);
  } catch (error) {
    return fail(
      subjects.writable,
      `${there} cannot be written: ${messageOf(error)}`,
      'make the file and its folder writable for this user, or name another file (--db)',
    );
  }
}

function checkSchema(db: Sqlite.Database, file: string): Check {
  try {
    needsMigration(db, file, true);
    return ok(subjects.schema, 'the version that this program uses');
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    const { code } = error;
    const check = failed(subjects.schema, error);
    return code === 'DATABASE_OLDER' ? { ...check, status: 'warn' } : check;
  }
}

function checkIntegrity(db: Sqlite.Database, size: number): Check {
  const pragma = size > quickAbove ? 'quick_check' : 'integrity_check';
  const rows = db.prepare(`PRAGMA ${pragma}(3)`).pluck().all() as string[];
  if (rows.length === 1 && rows[0] === 'ok') return ok(subjects.integrity, `${pragma}: ok`);
  return fail(
    subjects.integrity,
    `${pragma}: ${rows.join('; ').replaceAll(/\s+/g, ' ')}`,
    'restore a backup, or move the file away to start with an empty database',
  );
}

function checkReferences(db: Sqlite.Database): Check {
  const rows = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  const [first] = rows;
  if (!first) return ok(subjects.references, 'foreign_key_check: ok');
  return fail(
    subjects.references,
    `${rows.length} rows refer to rows that do not exist, one of them from ${first.table} to ${first.parent}`,
    'restore a backup: something other than Detent has changed the file',
  );
}

function checkDriver(file: string): Check {
  return guarded(subjects.driver, file, () => {
    const pids = livingDrivers(file).map(({ pid }) => pid);
    if (pids.length > 0)
      return ok(
        subjects.driver,
        `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')} drive runs in it`,
      );
    if (!isDriven(file)) return ok(subjects.driver, 'no process is driving runs in it');
    return warn(
      subjects.driver,
      'another process, perhaps of an older Detent, works in it; commands that write then exit with 6',
      'wait for it to end, stop it, or name another file (--db)',
    );
  });
}

function checkLog(file: string): Check {
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= largeLog) return ok(subjects.log, bytes === 0 ? 'empty' : megabytes(bytes));
  return warn(
    subjects.log,
    `${megabytes(bytes)} are not yet copied into the database file`,
    'end the programs that keep it open for reading, then run a command that writes: detent runs resume --all',
  );
}

function checkSize(db: Sqlite.Database, maxPages: number): Check {
  const pages = Number(db.pragma('page_count', { simple: true }));
  const used = pages - Number(db.pragma('freelist_count', { simple: true }));
  const detail = `${used} of at most ${maxPages} pages (database.maxPages)`;
  if (used < maxPages * 0.9) return ok(subjects.size, detail);
  const remedy = 'raise database.maxPages, or remove what is not needed';
  return used < maxPages ? warn(subjects.size, detail, remedy) : fail(subjects.size, detail, remedy);
}

async function checkRuns(db: Sqlite.Database, file: string, now: number): Promise<Check[]> {
  const subject: Subject = ['runs', 'Runs'];
  try {
    return [...(await unfinished(db, file)), poisoned(db, now), jobs(db, file, now), notices(db)];
  } catch (error) {
    return [failed(subject, databaseError(error, file))];
  }
}

async function unfinished(db: Sqlite.Database, file: string): Promise<Check[]> {
  const store = await openSqlite({ file, readonly: true });
  try {
    const living = new Set(livingDrivers(file).map(({ epoch }) => epoch));
    const { rows, checks } = await unfinishedRuns(store, living);
    const place = readPlace(db, file);
    const placeOfRun = ({ lastDriver }: RunRow) => place.of(lastDriver ?? 0);
    return [moved(rows, placeOfRun, place.here), ...checks];
  } finally {
    await store.close();
  }
}

/** Runs that were driven elsewhere, before the database was moved or copied, are not resumed by themselves. */
function moved(rows: readonly RunRow[], placeOfRun: (row: RunRow) => string, here: string): Check {
  const subject: Subject = ['runs.moved', 'Runs from elsewhere'];
  const [first, ...others] = rows.filter((row) => placeOfRun(row) !== here);
  if (!first) return ok(subject, 'none');
  return warn(
    subject,
    `${others.length + 1} not ended, driven in ${placeOfRun(first)}: the database was moved or copied`,
    `if the old one is no longer used, take all of them over: detent runs resume ${first.id} --here`,
  );
}

/** What the host could not be told of runs. */
function notices(db: Sqlite.Database): Check {
  const subject: Subject = ['notices', 'Notices'];
  const failing = db
    .prepare(
      "select id, status, attempt, error from notices where status = 'dead' or (status = 'pending' and attempt > 0) order by at desc",
    )
    .all() as { id: string; status: string; attempt: number; error: string | null }[];
  const [newest] = failing;
  if (!newest) return ok(subject, 'all were delivered');
  const dead = failing.filter(({ status }) => status === 'dead').length;
  const { id, attempt, error } = newest;
  const { code = 'NOTICE_FAILED', message = 'no answer yet' } = JSON.parse(error ?? '{}') as {
    code?: string;
    message?: string;
  };
  return warn(
    subject,
    `${dead} given up, ${failing.length - dead} being retried; ${id} after ${counted(attempt, 'attempt')}: ${code}: ${message}`,
    'fix the target of "notify"; see all: detent runs notices',
  );
}

/** Scheduled jobs that no process runs, and those that stand still after failures. */
function jobs(db: Sqlite.Database, file: string, now: number): Check {
  const subject: Subject = ['jobs', 'Jobs'];
  const living = new Set(livingDrivers(file).map(({ epoch }) => epoch));
  const all = db
    .prepare(
      "select jobs.id, driver, json_extract(context, '$.halt.as') as halt, json_extract(context, '$.failures') as failures, json_extract(context, '$.next') as next, json_extract(context, '$.next.at') as at, json_extract(context, '$.cursor') as cursor, json_extract(context, '$.definition.schedule') as schedule from jobs join runs on runs.pk = jobs.run_pk where ended = 0 order by jobs.id",
    )
    .all() as {
    id: string;
    driver: number | null;
    halt: string | null;
    failures: number;
    next: string | null;
    at: number | null;
    cursor: number;
    schedule: string;
  }[];
  if (all.length === 0) return ok(subject, 'none');
  // No process has computed the next time of a job that none has run yet.
  const dueAt = ({ next, at, cursor, schedule }: (typeof all)[number]) =>
    (next === null ? nextTimes(JSON.parse(schedule), { from: cursor, count: 1 })[0] : at) ??
    Number.POSITIVE_INFINITY;
  const late = all.filter(
    (job) =>
      job.halt === null && !(job.driver !== null && living.has(job.driver)) && dueAt(job) < now - lateMs,
  );
  const failing = all.filter(({ halt, failures }) => halt === 'paused' && failures > 0);
  const [overdue, paused] = [late[0]?.id, failing[0]?.id];
  if (overdue === undefined && paused === undefined) return ok(subject, String(all.length));
  const others = late.length > 1 ? ` and ${late.length - 1} more are` : ' is';
  const what = [
    ...(overdue === undefined ? [] : [`"${overdue}"${others} overdue: no process runs the schedule`]),
    ...(paused === undefined ? [] : [`${failing.length} paused after failures`]),
  ];
  const advice = [
    ...(overdue === undefined ? [] : ['run the schedule: detent cron serve (or detent serve)']),
    ...(paused === undefined
      ? []
      : [`see why: detent cron history ${shellWord(paused)}; then: detent cron resume ${shellWord(paused)}`]),
  ];
  return warn(subject, what.join('; '), advice.join('; '));
}

/** Runs with an effect that was started three times and never finished, because the process died each time. */
function poisoned(db: Sqlite.Database, now: number): Check {
  const subject: Subject = ['runs.poisoned', 'Runs poisoned'];
  const rows = db
    .prepare(
      "select id, updated_at as at from runs where ended = 1 and output like '%poisoned%' and json_extract(output, '$.outcome') = 'poisoned' order by updated_at desc",
    )
    .all() as { id: string; at: number }[];
  const [newest] = rows;
  if (!newest) return ok(subject, 'none');
  if (newest.at < now - recentMs) return ok(subject, `${rows.length}, none in the last 7 days`);
  return warn(
    subject,
    `${rows.length}: a call started three times, and the process died each time`,
    `see which call it was: detent runs show ${newest.id}`,
  );
}

function newest(db: Sqlite.Database): [string, number | undefined][] {
  const at = (column: string, table: string) =>
    (db.prepare(`select max(${column}) from ${table}`).pluck().get() as number | null) ?? undefined;
  try {
    return [
      ['the newest run', at('updated_at', 'runs')],
      ['the newest driver', at('started_at', 'drivers')],
    ];
  } catch {
    // The integrity check reports what is wrong.
    return [];
  }
}

function guarded(subject: Subject, file: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(subject, databaseError(error, file));
  }
}
