import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { TenantRow } from '../../store/rows.ts';
import { ownFolderName } from '../../text/files.ts';

/** The folders and files of the user of this program, which no other tenant may have; absolute paths. */
export interface OwnPlaces {
  /** The folder that was opened. */
  workspace: string;
  /** Null for a store without a file. */
  database: string | null;
  /** `DETENT_HOME`. */
  home: string;
}

/**
 * The real path of a folder that a tenant is to have as its workspace.
 *
 * @throws DetentError `INVALID_WORKSPACE` when it is no folder, lies in a `.detent`, contains the database, or when one of
 * it and the folder that was opened or `DETENT_HOME` contains the other.
 */
export async function realWorkspace(path: string, own: OwnPlaces): Promise<string> {
  const folder = await realpath(resolve(path)).catch((error: NodeJS.ErrnoException) => {
    throw unusable(path, error.code === 'ENOENT' ? 'there is no such folder; make it first' : error.message);
  });
  if (!(await stat(folder)).isDirectory()) throw unusable(path, 'it is not a folder');
  if (folder.split(sep).includes(ownFolderName))
    throw unusable(path, `it is in ${ownFolderName}, the runtime's own folder`);
  const { workspace, database, home } = await realPlaces(own);
  if (overlap(folder, workspace))
    throw unusable(
      path,
      `it shares files with ${workspace}, the workspace of tenant 1; use a folder beside that`,
    );
  if (database !== null && isWithin(folder, database))
    throw unusable(path, `the database ${database} is in it`);
  if (overlap(folder, home)) throw unusable(path, `it shares files with ${home}, Detent's own settings`);
  return folder;
}

/**
 * Refuses a folder that shares files with the workspace of another tenant.
 *
 * @param folder without symbolic links, as those of the rows are
 * @throws DetentError `INVALID_WORKSPACE`.
 */
export function refuseShared(folder: string, others: readonly TenantRow[]): void {
  const other = others.find(({ workspace }) => workspace !== null && overlap(folder, workspace));
  if (other)
    throw unusable(
      folder,
      `it shares files with ${other.workspace}, the workspace of tenant ${JSON.stringify(other.name)}; use another folder`,
    );
}

/**
 * Finds stored workspaces that this process must not use, because its own folder, its database or `DETENT_HOME` is in
 * them.
 *
 * @returns the error for such a tenant; null for all others
 */
export async function placeGuard(own: OwnPlaces): Promise<(tenant: TenantRow) => DetentError | null> {
  const { workspace: opened, database, home } = await realPlaces(own);
  return ({ name, workspace }) => {
    const inner = [opened, database, home].find(
      (place) => workspace !== null && place !== null && isWithin(workspace, place),
    );
    return inner
      ? unusable(
          String(workspace),
          `${inner} of this process is in it; open another folder, or ${fixOf(name)}`,
        )
      : null;
  };
}

/**
 * Refuses a stored workspace when a link has taken its place since, or that of the folder `.detent` in it, where the index of
 * the memory is.
 *
 * @throws DetentError `INVALID_WORKSPACE`.
 */
export async function refuseMoved({ name, workspace }: TenantRow): Promise<void> {
  if (workspace === null) return;
  const real = await realpath(workspace).catch(() => workspace);
  if (real !== workspace) throw unusable(workspace, `it leads to ${real} now; ${fixOf(name)}`);
  const own = await lstat(join(workspace, ownFolderName)).catch(() => null);
  if (own && !own.isDirectory())
    throw unusable(workspace, `its ${ownFolderName} is not a folder; remove that`);
}

const fixOf = (name: string) => `set it again: detent tenant set ${name} --workspace DIR`;

async function realPlaces({ workspace, database, home }: OwnPlaces): Promise<OwnPlaces> {
  return {
    workspace: await realOf(workspace),
    database:
      database === null ? null : resolve(await realOf(dirname(database)), database.split(sep).at(-1) ?? ''),
    home: await realOf(home),
  };
}

/** Of a path whose last parts may not exist. */
async function realOf(path: string): Promise<string> {
  const absolute = resolve(path);
  const parent = dirname(absolute);
  return realpath(absolute).catch(async () =>
    parent === absolute
      ? absolute
      : resolve(await realOf(parent), absolute.slice(parent.length).replace(sep, '')),
  );
}

function overlap(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

/** Whether a path is a folder or in it. File systems may ignore case, so names that differ in case alone are one. */
function isWithin(folder: string, path: string): boolean {
  const outer = fold(folder).endsWith(sep) ? fold(folder) : `${fold(folder)}${sep}`;
  return `${fold(path)}${sep}`.startsWith(outer);
}

const fold = (path: string) => path.normalize('NFKC').toLowerCase();

function unusable(path: string, why: string): DetentError {
  return new DetentError('INVALID_WORKSPACE', `${path} cannot be a tenant's workspace: ${why}`, {
    details: { workspace: path },
  });
}
