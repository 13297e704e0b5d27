import { isOfFailures } from '../../../../machines/job.rules.ts';
import type { JobContext } from '../../../../machines/job.types.ts';
import { isDecided, kindOf, runStatus, statusAmongRuns } from '../../../runs/rows.ts';
import { nextSlotAt } from '../../../schedule/times.ts';
import type { JobWithRun, RunRow } from '../../../store/rows.ts';
import type { Store } from '../../../store/store.ts';
import { isJobRun } from '../../../store/stored-run.ts';
import { counted } from '../../../text/wording.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/** What a part of the doctor found in a database. */
export interface DatabaseReport {
  checks: Check[];
  /** Times of the newest writes, for the check of the clock. */
  moments: [what: string, at: number | undefined][];
}

/** A slot this much later than its time has no process that runs it. */
const lateMs = 60_000;
const recentMs = 7 * 24 * 60 * 60_000;
/** More than anybody reads about; what is counted of them is exact below that. */
const limit = 10_000;

/**
 * What the rows say of runs, jobs and notices, in a database of any kind.
 *
 * @param living the epochs of the drivers that live
 * @param now milliseconds since the epoch
 */
export async function checkRuns(
  store: Store,
  living: ReadonlySet<number>,
  now: number,
): Promise<DatabaseReport & { unfinished: RunRow[] }> {
  const { rows, checks } = await unfinishedRuns(store, living);
  const newest = await store.query('newestMoments', {});
  return {
    unfinished: rows,
    checks: [...checks, await poisoned(store, now), await jobs(store, living, now), await notices(store)],
    moments: [
      ['the newest run', newest?.run ?? undefined],
      ['the newest driver', newest?.driver ?? undefined],
    ],
  };
}

/** The runs that have not ended, and what is to be said of them. */
async function unfinishedRuns(
  store: Store,
  living: ReadonlySet<number>,
): Promise<{ rows: RunRow[]; checks: Check[] }> {
  const isLive = ({ driver }: RunRow) => driver !== null && living.has(driver);
  // A job has a check of its own.
  const rows = (await store.query('listActiveRuns', {})).filter((row) => !isJobRun(row));
  const runs: Record<string, string[]> = { waiting: [], decided: [], interrupted: [] };
  for (const row of rows) {
    if (!kindOf(row).waitsInProcess) {
      const { status } = await statusAmongRuns(store, row, isLive);
      // One that waits for events, or for a run that is counted itself, asks no person.
      if (status !== 'waiting' || kindOf(row).isAsking(row)) runs[status]?.push(row.id);
      continue;
    }
    const status = runStatus(row, isLive);
    const isLeft = status === 'interrupted' && (await isDecided(store, row));
    runs[isLeft ? 'decided' : status]?.push(row.id);
  }
  const { waiting: asking = [], decided = [], interrupted: broken = [] } = runs;
  return { rows, checks: [waiting(asking, decided), interrupted(broken)] };
}

function waiting(asking: readonly string[], decided: readonly string[]): Check {
  const subject: Subject = ['runs.waiting', 'Runs that wait'];
  const person = `${asking.length === 0 ? 'none' : asking.length} for a person`;
  const text = decided.length === 0 ? person : `${person}, ${decided.length} decided, for resume`;
  if (asking.length > 0) return ok(subject, text, `see what it asks: detent runs show ${asking[0]}`);
  return decided.length === 0
    ? ok(subject, text)
    : ok(subject, text, `resume it: detent runs resume ${decided[0]}`);
}

function interrupted(runs: readonly string[]): Check {
  const subject: Subject = ['runs.interrupted', 'Runs interrupted'];
  if (runs.length === 0) return ok(subject, 'none');
  return warn(
    subject,
    `${runs.length}: their process ended before they did`,
    `see one: detent runs show ${runs[0]}; resume all: detent runs resume --all`,
  );
}

/** Runs with an effect that was started three times and never finished, because the process died each time. */
async function poisoned(store: Store, now: number): Promise<Check> {
  const subject: Subject = ['runs.poisoned', 'Runs poisoned'];
  const rows = await store.query('listPoisonedRuns', { limit });
  const [newest] = rows;
  if (!newest) return ok(subject, 'none');
  if (newest.updatedAt < now - recentMs) return ok(subject, `${rows.length}, none in the last 7 days`);
  return warn(
    subject,
    `${rows.length}: a call started three times, and the process died each time`,
    `see which call it was: detent runs show ${newest.id}`,
  );
}

/** Scheduled jobs that no process runs, and those that stand still after failures. */
async function jobs(store: Store, living: ReadonlySet<number>, now: number): Promise<Check> {
  const subject: Subject = ['jobs', 'Jobs'];
  const all = (await allJobs(store)).filter(({ ended }) => ended === 0);
  if (all.length === 0) return ok(subject, 'none');
  const late: string[] = [];
  const failing: string[] = [];
  for (const { id, driver, context } of all) {
    const job = JSON.parse(context) as JobContext;
    if (job.halt?.as === 'paused' && isOfFailures(job.halt.reason)) failing.push(id);
    const isDriven = driver !== null && living.has(driver);
    if (!job.halt && !isDriven && nextSlotAt(job) < now - lateMs) late.push(id);
  }
  const [overdue, paused] = [late[0], failing[0]];
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

/** Of all tenants. */
async function allJobs(store: Store): Promise<JobWithRun[]> {
  const found: JobWithRun[] = [];
  for (const { id: tenant } of await store.query('listTenants', {}))
    for (let after = ''; ; ) {
      const page = await store.query('listJobs', { tenant, after, limit });
      found.push(...page);
      const last = page.at(-1);
      if (!last || page.length < limit) break;
      after = last.id;
    }
  return found;
}

/** What the host could not be told of runs. */
async function notices(store: Store): Promise<Check> {
  const subject: Subject = ['notices', 'Notices'];
  const failing = await store.query('listFailingNotices', { limit });
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
