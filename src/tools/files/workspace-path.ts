import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../../protocol/tool.ts';
import { offText } from '../../protocol/views.ts';
import { ownFolderName } from '../../text/files.ts';
import { quoted } from '../../text/wording.ts';
import { databaseMatcher } from './database-files.ts';
import { foldedName } from './guarded-paths.ts';

/** A path that was checked to be in the workspace. */
export interface WorkspacePath {
  /** Absolute, without symbolic links (as far as it exists): the one to open. */
  real: string;
  /** Relative to the workspace, with `/`, for models and people; `.` is the workspace itself. */
  shown: string;
  /** The database, which the file must not be; null when there is none in a file. */
  database: string | null;
}

const maxPathChars = 4096;

/**
 * Resolves a path that a model wrote. With the symbolic links of its existing part resolved it must be in the workspace,
 * outside of the runtime's own folder `.detent` (database, secrets), and no file of the database. The text is taken literally: nothing is decoded
 * or expanded, so `%2e%2e` is an odd file name and does not leave the workspace.
 *
 * Between this and the use of the path, another process can swap a folder for a link: open its folder with `pinFolder`.
 *
 * @param workspace absolute path of an existing folder; null refuses every path.
 * @param database absolute path; null when there is none in a file.
 * @throws ToolFailure `PATH_OUTSIDE_WORKSPACE`, `PATH_RESERVED`, `PATH_INVALID` (not a path on this system),
 * `WORKSPACE_MISSING`, `NO_WORKSPACE`.
 */
export async function resolveInWorkspace(
  workspace: string | null,
  path: string,
  database: string | null,
): Promise<WorkspacePath> {
  if (workspace === null) throw noWorkspace();
  refuseUnusable(path);
  const root = await realRoot(workspace);
  const wanted = resolve(root, path);
  // If the workspace itself is behind a link, the model may know it by either path.
  const inside = isInside(root, wanted) ? wanted : rebased(workspace, root, wanted);
  // Check the text first, so that no file outside is accessed at all.
  if (inside === null) throw outside(path);
  const real = await realOfDeepest(inside, path);
  if (!isInside(root, real)) throw outside(path);
  if ((await isReserved(root, real)) || (await isReserved(root, inside)))
    throw new ToolFailure(
      'PATH_RESERVED',
      `${quoted(path)} is in ${ownFolderName}, the runtime's own folder; no tool may use it`,
    );
  const isDatabase = await databaseMatcher(database);
  if (isDatabase(real) || isDatabase(inside)) throw ofDatabase(path);
  return { real, shown: relative(root, real).split(sep).join('/') || '.', database };
}

/** The failure of a call that uses files for a tenant without a workspace. */
export function noWorkspace(): ToolFailure {
  return new ToolFailure(noWorkspaceCode, withoutWorkspace);
}

export const noWorkspaceCode = 'NO_WORKSPACE';
export const withoutWorkspace = offText('no_workspace');

/** The failure of a call that names a file of the database. */
export function ofDatabase(path: string): ToolFailure {
  return new ToolFailure(
    'PATH_RESERVED',
    `${quoted(path)} belongs to the runtime's own database; no tool may use it`,
  );
}

/** Whether `path` is `root` or under it. Both absolute and normalised. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refuseUnusable(path: string): void {
  const problem = problemOf(path);
  if (problem) throw new ToolFailure('PATH_INVALID', `${quoted(path)} is not a usable path: ${problem}`);
}

function problemOf(path: string): string | null {
  if (path.trim() === '') return 'it is empty; "." is the workspace';
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.length > maxPathChars) return `it is longer than ${maxPathChars} characters`;
  if (path === '~' || path.startsWith('~/'))
    return '"~" is not expanded; give a path relative to the workspace';
  // Legal in file names here, but a model that writes a backslash means a Windows path.
  if (sep === '/' && (path.includes('\\') || /^[A-Za-z]:\//.test(path)))
    return 'Windows paths do not exist here; separate folders with "/"';
  return null;
}

async function realRoot(workspace: string): Promise<string> {
  try {
    return await realpath(workspace);
  } catch (error) {
    throw new ToolFailure('WORKSPACE_MISSING', 'the workspace folder cannot be opened', { cause: error });
  }
}

function rebased(workspace: string, root: string, wanted: string): string | null {
  const named = resolve(workspace);
  return isInside(named, wanted) ? resolve(root, relative(named, wanted)) : null;
}

/** The real path of the deepest part that exists, with the rest (which cannot hold links) put back on. */
async function realOfDeepest(absolute: string, asked: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new ToolFailure('PATH_INVALID', `${quoted(asked)} cannot be resolved (${code})`, {
        cause: error,
      });
  }
  // A link to something that does not exist: writing through it would create that something, wherever it is.
  if (await isLink(absolute)) throw outside(asked, 'it is a symbolic link that leads nowhere');
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(await realOfDeepest(parent, asked), basename(absolute));
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

async function isReserved(root: string, path: string): Promise<boolean> {
  const own = join(root, ownFolderName);
  // On a file system that ignores case, `.Detent` opens the same folder.
  const [first = ''] = relative(root, path).split(sep);
  if (foldedName(first) === ownFolderName) return true;
  const real = await realpath(own).catch(() => own);
  return real !== root && isInside(real, path);
}

function outside(path: string, why = 'file tools only reach files in the workspace'): ToolFailure {
  return new ToolFailure('PATH_OUTSIDE_WORKSPACE', `${quoted(path)} is outside the workspace: ${why}`);
}
