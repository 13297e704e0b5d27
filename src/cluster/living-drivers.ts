import { realpathSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../protocol/error.ts';
import { isLocked } from '../store/sqlite.ts';
import { lockFileOf, lockFiles } from './driver-files.ts';

/** A process that drives a database now. */
interface LivingDriver {
  epoch: number;
  pid: number;
  startedAt: number;
}

/** The processes that drive a database now, by their rows and locks: also one of an older version, which no store opens. Writes nothing. */
export function livingDrivers(file: string): LivingDriver[] {
  let db: Sqlite.Database | undefined;
  try {
    const real = realpathSync.native(file);
    db = new Sqlite(real, { readonly: true, fileMustExist: true });
    const rows = db
      .prepare(
        'select epoch, pid, name, started_at as startedAt from drivers where ended_at is null order by epoch',
      )
      .all() as (LivingDriver & { name: string })[];
    return rows.flatMap(({ name, ...driver }) =>
      name !== '' && isLocked(lockFileOf(real, name)) ? [driver] : [],
    );
  } catch {
    // An older database has no such rows; an unreadable one is reported by who opens it.
    return [];
  } finally {
    db?.close();
  }
}

/** Whether any process drives a database, whatever version of Detent it runs. Opens only lock files. */
export function isDriven(file: string): boolean {
  // A Detent that had databases to itself locked a file beside it.
  if (isLocked(`${file}-lock`)) return true;
  try {
    return lockFiles(realpathSync.native(file)).some(isLocked);
  } catch {
    // There is no database yet.
    return false;
  }
}

/**
 * Refuses what must not be done while others are at work: a migration changes what all processes read and write, and with a copy two
 * databases would go on with the same runs.
 *
 * @param why of the database, what is to be done
 * @throws DetentError `DATABASE_LOCKED` while another process drives the database.
 */
export function refuseDriven(file: string, why: string): void {
  if (!isDriven(file)) return;
  const pids = livingDrivers(file).map(({ pid }) => pid);
  const who = pids.length === 0 ? 'another process' : `process ${pids.join(', ')}`;
  throw new DetentError(
    'DATABASE_LOCKED',
    `database ${file} ${why}, and ${who} is at work in it: wait for it to end, or stop it; then try again`,
    { details: { file, ...(pids.length > 0 && { pids }) }, retryable: true },
  );
}
