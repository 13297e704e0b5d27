/** The store in the SQLite of any host. */
export type { SqlDriver, SqlStatement } from './sql/driver.ts';
export { openDriver } from './sql/driver-store.ts';
