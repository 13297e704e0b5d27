import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { driversFolderName, isDriverFile } from '../../text/files.ts';
import { foldedName } from './guarded-paths.ts';

/** What follows the name of a database in the names of the files that SQLite and Detent keep beside it. */
const endings = ['', '-wal', '-shm', '-journal', '-lock'];
const besideIt = /^-(wal|shm|journal|mj|lock|driver|sock)/;

function databaseFiles(database: string): string[] {
  return endings.map((ending) => `${database}${ending}`);
}

/**
 * Returns a function that tells whether a path names the database or a file that belongs to it: its log, its search
 * indexes, the locks and sockets of its drivers. (Other files in their folder may be the workspace's own, when the database
 * lies at its top.) It takes absolute paths without symbolic links.
 *
 * @param database null matches nothing.
 */
export async function databaseMatcher(database: string | null): Promise<(path: string) => boolean> {
  if (database === null) return () => false;
  const places = (await placesOf(database)).map((place) => ({
    folder: dirname(place),
    owns: namesOf(basename(place)),
  }));
  return (path) =>
    places.some(({ folder, owns }) => {
      const [name = '', inner] = relative(folder, path).split(sep);
      if (name === '..') return false;
      const own = foldedName(name);
      return (
        owns(own) || (own === driversFolderName && inner !== undefined && isDriverFile(foldedName(inner)))
      );
    });
}

/** Whether a file is one of the database's under another name: a hard link. */
export async function isDatabaseLink(
  { dev, ino, nlink }: { dev: bigint; ino: bigint; nlink: bigint },
  database: string,
): Promise<boolean> {
  if (nlink < 2n) return false;
  for (const file of databaseFiles(database)) {
    const own = await stat(file, { bigint: true }).catch(() => null);
    if (own && own.ino === ino && own.dev === dev) return true;
  }
  return false;
}

/** Where the database is: its path may be a link, and SQLite keeps its files beside the target. */
export async function placesOf(database: string): Promise<string[]> {
  const folder = dirname(database);
  const real = await realpath(folder).catch(() => folder);
  const named = join(real, basename(database));
  const target = await realpath(named).catch(() => named);
  return [...new Set([named, target])];
}

function namesOf(database: string): (name: string) => boolean {
  const own = foldedName(database);
  const index = `${parse(own).name}.search-`;
  return (name) => {
    if (name.startsWith(own)) return name === own || besideIt.test(name.slice(own.length));
    return name.startsWith(index) && /^\d+\.db/.test(name.slice(index.length));
  };
}
