import { resolve } from 'node:path';
import { database } from '../../protocol/config/database.ts';

const inMemory = ':memory:';

/**
 * Where the database of a workspace is.
 *
 * @param file as `database.file` names it: from the workspace, or `:memory:`.
 */
export function databaseFile(file: string | undefined, workspace: string): string {
  return file === inMemory ? file : resolve(workspace, file ?? database.fields.file.default);
}
