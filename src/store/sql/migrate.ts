import type Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { migrationNames } from './compiled.ts';

/**
 * Whether a database has to be migrated before it is used. Changes nothing, so that a file which is not ours stays as
 * it was.
 *
 * @throws DetentError `DATABASE_NEWER` when a newer program has migrated it; `DATABASE_OLDER` when it would have to be
 * changed but may only be read; `DATABASE_FOREIGN` when the file is some other program's.
 */
export function needsMigration(db: Sqlite.Database, file: string, readonly: boolean): boolean {
  const done = applied(db);
  const known = migrationNames;
  if (done.length > 0 ? done[0] !== known[0] : hasTables(db))
    throw new DetentError(
      'DATABASE_FOREIGN',
      `${file} is a database of some other program; name another file (--db)`,
      { details: { file } },
    );
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0)
    throw new DetentError(
      'DATABASE_NEWER',
      `database ${file} was written by a newer Detent (migrations ${newer.join(', ')}); upgrade this program`,
      { details: { file, newer } },
    );
  if (done.length === known.length) return false;
  if (readonly)
    throw new DetentError(
      'DATABASE_OLDER',
      `database ${file} was written by an older Detent; let a command that writes migrate it first ("detent runs resume --all")`,
      { details: { file } },
    );
  return true;
}

/** Brings a database to this program's schema, forward only. */
export async function migrate(db: Sqlite.Database): Promise<void> {
  // Only a new database pays for loading the Migrator.
  const { Kysely, SqliteDialect } = await import('kysely');
  const { Migrator } = await import('kysely/migration');
  const { migrations } = await import('./migrations.ts');
  // destroy() would close our handle; nobody else holds this Kysely, so it is simply dropped.
  const k = new Kysely<unknown>({ dialect: new SqliteDialect({ database: db }) });
  const { error } = await new Migrator({
    db: k,
    provider: { getMigrations: async () => ({ ...migrations }) },
  }).migrateToLatest();
  if (error) throw error;
}

function applied(db: Sqlite.Database): string[] {
  const table = db
    .prepare("select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'")
    .get();
  if (!table) return [];
  return db.prepare('select name from kysely_migration order by name').pluck().all() as string[];
}

/** Leaves out the Migrator's own tables: it makes them first, and a process killed right then leaves only them. */
function hasTables(db: Sqlite.Database): boolean {
  return (
    db
      .prepare(
        "select 1 from sqlite_master where tbl_name not in ('kysely_migration', 'kysely_migration_lock') limit 1",
      )
      .get() !== undefined
  );
}
