import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, parse, resolve, sep } from 'node:path';

/** The name of the folder that Detent keeps in a workspace. */
export const ownFolderName = '.detent';

const folderMode = 0o700;
export const privateFileMode = 0o600;
const ofOthers = 0o077;

/**
 * Makes a folder that only its owner can open, whatever the umask. If it is a `.detent` folder or below one, what is in
 * `.detent` becomes private if it was not, and git ignores it. Any other folder that exists stays as it is.
 *
 * @throws what the file system throws.
 */
export function makePrivateFolder(folder: string): void {
  makeFolders(folder);
  const own = ownFolderOf(resolve(folder));
  if (own === null) return;
  tightenTree(own);
  const ignore = join(own, '.gitignore');
  if (!existsSync(ignore)) attempt(() => writeFileSync(ignore, '*\n', { mode: privateFileMode }));
}

/** The same for a folder in the user's own settings (`DETENT_HOME`), where the user decides what git ignores. */
export function makeFolderInHome(home: string, folder: string): void {
  makeFolders(folder);
  tightenTree(home);
}

/**
 * Makes a file that only its owner can read, whatever the umask, or makes an existing one of this user private. SQLite
 * gives the files that it keeps beside a database the permissions of the database.
 *
 * @throws what the file system throws.
 */
export function makePrivateFile(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat) {
    // Do not open a file that exists: closing it would release the locks that SQLite holds on it in this process.
    if (stat.isFile()) tighten(file, stat);
    return;
  }
  try {
    const fd = openSync(file, 'wx', privateFileMode);
    attempt(() => fchmodSync(fd, privateFileMode));
    closeSync(fd);
  } catch (error) {
    // Another process made it first, or it is a link to a file that does not exist yet.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether a path leads into a `.detent` folder. */
export function isInOwnFolder(path: string): boolean {
  return ownFolderOf(resolve(path)) !== null;
}

/** The outermost `.detent` folder on a path; null when there is none. */
function ownFolderOf(path: string): string | null {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  const at = names.indexOf(ownFolderName);
  return at < 0 ? null : join(root, ...names.slice(0, at + 1));
}

/**
 * One at a time: Node's own `recursive` never ends below a folder that takes none and says `ENOENT`, as `/proc` does. The umask
 * may have taken from the mode what the owner needs.
 */
function makeFolders(folder: string): void {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: folderMode });
  } catch (error) {
    // Another process made it first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory()) return;
    throw error;
  }
  attempt(() => chmodSync(path, folderMode));
}

/** Makes a folder private, and all that is in it, if others could open it. A link is not followed. */
function tightenTree(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || !isLoose(stat) || isShared(folder, stat)) return;
  tighten(folder, stat);
  tightenBelow(folder);
}

function tightenBelow(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat || stat.isSymbolicLink()) continue;
    tighten(path, stat);
    if (stat.isDirectory()) tightenBelow(path);
  }
}

/** Takes the permissions of others away. The files of another user stay as they are. */
function tighten(path: string, stat: Stats): void {
  if (isLoose(stat) && stat.uid === process.getuid?.())
    attempt(() => chmodSync(path, stat.mode & 0o7777 & ~ofOthers));
}

/** Some file systems are read-only, or have no permissions (FAT): what can be used there is used. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}

function isLoose({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & ofOthers) !== 0;
}

/** Other programs use the folder too: the user's home, a file system, one with the sticky bit such as `/tmp`. */
function isShared(folder: string, { mode }: Stats): boolean {
  const path = resolve(folder);
  return (mode & 0o1000) !== 0 || path === resolve(homedir()) || path === parse(path).root;
}
