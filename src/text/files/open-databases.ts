import { type BigIntStats, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ownFolderName } from './private-files.ts';

/**
 * A SQLite database that this process has open. POSIX locks belong to a process and an inode: when the process closes any
 * descriptor of such a file, the system drops all locks that SQLite holds on it, and SQLite does not notice.
 * https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
 */
export interface OpenDatabase {
  /** The real path, as far as it exists. */
  path: string;
  /** The SQLite library that has it open, as the path of its package. Two libraries do not see each other's locks. */
  readonly library: string;
  /** `device:inode` of its files that are open, which may be moved meanwhile. */
  readonly inodes: Set<string>;
}

/** Folder of the drivers' locks and sockets, beside a database. */
export const driversFolderName = 'drivers';
/** Not every file of that folder: beside a database at the top of a workspace it may be the user's own. */
export const isDriverFile = (name: string) => /\.(lock|sock)(-|$)/.test(name);

const endings = ['', '-wal', '-shm', '-journal', '-lock'];
const keptOpen = ['', '-wal', '-shm'];
const besideIt = /^($|-(wal|shm|journal|mj|lock))/;
/** SQLite files of a `.detent` folder besides the main database. */
const ownDatabase = /^(memory\.db|memory-lock|shop\.db|.+\.search-\d+\.db)(-|$)/;

/** All copies of Detent in this process share the list; each thread has its own. */
export function openDatabases(): Set<OpenDatabase> {
  const shared = globalThis as { [key: symbol]: Set<OpenDatabase> | undefined };
  const key = Symbol.for('detent.databases');
  shared[key] ??= new Set();
  return shared[key];
}

/** Adds a database before it is opened. Call `note` once it is open, when all its files exist. */
export function holdDatabase(file: string, library: string): { note(): void; close(): void } {
  const held: OpenDatabase = { path: file, library, inodes: new Set() };
  const note = () => {
    held.path = realOf(file);
    held.inodes.clear();
    // Only those that SQLite keeps open here: the system gives the inode of any other to a new file once it is deleted.
    for (const path of keptOpen.map((ending) => `${held.path}${ending}`)) {
      const inode = inodeAt(path);
      if (inode !== null) held.inodes.add(inode);
    }
  };
  note();
  openDatabases().add(held);
  return { note, close: () => void openDatabases().delete(held) };
}

/** The open databases that are this file, whatever its name. */
export function openAs(file: string): OpenDatabase[] {
  const path = realOf(file);
  const inode = inodeAt(path);
  return [...openDatabases()].filter(
    (held) => held.path === path || (inode !== null && held.inodes.has(inode)),
  );
}

/**
 * Whether a file belongs to a database that this process has open: then no code but SQLite may open it.
 *
 * @param real its path without symbolic links
 */
export function isOfOpenDatabase(real: string, stat: Pick<BigIntStats, 'dev' | 'ino' | 'nlink'>): boolean {
  if (real.split(sep).includes(ownFolderName) && ownDatabase.test(basename(real))) return true;
  const inode = inodeOf(stat);
  for (const held of openDatabases()) {
    if (isNamedAfter(real, held.path) || held.inodes.has(inode)) return true;
    // Another name (a hard link) of a file that was made since the database was opened.
    if (stat.nlink > 1n && filesOf(held).some((path) => inodeAt(path) === inode)) return true;
  }
  return false;
}

/** {@link isOfOpenDatabase} for a path as it is named, whether or not there is something. */
export function isOfOpenDatabaseAt(path: string): boolean {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return isOfOpenDatabase(realOf(resolve(path)), stat ?? { dev: -1n, ino: -1n, nlink: 0n });
}

/** The error of code that would use it as a file. */
export function ofOpenDatabase(path: string): Error {
  return Object.assign(
    new Error(
      `EDATABASE: ${path} belongs to a database that this process has open, and is not used as a file`,
    ),
    { code: 'EDATABASE', path },
  );
}

function isNamedAfter(real: string, database: string): boolean {
  if (real.startsWith(database) && besideIt.test(real.slice(database.length))) return true;
  return dirname(real) === join(dirname(database), driversFolderName) && isDriverFile(basename(real));
}

function filesOf({ path }: OpenDatabase): string[] {
  return [...endings.map((ending) => `${path}${ending}`), ...driverFiles(dirname(path))];
}

/** The locks and sockets of the drivers of the databases in a folder. */
function driverFiles(folder: string): string[] {
  const drivers = join(folder, driversFolderName);
  try {
    return readdirSync(drivers)
      .filter(isDriverFile)
      .map((name) => join(drivers, name));
  } catch {
    return [];
  }
}

/** Null where there is nothing, or nothing that this user may see. */
function inodeAt(path: string): string | null {
  try {
    return inodeOf(statSync(path, { bigint: true }));
  } catch {
    return null;
  }
}

const inodeOf = ({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>) => `${dev}:${ino}`;

/** The real path of the deepest part that exists, with the rest. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}
