import type Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { migrationNames } from './compiled.ts';

/**
 * Whether a database has to be migrated before use. Only reads, so that a file of another program stays as it is.
 *
 * @throws DetentError `DATABASE_NEWER` if a newer Detent has migrated it; `DATABASE_OLDER` if it needs a migration but
 * is opened only for reading; `DATABASE_FOREIGN` if another program made the file.
 */
export function needsMigration(db: Sqlite.Database, file: string, readonly: boolean): boolean {
  const done = applied(db);
  const known = migrationNames;
  if (done.length > 0 ? done[0] !== known[0] : hasTables(db))
    throw new DetentError(
      'DATABASE_FOREIGN',
      `${file} is a database of another program; name another file (--db)`,
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
      `database ${file} was written by an older Detent; migrate it first with a command that writes: detent runs resume --all`,
      { details: { file } },
    );
  return true;
}

/** Migrates a database to this program's schema, forward only. */
export async function migrate(db: Sqlite.Database): Promise<void> {
  // Load the Migrator only when it is needed.
  const { Kysely, SqliteDialect } = await import('kysely');
  const { Migrator } = await import('kysely/migration');
  const { migrations } = await import('./migrations.ts');
  // Do not call destroy(): it would close our handle. The garbage collector frees this Kysely.
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

/** Ignores the Migrator's own tables: it creates them first, and a process killed right then leaves only them. */
function hasTables(db: Sqlite.Database): boolean {
  return (
    db
      .prepare(
        "select 1 from sqlite_master where tbl_name not in ('kysely_migration', 'kysely_migration_lock') limit 1",
      )
      .get() !== undefined
  );
}
