import { resolve } from 'node:path';
import { defaults } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';

import { isPostgresUrl } from '../../text/wording.ts';
import type { DetentOptions } from './detent-options.ts';

export const inMemory = ':memory:';

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

/**
 * The address of the server that has the runs; null where a file has them, or a store of the program. What the options name counts before `DATABASE_URL`.
 *
 * @throws DetentError `INVALID_CONFIG` for the address of another kind of database.
 */
export function databaseUrl({
  database: { url, file } = {},
  env = process.env,
  store,
}: Pick<DetentOptions, 'database' | 'env' | 'store'>): string | null {
  if (store !== undefined) return null;
  const named = url ?? (file === undefined ? env.DATABASE_URL : undefined);
  if (!named) return null;
  if (isPostgresUrl(named)) return named;
  // Without the address, which may hold a password.
  throw new DetentError(
    'INVALID_CONFIG',
    `${url === undefined ? 'the variable DATABASE_URL' : 'database.url (or the variable DATABASE_URL)'} is not the address of a PostgreSQL database: postgres://user:password@host:port/database. Other servers are not supported; without it, runs are kept in a SQLite file (database.file, --db)`,
  );
}

/**
 * Refuses to be one of several kinds of processes where one process, or one machine, has the database to itself.
 *
 * @param what asks for it
 * @throws DetentError `INVALID_CONFIG`.
 */
export function refuseWithoutServer(
  options: Pick<DetentOptions, 'database' | 'env' | 'store'>,
  what: string,
): void {
  if (typeof options.store === 'object' ? options.store.openPresence : databaseUrl(options) !== null) return;
  throw new DetentError(
    'INVALID_CONFIG',
    `${what} needs a PostgreSQL database, which other processes share: set DATABASE_URL (see docs/postgres.md)`,
  );
}
