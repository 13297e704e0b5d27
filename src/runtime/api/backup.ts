import { resolve } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import type { Backup, BackupOptions } from '../../store/sqlite.ts';
import type { Core } from '../config/core.ts';

/** @internal */
export function backupApi(core: () => Promise<Pick<Core, 'database'>>) {
  return async (file: string, options: BackupOptions = {}): Promise<Backup> => {
    if (typeof file !== 'string' || file.trim() === '')
      throw new DetentError('INVALID_ARGUMENTS', 'backup takes the path of the file to write');
    const { database } = await core();
    if (database === null || database === ':memory:')
      throw new DetentError(
        'NO_DATABASE_FILE',
        'there is no database file to copy: this Detent keeps its runs elsewhere, or in memory',
      );
    const { backupDatabase } = await import('../../store/sqlite.ts');
    return backupDatabase(database, resolve(file), options);
  };
}
