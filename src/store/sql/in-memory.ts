import Sqlite from 'better-sqlite3';
import type { Store } from '../store.ts';
import { DriverStore } from './driver-store.ts';
import { migrate } from './migrate.ts';

/** The name of a database in memory, in place of a path. */
const inMemory = ':memory:';

/** The bytes of an empty database with all migrations: those take longer than all that a short run asks. */
let image: Buffer | null = null;

function emptyDatabase(): Buffer {
  if (image !== null) return image;
  const db = new Sqlite(inMemory);
  migrate(db, inMemory);
  image = db.serialize();
  db.close();
  return image;
}

/**
 * Opens an empty SQLite database in memory, for one Detent of one process. It ends with its store. *
 * @param maxPages as of `SqliteOptions`
 * @example
 * ```ts
 * const store = openInMemory();
 * const { pk } = await store.commit(() => ask('insertSession', { tenant: 1, key: 'chat', user: null, at: Date.now() }));
 * ```
 */
export function openInMemory({ maxPages }: { maxPages?: number } = {}): Store {
  const db = new Sqlite(emptyDatabase());
  db.pragma('foreign_keys = ON');
  db.pragma('locking_mode = EXCLUSIVE');
  if (maxPages !== undefined) db.pragma(`max_page_count = ${Math.trunc(maxPages)}`);
  return new DriverStore(db, inMemory);
}
