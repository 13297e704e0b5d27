import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isOfOpenDatabaseAt, makePrivateFile } from '../../text/files.ts';
import { databaseError } from './errors.ts';

export interface BackupOptions {
  /** Whether a file that exists is replaced; a database that a process has open never is. Default false. */
  overwrite?: boolean;
}

/** A backup that was made. */
export interface Backup {
  /** Absolute path. */
  file: string;
  bytes: number;
}

/** Between two slices of this many pages of 4 KB, other code of the process runs. */
const slice = 500;

/**
 * Copies a database by SQLite's backup API, while this and other processes work on it: the copy is its state at one moment.
 *
 * @param file the database, which this process has open
 * @param to absolute path; its folder exists
 * @throws DetentError `FILE_EXISTS`, `CANNOT_WRITE`, `DATABASE_BUSY` for a database at `to` that is open, and what the store
 * throws.
 */
export function backupDatabase(file: string, to: string, options: BackupOptions = {}): Promise<Backup> {
  return writeDatabase(to, (draft) => copy(file, draft), options);
}

/**
 * Writes a database that has its name only when it is whole: one file, without a log beside it, that only its owner can read; it was
 * checked before.
 *
 * @param fill makes the database in an empty file
 * @param draft the name until then, which stays when `fill` fails; by default a name of its own, which does not
 */
export async function writeDatabase(
  to: string,
  fill: (draft: string) => Promise<void>,
  { overwrite = false, draft: kept }: BackupOptions & { draft?: string },
): Promise<Backup> {
  refuseTarget(to, overwrite, kept === undefined);
  const draft = kept ?? join(dirname(to), `.detent-${randomUUID()}.tmp`);
  let isFilled = false;
  try {
    makeDraft(draft, to);
    await fill(draft);
    isFilled = true;
    await check(draft);
    if (overwrite) retire(to);
    renameSync(draft, to);
    return { file: to, bytes: statSync(to).size };
  } finally {
    if (isFilled || kept === undefined)
      for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${ending}`, { force: true });
  }
}

function refuseTarget(to: string, overwrite: boolean, mayOverwrite: boolean): void {
  if (isOfOpenDatabaseAt(to))
    throw new DetentError('FILE_EXISTS', `${to} belongs to the open database itself; name another file`);
  const existing = lstatSync(to, { throwIfNoEntry: false });
  if (existing && !overwrite)
    throw new DetentError(
      'FILE_EXISTS',
      `${to} exists; name another file${mayOverwrite ? ', or replace it with --force (overwrite: true)' : ''}`,
      { details: { file: to } },
    );
  if (existing && !existing.isFile()) throw new DetentError('CANNOT_WRITE', `${to} is not a regular file`);
}

function makeDraft(draft: string, to: string): void {
  try {
    makePrivateFile(draft);
  } catch (error) {
    const folder = dirname(to);
    const why = existsSync(folder) ? messageOf(error) : `there is no folder ${folder}; make it first`;
    throw new DetentError('CANNOT_WRITE', `${to} cannot be written: ${why}`, { cause: error });
  }
}

async function copy(file: string, draft: string): Promise<void> {
  let source: Sqlite.Database | undefined;
  try {
    source = new Sqlite(file, { readonly: true, fileMustExist: true });
    source.pragma('busy_timeout = 5000');
    // Without a transaction of its own, the copy would begin again with every commit of another process.
    source.exec('BEGIN');
    source.prepare('SELECT 1 FROM sqlite_master').get();
    await source.backup(draft, { progress: () => slice });
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    source?.close();
  }
}

/** Makes one file of the copy, which needs no log, checks it and has it on the disk. */
async function check(draft: string): Promise<void> {
  const db = new Sqlite(draft);
  try {
    db.pragma('journal_mode = DELETE');
    const found = db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok')
      throw new DetentError(
        'DATABASE_CORRUPT',
        `the copy is damaged (${found}); check the original: detent doctor`,
      );
  } catch (error) {
    throw databaseError(error, draft);
  } finally {
    db.close();
  }
  await using handle = await open(draft, 'r');
  await handle.sync();
}

/** The logs of what was at this path would be played back into the copy. @throws DetentError `DATABASE_BUSY`. */
function retire(to: string): void {
  let old: Sqlite.Database | undefined;
  try {
    old = new Sqlite(to, { fileMustExist: true });
    old.pragma('busy_timeout = 0');
    // Needs the database for itself, and ends its log.
    old.pragma('journal_mode = DELETE');
  } catch (error) {
    const found = databaseError(error, to);
    if (DetentError.is(found) && found.code === 'DATABASE_BUSY')
      throw new DetentError(
        'DATABASE_BUSY',
        `${to} is a database that a process has open; name another file`,
        {
          details: { file: to },
        },
      );
  } finally {
    old?.close();
  }
  for (const ending of ['-journal', '-wal', '-shm']) rmSync(`${to}${ending}`, { force: true });
}
