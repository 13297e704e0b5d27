import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolFailure } from '../../protocol/tool.ts';
import { driversFolderName, isDriverFile, makePrivateFile, ownFolderName } from '../../text/files.ts';
import { databaseMatcher, placesOf } from './database-files.ts';
import { executorOf } from './guarded-paths.ts';
import { isInside } from './workspace-path.ts';

/** A workspace can be large. What lies deeper, or behind so many folders, is not found, unless it is named. */
const maxDepth = 6;
const maxFolders = 2_000;
const maxFound = 200;

/**
 * The guarded files and folders that a workspace has, those near its top first. Not what is in a guarded folder, and not
 * what packages bring (`node_modules`).
 *
 * @param workspace absolute, without symbolic links.
 * @param guarded further files and folders, absolute.
 * @returns absolute, without symbolic links, all in the workspace.
 */
export async function findGuarded(workspace: string, guarded: readonly string[]): Promise<string[]> {
  const given = await Promise.all(guarded.map((path) => realpath(path).catch(() => null)));
  const named = given.filter((path) => path !== null && isStrictlyInside(workspace, path)) as string[];
  const found = new Set<string>();
  let folders: string[][] = [[]];
  let opened = 0;
  for (let depth = 0; depth < maxDepth && folders.length > 0; depth++) {
    const next: string[][] = [];
    for (const folder of folders) {
      if (opened++ >= maxFolders || found.size >= maxFound) return [...new Set([...named, ...found])];
      const entries = await readdir(join(workspace, ...folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const segments = [...folder, entry.name];
        if (segments[0] === ownFolderName || entry.name === 'node_modules') continue;
        if (executorOf(segments) !== null) {
          const real = await realpath(join(workspace, ...segments)).catch(() => null);
          if (real !== null && isStrictlyInside(workspace, real)) found.add(real);
        } else if (entry.isDirectory()) next.push(segments);
      }
    }
    folders = next;
  }
  return [...new Set([...named, ...found])];
}

function isStrictlyInside(root: string, path: string): boolean {
  return path !== root && isInside(root, path);
}

/** The folder of the drivers' locks and sockets, if it has nothing else; else each of these. */
async function driversIn(folder: string): Promise<string[]> {
  const drivers = join(folder, driversFolderName);
  const names = await readdir(drivers).catch(() => []);
  const own = names.filter(isDriverFile);
  // Commands that run for long must not meet those of a later driver either.
  if (own.length > 0 && own.length === names.length) return [drivers];
  return own.map((name) => join(drivers, name));
}

/**
 * The files and folders of a database that commands in the workspace must not open; absolute. A missing rollback journal is made,
 * empty: with a journal of its own a command could have SQLite change the database when it is opened next.
 *
 * @param workspace absolute, without symbolic links.
 * @throws ToolFailure `SANDBOX_UNAVAILABLE` when the database has a second name, because that cannot be found.
 */
export async function findDatabase(workspace: string, database: string | null): Promise<string[]> {
  if (database === null) return [];
  const own = await stat(database).catch(() => null);
  if (own && own.nlink > 1)
    throw new ToolFailure(
      'SANDBOX_UNAVAILABLE',
      'commands cannot be run: the database has a second name (a hard link), by which they could open it; remove that',
    );
  const isDatabase = await databaseMatcher(database);
  const files: string[] = [];
  for (const place of await placesOf(database)) {
    const folder = dirname(place);
    if (!isInside(workspace, folder) || isInside(join(workspace, ownFolderName), folder)) continue;
    makePrivateFile(`${place}-journal`);
    files.push(...(await readdir(folder)).map((name) => join(folder, name)).filter(isDatabase));
    files.push(...(await driversIn(folder)));
  }
  return files;
}
