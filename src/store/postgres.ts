/** `detent/postgres`: runs in a PostgreSQL database. */
export { openPostgres, type PostgresOptions, type PostgresStore } from './postgres/postgres.ts';
