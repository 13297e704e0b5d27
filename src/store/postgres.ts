/** `detent/postgres`: runs in a PostgreSQL database. */
export {
  backupPostgres,
  type Copied,
  type CopyOptions,
  copyDatabase,
  type DatabaseStatus,
  databaseStatus,
} from './copy/copy.ts';
export {
  openPostgres,
  type PostgresOptions,
  type PostgresReport,
  PostgresStore,
} from './postgres/postgres.ts';
