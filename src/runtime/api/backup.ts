import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { Backup, BackupOptions } from '../../store/sqlite.ts';
import type { Core } from '../config/core.ts';
import { databaseUrl } from '../config/database-file.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/** @internal */
export function backupApi(core: () => Promise<Pick<Core, 'database' | 'store'>>, given: DetentOptions) {
  return async (file: string, options: BackupOptions = {}): Promise<Backup> => {
    if (typeof file !== 'string' || file.trim() === '')
      throw new DetentError('INVALID_ARGUMENTS', 'backup takes the path of the file to write');
    const { database, store } = await core();
    const url = databaseUrl(given);
    if (url !== null) {
      const { backupPostgres } = await import('../../store/postgres.ts');
      return backupPostgres(url, resolve(file), options);
    }
    if (store.openPresence)
      throw new DetentError(
        'NO_DATABASE_FILE',
        'this Detent uses a PostgreSQL store: back it up with backupPostgres of detent/postgres',
      );
    if (database === null || database === ':memory:')
      throw new DetentError(
        'NO_DATABASE_FILE',
        'there is no database file to copy: this Detent keeps its runs elsewhere, or in memory',
      );
    const { backupDatabase } = await import('../../store/sqlite.ts');
    return backupDatabase(database, resolve(file), options);
  };
}
