import { resolve } from 'node:path';
import { defaults } from '../../protocol/enums.ts';

const inMemory = ':memory:';

/**
 * The path of a workspace's database.
 *
 * @param file the value of `database.file`: relative to the workspace, or `:memory:`.
 */
export function databaseFile(file: string | undefined, workspace: string): string {
  return file === inMemory ? file : resolve(workspace, file ?? defaults.database.file);
}

/** Of the path of a database, the file; null when it is in memory, or in no file. */
export function fileOfDatabase(database: string | null): string | null {
  return database === inMemory ? null : database;
}
