import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { detentHome, makePrivateFile, makePrivateFolder, ownFolderName } from '../text/files.ts';
import { TrustRecords } from './records.ts';

/** Something in a folder that Detent would open, and that this user's Detent did not make. */
export interface ForeignPlace {
  path: string;
  /** As it is now: what a person agrees to. */
  identity: string;
  /** `a database`. */
  what: string;
  /** What it could do, and its size. */
  about: string;
}

interface Places {
  /** The workspace, as it was named. */
  workspace: string;
  /** The database file; `:memory:` is none. */
  database: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** What is younger than this may be looked at again, so often, with so much time in between. */
const newMs = 2_000;
const maxLooks = 20;
const lookAgainMs = 50;

/** How long making a folder and an empty file may take. */
const makingMs = 60_000;

/**
 * What of the workspace's `.detent` and database this user's Detent did not make: shipped with the folder, copied, or
 * put into the place of what it made. An empty folder and an empty file do nothing, whoever made them.
 */
export async function foreignPlaces(places: Places): Promise<ForeignPlace[]> {
  const records = new TrustRecords(places.env);
  for (let tries = 0; ; tries++) {
    const found = await foreignNow(places);
    const mayAllBeDetents = found.every(({ path }) => mayBeInTheMaking(path, records));
    if (found.length === 0 || tries === maxLooks || !mayAllBeDetents) return found;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

/**
 * Whether another command may be making it at this moment, and keeps its identity in the next one. A command announces
 * what it makes: what has no record came from elsewhere, however new it is.
 */
function mayBeInTheMaking(path: string, records: TrustRecords): boolean {
  const { birthtimeMs = 0 } = lstatSync(path, { throwIfNoEntry: false }) ?? { birthtimeMs: Date.now() };
  return Date.now() - birthtimeMs < newMs && records.place(realParentPath(path)) !== null;
}

async function foreignNow({ workspace, database, env }: Places): Promise<ForeignPlace[]> {
  const records = new TrustRecords(env);
  const foreign = (path: string, what: string, about: string): ForeignPlace[] => {
    const identity = identityOf(path);
    if (identity === null || isInHome(path, env) || isKnown(records, path, identity)) return [];
    return [{ path, identity, what, about }];
  };
  const state = join(workspace, ownFolderName);
  const found = isEmptyFolder(state) ? [] : foreign(state, 'a folder', 'its history and indexes are used');
  if (database === ':memory:' || !isWithin(workspace, database)) return found;
  if (!isEmptyFile(database))
    found.push(
      ...foreign(
        database,
        'a database',
        `${sizeOf(database)}; work that waits in it can continue without asking`,
      ),
    );
  const playedBack = 'SQLite would play it back into the database';
  // Detent's databases have no journal.
  found.push(...foreign(journalOf(database), 'a journal', playedBack));
  const log = logOf(database);
  const logs = isEmptyFile(log) ? [] : foreign(log, 'a write-ahead log', playedBack);
  // Where something is foreign already, no lock is opened either.
  if (found.length > 0 || (logs.length > 0 && !(await isOpen(database)))) found.push(...logs);
  return found;
}

/** Keeps that a person agreed to these, as they are. */
export function keepPlaces(
  places: readonly Pick<ForeignPlace, 'path' | 'identity'>[],
  { env }: Pick<Places, 'env'>,
): void {
  const records = new TrustRecords(env);
  const at = new Date().toISOString();
  for (const { path, identity } of places) records.keepPlace({ place: realParentPath(path), identity, at });
}

/** Makes the workspace's `.detent` where there is none, and remembers that Detent made it. */
export function makeState({ workspace, env }: Omit<Places, 'database'>): void {
  const state = join(workspace, ownFolderName);
  making(state, env, () => makePrivateFolder(state));
  if (isEmptyFolder(state)) rememberMade(state, env);
}

/** Makes the folder of a database. */
export function makeFolderOf({ workspace, database, env }: Places): void {
  const folder = dirname(database);
  if (folder === join(workspace, ownFolderName)) makeState({ workspace, env });
  else makePrivateFolder(folder);
}

/**
 * Makes an empty database file where there is none, and remembers that Detent made it and its folder. Before the first
 * run, because a killed run must find them known. An empty folder or file that is there already becomes Detent's.
 */
export function makeDatabase({ workspace, database, env }: Places): void {
  if (database === ':memory:') return;
  const state = join(workspace, ownFolderName);
  if (identityOf(database) === null) {
    makeFolderOf({ workspace, database, env });
    making(database, env, () => makePrivateFile(database));
  }
  if (isEmptyFolder(state)) rememberMade(state, env);
  if (isEmptyFile(database)) {
    rememberMade(database, env);
    // SQLite has a journal for as long as it makes the write-ahead log the way in which the database is written.
    announce(journalOf(database), env);
  }
  // SQLite makes it when it opens the database: a process that is killed until then leaves one, too.
  if (identityOf(logOf(database)) === null) announce(logOf(database), env);
}

/**
 * Remembers which write-ahead log belongs to the database, once it is open for writing: SQLite deletes the log with the
 * last connection, and would play back one that was put there since.
 */
export function rememberLog({ database, env }: Omit<Places, 'workspace'>): void {
  if (database === ':memory:') return;
  rememberMade(logOf(database), env);
  new TrustRecords(env).forgetPlace(realParentPath(journalOf(database)));
}

/** Remembers what `work` makes of the workspace's `.detent`. */
export async function whileMaking<T>(
  { workspace, env }: Omit<Places, 'database'>,
  work: () => Promise<T>,
): Promise<T> {
  const state = join(workspace, ownFolderName);
  const isThere = identityOf(state) !== null;
  if (isThere && !isEmptyFolder(state)) return work();
  if (isThere) rememberMade(state, env);
  else announce(state, env);
  try {
    return await work();
  } finally {
    if (identityOf(state) === null) new TrustRecords(env).forgetPlace(realParentPath(state));
    else rememberMade(state, env);
  }
}

/** Says what it makes before it does: another process, or the next one, may meet it before its identity is kept. */
function making(path: string, env: Places['env'], make: () => void): void {
  if (identityOf(path) !== null) return;
  announce(path, env);
  make();
  rememberMade(path, env);
}

function announce(path: string, env: Places['env']): void {
  new TrustRecords(env).keepPlace({
    place: realParentPath(path),
    identity: null,
    at: new Date().toISOString(),
  });
}

/** Remembers what Detent made at a path: a copy of the database, for one. */
export function rememberMade(path: string, env: Places['env']): void {
  const identity = identityOf(path);
  if (identity === null || new TrustRecords(env).place(realParentPath(path))?.identity === identity) return;
  keepPlaces([{ path, identity }], { env });
}

/** A program that holds the database open owns its log. */
async function isOpen(database: string): Promise<boolean> {
  const { isDriven } = await import('../cluster/living-drivers.ts');
  return isDriven(database);
}

const logOf = (database: string) => `${database}-wal`;
const journalOf = (database: string) => `${database}-journal`;

function isKnown(records: TrustRecords, path: string, identity: string): boolean {
  const known = records.place(realParentPath(path));
  if (known === null) return false;
  if (known.identity !== null) return known.identity === identity;
  // Another process makes it now, or was killed while it did.
  const made = statSync(path, { throwIfNoEntry: false });
  // SQLite of that process has just deleted its journal.
  if (made === undefined) return true;
  const { birthtimeMs } = made;
  const begun = Date.parse(known.at);
  return birthtimeMs >= begun - 1_000 && birthtimeMs <= begun + makingMs;
}

/** The real path of the parent folder and the name in it: a link counts where it lies, not where it leads. */
export function realParentPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Which file or folder it is, of all that ever had this path; null when there is none. A link to nowhere is something. */
export function identityOf(path: string): string | null {
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
