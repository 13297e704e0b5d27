import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { makePrivateFile, makePrivateFolder, ownFolderName } from '../../files/private-files.ts';
import { detentHome } from '../../skills/roots.ts';
import { TrustRecords } from './records.ts';

/** Something in a folder that Detent would open, and that this user's Detent did not make. */
export interface ForeignPlace {
  path: string;
  /** As it is now: what a person agrees to. */
  identity: string;
  about: string;
}

interface Places {
  /** The workspace, as it was named. */
  workspace: string;
  /** The database file; `:memory:` is none. */
  database: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** How long making a folder and an empty file may take. */
const makingMs = 60_000;

/**
 * What of the workspace's `.detent` and database this user's Detent did not make: shipped with the folder, copied, or
 * put into the place of what it made. An empty folder and an empty file do nothing, whoever made them.
 */
export function foreignPlaces({ workspace, database, env }: Places): ForeignPlace[] {
  const records = new TrustRecords(env);
  const state = join(workspace, ownFolderName);
  const found: ForeignPlace[] = [];
  const judge = (path: string, about: () => string) => {
    const identity = identityOf(path);
    if (identity === null || isInHome(path, env) || isKnown(records, path, identity)) return;
    found.push({ path, identity, about: about() });
  };
  if (!isEmptyFolder(state)) judge(state, () => 'a folder that this Detent did not make');
  if (database === ':memory:' || !isWithin(workspace, database)) return found;
  if (!isEmptyFile(database))
    judge(database, () => `a database (${sizeOf(database)}) that this Detent did not make`);
  // Detent's databases have none. SQLite would write the pages in it into the database.
  judge(
    `${database}-journal`,
    () => 'a journal that this Detent did not make, which would change the database',
  );
  return found;
}

/** Keeps that a person agreed to these, as they are. */
export function keepPlaces(
  places: readonly Pick<ForeignPlace, 'path' | 'identity'>[],
  { env }: Pick<Places, 'env'>,
): void {
  const records = new TrustRecords(env);
  const at = new Date().toISOString();
  for (const { path, identity } of places) records.keepPlace({ place: placeOf(path), identity, at });
}

/**
 * Makes an empty database file where there is none, and remembers that Detent made it and its folder. Before the first
 * run, because a killed run must find them known.
 */
export function makeDatabase({ workspace, database, env }: Places): void {
  if (database === ':memory:' || identityOf(database) !== null) return;
  const folder = dirname(database);
  if (folder === join(workspace, ownFolderName)) making(folder, env, () => makePrivateFolder(folder));
  else makePrivateFolder(folder);
  making(database, env, () => makePrivateFile(database));
}

/** Remembers what `work` makes of the workspace's `.detent`. */
export async function whileMaking<T>(
  { workspace, env }: Omit<Places, 'database'>,
  work: () => Promise<T>,
): Promise<T> {
  const state = join(workspace, ownFolderName);
  if (identityOf(state) !== null) return work();
  try {
    return await work();
  } finally {
    rememberMade(state, env);
  }
}

/** Says what it makes before it does: another process, or the next one, may meet it before its identity is kept. */
function making(path: string, env: Places['env'], make: () => void): void {
  if (identityOf(path) !== null) return;
  new TrustRecords(env).keepPlace({ place: placeOf(path), identity: null, at: new Date().toISOString() });
  make();
  rememberMade(path, env);
}

function rememberMade(path: string, env: Places['env']): void {
  const identity = identityOf(path);
  if (identity !== null) keepPlaces([{ path, identity }], { env });
}

function isKnown(records: TrustRecords, path: string, identity: string): boolean {
  const known = records.place(placeOf(path));
  if (known === null) return false;
  if (known.identity !== null) return known.identity === identity;
  // Another process makes it now, or was killed while it did.
  const { birthtimeMs } = statSync(path);
  const begun = Date.parse(known.at);
  return birthtimeMs >= begun - 1_000 && birthtimeMs <= begun + makingMs;
}

/** The real path of the parent folder and the name in it: a link counts where it lies, not where it leads. */
export function placeOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Which file or folder it is, of all that ever had this path; null when there is none. A link to nowhere is something. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return [realpathSync(path), dev, ino, birthtimeNs].join(' ');
  } catch {
    return linkIdentityOf(path);
  }
}

/** Of a link to nowhere. */
function linkIdentityOf(path: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true });
    return ['link', dev, ino, birthtimeNs].join(' ');
  } catch {
    return null;
  }
}

/** `$DETENT_HOME` is the user's own folder, also where it is the `.detent` of a workspace: the home folder. */
function isInHome(path: string, env: Places['env']): boolean {
  try {
    const home = realpathSync(detentHome(env));
    return (
      !lstatSync(path).isSymbolicLink() && [path, dirname(path)].some((own) => realpathSync(own) === home)
    );
  } catch {
    return false;
  }
}

function isWithin(folder: string, path: string): boolean {
  const inside = (outer: string, inner: string) => {
    const away = relative(outer, inner);
    return away === '' || (away !== '..' && !away.startsWith(`..${sep}`));
  };
  if (inside(folder, path)) return true;
  try {
    return inside(realpathSync(folder), realpathSync(path));
  } catch {
    return false;
  }
}

/** Git leaves no empty folders; a `.gitignore` alone does nothing either. */
function isEmptyFolder(path: string): boolean {
  try {
    return !lstatSync(path).isSymbolicLink() && readdirSync(path).every((name) => name === '.gitignore');
  } catch {
    return false;
  }
}

function isEmptyFile(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return stat.isFile() && stat.size === 0;
  } catch {
    return false;
  }
}

function sizeOf(path: string): string {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size < 2 ** 20) return `${Math.ceil(size / 1024)} KB`;
  return size < 2 ** 30 ? `${Math.round(size / 2 ** 20)} MB` : `${(size / 2 ** 30).toFixed(1)} GB`;
}
