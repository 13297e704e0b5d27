import { accessSync, constants, existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { isDriven, livingDrivers } from '../../../cluster/living-drivers.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import type { RunRow } from '../../../store/rows.ts';
import { databaseError, needsMigration, openSqlite, placeOf } from '../../../store/sqlite.ts';
import type { Store } from '../../../store/store.ts';
import { type Check, fail, failed, ok, type Subject, warn } from './check.ts';
import { checkRuns, type DatabaseReport } from './run-checks.ts';
import { changedAt, megabytes, nearestThere } from './workspace-checks.ts';

const megabyte = 2 ** 20;
/** Above this size a full check takes seconds. The quick check only omits the comparison of indexes with their tables. */
const quickAbove = 256 * megabyte;
/** SQLite checkpoints the log at 4 MB. A much larger log means that a reader keeps it from doing so. */
const largeLog = 64 * megabyte;

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
  const rows = schema.status === 'ok' ? await checkRows(file, now) : { checks: [], moments: [] };
  return {
    checks: [
      found,
      writable,
      schema,
      ...body,
      checkDriver(file),
      checkLog(file),
      ...(maxPages === undefined ? [] : [checkSize(db, maxPages)]),
      ...rows.checks,
    ],
    moments: [['the database', changedAt(file)], ...rows.moments],
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
        pids.length === 1
          ? `process ${pids[0]} drives runs in it`
          : `processes ${pids.join(', ')} drive runs in it`,
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

/** What the rows say: asked as everywhere. */
async function checkRows(file: string, now: number): Promise<DatabaseReport> {
  const living = new Set(livingDrivers(file).map(({ epoch }) => epoch));
  let store: Store | undefined;
  try {
    store = await openSqlite({ file, readonly: true });
    const { unfinished, checks, moments } = await checkRuns(store, living, now);
    const place = placeOf(file);
    const placeOfRun = ({ lastDriver }: RunRow) => place.of(lastDriver ?? 0);
    return { checks: [moved(unfinished, placeOfRun, place.here), ...checks], moments };
  } catch (error) {
    return { checks: [failed(['runs', 'Runs'], databaseError(error, file))], moments: [] };
  } finally {
    await store?.close();
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

function guarded(subject: Subject, file: string, check: () => Check): Check {
  try {
    return check();
  } catch (error) {
    return failed(subject, databaseError(error, file));
  }
}
