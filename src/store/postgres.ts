/** `detent/postgres`: runs in a PostgreSQL database. */
export {
  openPostgres,
  type PostgresOptions,
  type PostgresReport,
  PostgresStore,
} from './postgres/postgres.ts';
