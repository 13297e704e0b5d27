import { realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { blockUntilFree, blockUntilTrue } from './naps.ts';

/** Bytes of the log's header, and of that of each page in it. https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const [logHeader, frameHeader] = [32, 24];
/**
 * So many pages in the log are copied into the database: 8 MB. Twice as many as SQLite's own default, because a checkpoint also
 * costs its two marks, and copies a page that was written often once.
 */
const checkpointPages = 2_000;
const commitsPerLook = 16;
/**
 * How long a look at the files counts: in a transaction, until its commit is acknowledged. A change of the files in such a moment
 * might as well come right after the acknowledgement.
 */
const momentMs = 5;
/** How long the checkpoint of another process may take until it has explained itself. */
const checkpointMs = 2_000;

interface Log {
  busy: number;
  /** Pages in the log, and how many of them are in the database. */
  log: number;
  checkpointed: number;
}

interface Known extends Pick<Log, 'log' | 'checkpointed'> {
  main: Stats;
  logFile: Stats;
  index: Stats;
  mark: number;
}

/**
 * The files of a database that this process has open: the database, its log (WAL) and the index of that. What is written
 * through open descriptors after one of them was deleted or replaced is lost, and SQLite does not notice.
 *
 * Only a checkpoint writes the database itself. Those of Detent leave a mark there (`user_version`) that is odd while they
 * last, so that a process can tell the checkpoint of another one from a file that was copied over the database.
 */
export class OpenFiles {
  readonly #db: Sqlite.Database;
  readonly #file: string;
  /** In the order of `Known`. */
  readonly #paths: readonly [string, string, string];
  /** Opened only for reading: while it is open, closing the other connection neither writes nor removes any file. */
  readonly #guard: Sqlite.Database;
  readonly #readMark: Sqlite.Statement;
  readonly #readLog: Sqlite.Statement;
  readonly #pageBytes: number;
  #known: Known;
  /** When the files were last as they should be. */
  #sameAt = Number.NEGATIVE_INFINITY;
  #commits = 0;
  /** How the files were when they were last looked at, and when they were last refused: while nothing happens, no checkpoint ends. */
  #unexplained = '';
  #refused = '';

  /** Takes checkpoints of the connection over. */
  constructor(db: Sqlite.Database, file: string) {
    this.#db = db;
    this.#file = file;
    const real = realpathSync.native(file);
    // By the name that was given, too: a symbolic link may lead elsewhere later.
    this.#paths = [resolve(file), `${real}-wal`, `${real}-shm`];
    this.#guard = new Sqlite(file, { readonly: true });
    this.#guard.pragma('user_version');
    db.pragma('wal_autocheckpoint = 0');
    this.#readMark = db.prepare('PRAGMA user_version').pluck();
    this.#readLog = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#pageBytes = db.pragma('page_size', { simple: true }) as number;
    const mark = this.#readMark.get() as number;
    const { log, checkpointed } = this.#readLog.get() as Log;
    const [main, logFile, index] = this.#look();
    if (!main || !logFile || !index) throw this.#lost('was removed while it was opened');
    this.#known = { main, logFile, index, mark, log, checkpointed };
  }

  /** Whether nothing has touched the files but commits. Takes some microseconds. */
  areSame(): boolean {
    const { main, index } = this.#known;
    const [mainPath, , indexPath] = this.#paths;
    const mainNow = this.#stat(mainPath);
    if (!isSameFile(main, mainNow) || !isUnwritten(main, mainNow)) return false;
    if (!isSameFile(index, this.#stat(indexPath)) || !this.#isLogSame()) return false;
    this.#sameAt = performance.now();
    return true;
  }

  /** Whether what was committed is where the next process looks for it: in the log beside the database. */
  isWritten(): boolean {
    const isRecent = performance.now() - this.#sameAt < momentMs;
    return isRecent ? this.#isLogSame() : this.areSame();
  }

  /** Each commit makes the log longer: what is missing from it later was cut off. */
  #isLogSame(): boolean {
    const { logFile } = this.#known;
    const now = this.#stat(this.#paths[1]);
    if (!isSameFile(logFile, now) || now.size < logFile.size) return false;
    this.#known.logFile = now;
    return true;
  }

  /**
   * Finds out whether checkpoints explain how the files have changed. Not in a transaction.
   *
   * @throws DetentError `DATABASE_LOST` when a file was deleted or replaced; `DATABASE_CHANGED` when the content of one was.
   */
  prove(): void {
    this.#refuseLost();
    if (this.#isLogCut()) throw this.#changed('its log (-wal) was cut off');
    if (this.#isExplained()) return;
    // The mark of a checkpoint that is at work may be that of another one, which has ended. It has one of its own when it ends.
    const isRefused = this.#unexplained === this.#refused;
    if (!isRefused && blockUntilTrue(() => this.#isExplained(), checkpointMs)) return;
    this.#refused = this.#unexplained;
    throw this.#changed('another program has written it');
  }

  /** Whether the database is as it was, or a checkpoint has written it. Then that is what is known from now on. */
  #isExplained(): boolean {
    const mark = this.#readMark.get() as number;
    const { log, checkpointed } = this.#readLog.get() as Log;
    // After the mark was read: a checkpoint that begins now has another one.
    const [main, logFile, index] = this.#refuseLost();
    const known = this.#known;
    // A backup that was copied over the database has an earlier mark, or the same.
    const isMarked = mark > known.mark || (mark === known.mark && mark % 2 === 1);
    // Other programs leave no mark.
    const isCopied = checkpointed !== known.checkpointed || log < known.log;
    const isCut = logFile.size < known.logFile.size;
    this.#unexplained = JSON.stringify([mark, log, checkpointed, main.size, main.mtimeMs, logFile.size]);
    if (!isMarked && !isCopied && !isCut && !isUnwritten(known.main, main)) return false;
    this.#known = { main, logFile, index, mark, log, checkpointed };
    return true;
  }

  /** Copies the log into the database if it has become long. What is wrong with the files, the next look tells. */
  afterCommit(): void {
    if (++this.#commits % commitsPerLook !== 0) return;
    try {
      const { log, checkpointed } = this.#readLog.get() as Log;
      if (log - checkpointed >= checkpointPages) this.checkpoint('PASSIVE');
    } catch {
      // The log stays as it is.
    }
  }

  /** Copies the log into the database. Returns false if a reader or another process kept it from that. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    if (!this.areSame()) this.prove();
    const mark = this.#setMark((found) => (found + 1) | 1);
    if (mark === null) return false;
    const [{ busy }] = this.#db.pragma(`wal_checkpoint(${mode})`) as [Log];
    // Another mark than at any moment of it. If another process has begun one meanwhile, that one's end has yet another.
    this.#setMark((found) => (found === mark ? mark + 1 : found % 2 === 0 ? found + 2 : found));
    this.prove();
    return busy === 0;
  }

  /** Closes the database. Where its files are not as they should be, none is written, and none that is not ours removed. */
  close(): void {
    let isProved = true;
    try {
      if (!this.areSame()) this.prove();
    } catch {
      isProved = false;
    }
    if (isProved || this.#hasOnlyLostItsLog()) this.#guard.close();
    this.#db.close();
    this.#guard.close();
    if (!isProved) this.#setLogAside();
  }

  /** If so, this process still has the content of the log, and SQLite copies it into the database when the database is closed. */
  #hasOnlyLostItsLog(): boolean {
    const { main } = this.#known;
    const [mainNow, logNow] = this.#look();
    return logNow === undefined && isSameFile(main, mainNow) && isUnwritten(main, mainNow);
  }

  get #oldLog(): string {
    return `${this.#paths[1]}.${process.pid}.old`;
  }

  /** SQLite would play our log into the other database at this path. */
  #setLogAside(): void {
    const { main, logFile: log, index } = this.#known;
    const [mainNow, logNow, indexNow] = this.#look();
    const [, logPath, indexPath] = this.#paths;
    if (mainNow === undefined || isSameFile(main, mainNow)) return;
    if (isSameFile(log, logNow)) renameSync(logPath, this.#oldLog);
    if (isSameFile(index, indexNow)) rmSync(indexPath, { force: true });
  }

  /** Null if that is not possible now. It need not survive a power failure. */
  #setMark(next: (found: number) => number): number | null {
    const safe = this.#db.pragma('synchronous', { simple: true });
    try {
      this.#db.pragma('synchronous = NORMAL');
      const set = this.#db.transaction(() => {
        const mark = next(this.#readMark.get() as number);
        this.#db.pragma(`user_version = ${mark}`);
        return mark;
      });
      return blockUntilFree(() => set.immediate());
    } catch {
      return null;
    } finally {
      this.#db.pragma(`synchronous = ${safe}`);
    }
  }

  #isLogCut(): boolean {
    const pages = () => (this.#readLog.get() as Log).log;
    for (;;) {
      const before = pages();
      const size = this.#look()[1]?.size ?? 0;
      // Unless another process has cut it in between.
      if (before === pages())
        return before > 0 && size < logHeader + before * (frameHeader + this.#pageBytes);
    }
  }

  #refuseLost(): [Stats, Stats, Stats] {
    const { main, logFile: log, index } = this.#known;
    const [mainNow, logNow, indexNow] = this.#look();
    if (!mainNow) throw this.#lost('was moved or deleted');
    if (!isSameFile(main, mainNow))
      throw this.#lost(`was replaced by another file (its log is kept as ${this.#oldLog})`);
    if (!isSameFile(log, logNow)) throw this.#lost('has lost its log (-wal): it was deleted or replaced');
    if (!isSameFile(index, indexNow))
      throw this.#lost('has lost the index of its log (-shm): it was deleted or replaced');
    return [mainNow, logNow, indexNow];
  }

  #look(): (Stats | undefined)[] {
    return this.#paths.map((path) => this.#stat(path));
  }

  #stat(path: string): Stats | undefined {
    try {
      return statSync(path, { throwIfNoEntry: false });
    } catch (error) {
      throw new DetentError('DATABASE_IO', `database ${this.#file} cannot be read: check the disk`, {
        details: { file: this.#file },
        retryable: true,
        cause: error,
      });
    }
  }

  #lost(what: string): DetentError {
    return new DetentError(
      'DATABASE_LOST',
      `database ${this.#file} ${what} while this process had it open: the process writes nothing more; put the right file there and restart the process`,
      { details: { file: this.#file } },
    );
  }

  #changed(what: string): DetentError {
    return new DetentError(
      'DATABASE_CHANGED',
      `database ${this.#file} is not as this process left it: ${what}. The process writes nothing more; stop all processes that use it, restore a backup without the files ending in -wal and -shm, and start again`,
      { details: { file: this.#file }, retryable: true },
    );
  }
}

function isSameFile(known: Stats, now: Stats | undefined): now is Stats {
  return now !== undefined && now.ino === known.ino && now.dev === known.dev;
}

function isUnwritten(known: Stats, now: Stats): boolean {
  return now.size === known.size && now.mtimeMs === known.mtimeMs;
}
