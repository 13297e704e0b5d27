import { join, resolve } from 'node:path';

const inMemory = ':memory:';

/**
 * Where the database of a workspace is.
 *
 * @param file as `database.file` names it: from the workspace, or `:memory:`. Default: `.detent/detent.db`.
 */
export function databaseFile(file: string | undefined, workspace: string): string {
  if (file === inMemory) return file;
  return file === undefined ? join(workspace, '.detent', 'detent.db') : resolve(workspace, file);
}
