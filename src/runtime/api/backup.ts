import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { Backup, BackupOptions } from '../../store/sqlite.ts';
import type { Core } from '../config/core.ts';

/** @internal */
export function backupApi(core: () => Promise<Pick<Core, 'database' | 'store'>>) {
  return async (file: string, options: BackupOptions = {}): Promise<Backup> => {
    if (typeof file !== 'string' || file.trim() === '')
      throw new DetentError('INVALID_ARGUMENTS', 'backup takes the path of the file to write');
    const { database, store } = await core();
    if (store.openPresence)
      throw new DetentError(
        'NO_DATABASE_FILE',
        'the runs are in PostgreSQL, which is backed up by its own means: pg_dump, or a snapshot of the server',
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
