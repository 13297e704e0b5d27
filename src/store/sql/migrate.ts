import { DetentError } from '../../protocol/error.ts';
import { compareMigrations, isAdditive } from '../schema/migrations.ts';
import { compiledMigration, migrationNames, newSchema } from './compiled.ts';
import { inTransaction, type SqlDriver } from './driver.ts';

/** The table that lists the applied migrations. Kysely's Migrator made those of the first databases, hence the name. */
const table = 'kysely_migration';

/**
 * Whether a database has to be migrated before use.
 *
 * @throws DetentError as {@link pendingMigrations}; `DATABASE_OLDER` if it needs a migration but is opened only for reading.
 */
export function needsMigration(db: SqlDriver, file: string, readonly: boolean): boolean {
  if (pendingMigrations(db, file).length === 0) return false;
  if (readonly)
    throw new DetentError(
      'DATABASE_OLDER',
      `database ${file} was written by an older Detent; migrate it first: detent db migrate`,
      { details: { file } },
    );
  return true;
}

/**
 * The migrations that a database lacks. Only reads, so that a file of another program stays as it is.
 *
 * @throws DetentError `DATABASE_NEWER` if a newer Detent has migrated it; `DATABASE_FOREIGN` if another program made the file.
 */
export function pendingMigrations(db: SqlDriver, file: string): readonly string[] {
  // Asked first: another process that makes the database in between adds its tables and their list in one commit.
  const isFilled = hasTables(db);
  const done = applied(db);
  const known = migrationNames;
  if (done.length > 0 ? done[0] !== known[0] : isFilled)
    throw new DetentError(
      'DATABASE_FOREIGN',
      `${file} is a database of another program; name another file (--db)`,
      { details: { file } },
    );
  const { newer, missing } = compareMigrations(known, done);
  if (newer.length > 0)
    throw new DetentError(
      'DATABASE_NEWER',
      `database ${file} was written by a newer Detent (migrations ${newer.join(', ')}); upgrade this program`,
      { details: { file, newer } },
    );
  return missing;
}

interface MigrateOptions {
  /** The migrations that the database shall have. */
  names?: readonly string[];
  /** Throws if others must not be at work in the database meanwhile. Not called if another process was faster, or if all only add. */
  check?: () => void;
}

/**
 * Migrates a database to this program's schema, forward only, in one transaction.
 *
 * @throws DetentError as `needsMigration`, because another process may have migrated the database since then; what `check`
 * throws.
 */
export function migrate(
  db: SqlDriver,
  file: string,
  { names = migrationNames, check = () => {} }: MigrateOptions = {},
): void {
  inTransaction(db, () => {
    if (!needsMigration(db, file, false)) return;
    const { missing } = compareMigrations(names, applied(db));
    if (!missing.every(isAdditive)) check();
    db.exec(
      `create table if not exists "${table}" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)`,
    );
    if (missing.length === migrationNames.length) db.exec(newSchema());
    else
      for (const { sql, parameters } of missing.flatMap(compiledMigration)) db.prepare(sql).run(parameters);
    const settle = db.prepare(`insert into ${table} (name, timestamp) values (?, ?)`);
    for (const name of missing) settle.run([name, new Date().toISOString()]);
  });
}

function applied(db: SqlDriver): string[] {
  const isThere = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get([table]);
  if (!isThere) return [];
  const rows = db.prepare(`select name from ${table} order by name`).all([]) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** Ignores the tables that list the migrations: Kysely's Migrator made them in a commit of their own. */
function hasTables(db: SqlDriver): boolean {
  return (
    db
      .prepare(`select 1 from sqlite_master where tbl_name not in ('${table}', '${table}_lock') limit 1`)
      .get([]) !== undefined
  );
}
