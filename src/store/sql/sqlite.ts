import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { defaults } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { makePrivateFile, makePrivateFolder } from '../../text/files.ts';
import { alone, type Program } from '../program.ts';
import type { In, Out, StatementName } from '../statements.ts';
import type { Store } from '../store.ts';
import { databaseError } from './errors.ts';
import { GroupCommit } from './group-commit.ts';
import { migrate, needsMigration } from './migrate.ts';
import { blockUntilFree, napUntilFree } from './naps.ts';
import { OpenFiles } from './open-files.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is created. For one in memory: `openInMemory`. */
  file: string;
  /**
   * `FULL` (default) survives a power failure. `NORMAL` survives a killed process, but a power failure may lose the
   * last commits. https://www.sqlite.org/pragma.html#pragma_synchronous
   */
  synchronous?: 'FULL' | 'NORMAL';
  /** Opens an existing database only for reading, beside a live driver. */
  readonly?: boolean;
  /** Whether commits that arrive together share one transaction. Default true. */
  groupCommit?: boolean;
  /** Maximum size of the file in pages of 4 KB; a commit beyond it fails with `DATABASE_FULL`. */
  maxPages?: number;
  /**
   * Called if an existing database has to be migrated. Resolves with a check that is called in the transaction of the
   * migration, and throws if that must not be done now.
   */
  migrationCheck?: () => Promise<() => void>;
}

/**
 * Turns the write-ahead log on, and finds out whether the database has to be migrated. Waits for another process that does
 * the same: SQLite gives up at once where two want to change the journal mode.
 */
async function prepareFile(db: Sqlite.Database, file: string, readonly: boolean): Promise<boolean> {
  let isOld = false;
  db.pragma('busy_timeout = 0');
  await napUntilFree(() => {
    isOld = needsMigration(db, file, readonly);
    if (readonly) return;
    // Only now is it known to be Detent's: a file that was named by mistake keeps its permissions.
    makePrivateDatabase(file);
    db.pragma('journal_mode = WAL');
  });
  return isOld;
}

/**
 * Opens a SQLite database, and creates or migrates it if needed.
 *
 * @throws DetentError `DATABASE_UNUSABLE`, `DATABASE_CORRUPT`, `DATABASE_READONLY`, `DATABASE_FOREIGN`,
 * `DATABASE_NEWER`, `DATABASE_OLDER`, `DATABASE_BUSY`.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { file } = options;
  let db: Sqlite.Database | undefined;
  try {
    // Opened only for reading, a folder would make SQLite report a disk error.
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory())
      throw new DetentError('DATABASE_UNUSABLE', `database ${file} is a folder; name a file in it`, {
        details: { file },
      });
    if (!options.readonly) makePrivateFolder(dirname(file));
    if (!options.readonly && !found) makePrivateFile(file);
    db = new Sqlite(file, { readonly: options.readonly ?? false, fileMustExist: options.readonly ?? false });
    const isOld = await prepareFile(db, file, options.readonly ?? false);
    db.pragma('busy_timeout = 5000');
    db.pragma(`synchronous = ${options.synchronous ?? defaults.database.synchronous}`);
    db.pragma('foreign_keys = ON');
    if (isOld) {
      const check = await options.migrationCheck?.();
      migrate(db, file, { ...(check && { check }) });
    }
    if (options.maxPages !== undefined) db.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
    // From here on commits nap instead: a busy handler would let one of several writers starve.
    db.pragma('busy_timeout = 0');
    db.pragma(`journal_size_limit = ${maxLogBytes}`);
    const files = options.readonly ? null : new OpenFiles(db, file);
    return new SqliteStore(db, file, options.groupCommit ?? defaults.database.groupCommit, files);
  } catch (error) {
    db?.close();
    throw unusable(error, file);
  }
}

/** The log and its index have the permissions of the database when SQLite makes them; those of an older Detent do not. */
function makePrivateDatabase(file: string): void {
  makePrivateFile(file);
  for (const ending of ['-wal', '-shm', '-journal'])
    if (existsSync(`${file}${ending}`)) makePrivateFile(`${file}${ending}`);
}

/** Turns errors of the file system (a folder that cannot be created) into database errors. */
function unusable(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^E[A-Z]+$/.test(code) || error instanceof TypeError)
    return databaseError(
      Object.assign(new Error((error as Error).message), { code: 'SQLITE_CANTOPEN' }),
      file,
    );
  return databaseError(error, file);
}

/** SQLite cuts the log down to this size when it can: a reader that stays may have let it grow. */
const maxLogBytes = 64 * 1024 * 1024;

/** With less room than this, the next commit may fail. */
const minFreeBytes = 1024 * 1024;
/** How long a commit that found no room tells of the disk. A run at a standstill tries again sooner. */
const fullMs = 5_000;

/** Null for a file system that does not say. */
function freeBytes(folder: string): number | null {
  try {
    const { blocks, bavail, bfree, bsize } = statfsSync(folder);
    // Some blocks are kept for root.
    return blocks === 0 ? null : (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return null;
  }
}

/** A store in a SQLite file. Other processes may have it open, too. */
export class SqliteStore extends GroupCommit implements Store {
  readonly #file: string;
  readonly #version: Sqlite.Statement;
  readonly #schema: Sqlite.Statement;
  readonly #readVersion = () => this.#version.get();
  #versionBefore: unknown;
  /** The version of the schema that was found to be this program's. */
  #known: unknown;
  #closed = false;
  /** Why nothing is read or written any more. */
  #lost: DetentError | null = null;

  /** @param files null for a database that this process does not write */
  constructor(db: Sqlite.Database, file: string, groupCommit: boolean, files: OpenFiles | null) {
    super(db, groupCommit, files);
    this.#file = file;
    this.#version = db.prepare('PRAGMA data_version').pluck();
    // https://www.sqlite.org/pragma.html#pragma_schema_version
    this.#schema = db.prepare('PRAGMA schema_version').pluck();
    this.#known = this.#schema.get();
  }

  /** A newer Detent may migrate the database while this process has it open and drives nothing. @throws DetentError `DATABASE_NEWER`. */
  protected checkSchema(): void {
    const now = this.#schema.get();
    if (now === this.#known) return;
    needsMigration(this.db, this.#file, false);
    this.#known = now;
  }

  checkRoom(): void {
    // While this throws, nobody may try to write, so a failure of long ago must not count: the disk may have room again.
    if (this.full && performance.now() - this.full.at < fullMs) throw this.full.error;
    const free = freeBytes(dirname(this.#file));
    if (free !== null && free < minFreeBytes)
      throw new DetentError(
        'DATABASE_FULL',
        `the disk of database ${this.#file} has ${free} bytes left; free some disk space`,
        { details: { file: this.#file, freeBytes: free }, retryable: true },
      );
  }

  async query<K extends StatementName>(name: K, input: In<K>): Promise<Out<K>> {
    return this.queryNow(name, input);
  }

  /** As `query`, at once. */
  queryNow<K extends StatementName>(name: K, input: In<K>): Out<K> {
    return this.#read(() => this.statements.run(alone<Out<K>>(name, input)));
  }

  version(): number {
    return this.#read(() => {
      if (this.files?.areSame() === false) this.files.prove();
      return this.#version.get();
    }) as number;
  }

  moment(): number {
    const version = this.#read(this.#readVersion);
    if (version !== this.#versionBefore) this.commits++;
    this.#versionBefore = version;
    return this.commits;
  }

  async erase<T>(program: () => Program<T>): Promise<{ value: T; complete: boolean }> {
    this.refuseWhenClosed();
    // Overwrites the deleted rows at once, in case the process dies before the rest is done.
    const was = this.db.pragma('secure_delete', { simple: true });
    this.db.pragma('secure_delete = ON');
    try {
      const value = await this.commit(program);
      return { value, complete: this.#rewrite() };
    } finally {
      if (this.db.open) this.db.pragma(`secure_delete = ${was}`);
    }
  }

  /**
   * Pages keep old bytes, also of rows that were only moved: a rewritten file has only the remaining rows.
   * https://www.sqlite.org/lang_vacuum.html
   */
  #rewrite(): boolean {
    // The process blocks while it waits for a reader, so wait only briefly.
    this.db.pragma('busy_timeout = 500');
    try {
      this.db.exec('VACUUM');
      if (this.files) return this.files.checkpoint('TRUNCATE');
      return true;
    } catch {
      return false;
    } finally {
      this.db.pragma('busy_timeout = 0');
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.drain();
    if (!this.#lost) this.#closeFiles();
  }

  #closeFiles(): void {
    if (this.files) this.files.close();
    else this.db.close();
  }

  #read<T>(read: () => T): T {
    this.refuseWhenClosed();
    try {
      return blockUntilFree(read);
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** A database that is lost is closed at once, so that other processes can use what is at its path now. */
  protected failed(error: unknown): unknown {
    if (this.#lost) return this.#lost;
    const failure = databaseError(this.#causeOf(error), this.#file);
    if (!DetentError.is(failure) || failure.code !== 'DATABASE_LOST') return failure;
    this.#lost = failure;
    this.#closeFiles();
    return failure;
  }

  /** Why SQLite cannot read the files: because they are not its own any more, or as it says. */
  #causeOf(error: unknown): unknown {
    if (!(error instanceof Sqlite.SqliteError) || !/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(error.code))
      return error;
    try {
      this.files?.prove();
      return error;
    } catch (cause) {
      return cause;
    }
  }

  protected refuseWhenClosed(): void {
    if (this.#closed) throw new DetentError('CLOSED', 'this store was closed; open it again');
    if (this.#lost) throw this.#lost;
  }
}
