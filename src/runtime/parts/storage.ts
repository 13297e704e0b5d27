import { join, resolve } from 'node:path';
import type { Store } from '../../store/store.ts';
import { detentHome } from '../../text/files.ts';
import { shortHash } from '../../text/ids.ts';
import { shownDatabase } from '../../text/wording.ts';
import { databaseFile, databaseUrl } from '../config/database-file.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { OpenedStore } from './store.ts';

/** The opened database: the part of a Detent that listings need, and that all other parts are opened over. */
export interface Storage {
  /** The database file; null for a store that Detent did not open from a file. */
  file: string | null;
  /** Beside which file the indexes of conversations lie; null where they are in memory. */
  indexes: string | null;
  opened: OpenedStore;
  /** The store of `opened`, as the other parts see it. */
  store: Store;
  close(): Promise<void>;
}

/**
 * Opens the store.
 *
 * @param decorate a test hook between the store and the other parts
 * @throws DetentError as the store and its lock do.
 */
export async function openStorage(
  options: DetentOptions,
  decorate: (store: Store) => Store = (store) => store,
): Promise<Storage> {
  const isOwn = options.store === undefined;
  const url = databaseUrl(options);
  const file =
    isOwn && url === null ? databaseFile(options.database?.file, resolve(options.workspace ?? '.')) : null;
  const { openStore } = await import('./store.ts');
  const held = file === null ? null : await holdFile(file);
  try {
    const opened = await openStore(options, url ?? file);
    held?.note();
    return {
      file,
      indexes: indexPlace(file, url, options.env ?? process.env),
      opened,
      store: decorate(opened.store),
      async close() {
        try {
          await opened.close();
        } finally {
          held?.close();
        }
      },
    };
  } catch (error) {
    held?.close();
    throw error;
  }
}

/** Before the store opens it. @throws DetentError `DATABASE_SECOND_COPY`. */
async function holdFile(file: string) {
  const { holdInProcess } = await import('../../store/sqlite.ts');
  return holdInProcess(file);
}

/** Beside which file the indexes of conversations lie: those of a server in the settings of this user of the machine. */
function indexPlace(file: string | null, url: string | null, env: NodeJS.ProcessEnv): string | null {
  return url === null ? file : join(detentHome(env), 'servers', `${shortHash(shownDatabase(url))}.db`);
}
