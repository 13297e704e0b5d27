import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

const writableByOthers = 0o022;
const sticky = 0o1000;
const runsAsOther = 0o6000;

/** Null where the system does not say who a process belongs to. */
const userId = () => process.getuid?.() ?? null;

/** The folders above a path, the nearest first. */
export function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** The folders from a file up to the one that it lies in somewhere, with that one. */
export function foldersBetween(folder: string, file: string): string[] {
  return foldersAbove(file).filter((above) => above === folder || above.startsWith(`${folder}/`));
}

/**
 * Why another user could have written one of these files, or put another in its place: by their modes and owners as they
 * are now.
 *
 * @param folder its real path
 * @param files in the folder, by paths without links; folders among them
 */
export function othersWhoWrite(folder: string, files: readonly string[]): string[] {
  if (userId() === null) return ['this system does not say who can write a file'];
  const inside = new Set([folder, ...files.flatMap((file) => foldersBetween(folder, file))]);
  return [
    ...foldersAbove(folder).flatMap((above) => whyShared(above, true)),
    ...[...inside].flatMap((own) => whyShared(own, false)),
    ...[...new Set([...files, ...packageFiles(folder, files)])].flatMap((file) => [
      ...whyShared(file, !file.startsWith(`${folder}/`)),
      ...whyNamedTwice(file),
    ]),
  ];
}

/** They say where the names in imports lead. */
export function packageFiles(folder: string, files: readonly string[]): string[] {
  const around = files.flatMap((file) => foldersBetween(folder, file));
  return [...new Set([...foldersAbove(folder), folder, ...around])]
    .map((above) => join(above, 'package.json'))
    .filter(isThere);
}

function whyShared(path: string, isAbove: boolean): string[] {
  const stat = lstatSync(path);
  const { uid, mode } = stat;
  if (stat.isSymbolicLink()) return [`${path} is a link`];
  // Root writes everywhere anyway. In a folder above with the sticky bit nobody else can move what is ours.
  if (uid !== userId() && !(isAbove && uid === 0)) return [`${path} belongs to another user`];
  const isGuarded = isAbove && (mode & sticky) !== 0;
  return (mode & writableByOthers) !== 0 && !isGuarded ? [`other users can write ${path} (chmod go-w)`] : [];
}

/** Ways in which a file is written or acts under another name than its own. */
function whyNamedTwice(path: string): string[] {
  const stat = lstatSync(path);
  if (!stat.isFile()) return [];
  if (stat.nlink > 1) return [`${path} has a second name (a hard link)`];
  return (stat.mode & runsAsOther) === 0 ? [] : [`${path} has the setuid or setgid bit`];
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
