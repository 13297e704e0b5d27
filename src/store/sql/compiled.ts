import Sqlite from 'better-sqlite3';
import { Kysely, SqliteAdapter, SqliteQueryCompiler } from 'kysely';
import { type CompiledStatement, compileFor } from '../query/compile.ts';
import { Compiling } from '../query/compiling.ts';
import type { Database } from '../query/database.ts';
import { type Dialect, sqliteDialect } from '../query/dialect.ts';
import type { Statement } from '../query/statement.ts';
import { type StatementName, statements } from '../statements.ts';
import { migrations } from './migrations.ts';

/*
 * Run from source, this module compiles a statement when it is first asked. In `dist/` stands what it answers, printed by
 * scripts/build/statements.ts, and no Kysely.
 */

/** One statement of a migration. */
interface MigrationStep {
  sql: string;
  parameters: readonly unknown[];
}

/**
 * Writes parameters as `+?`. The sign changes no value, but hides it from the query planner. Otherwise SQLite builds
 * with STAT4, as better-sqlite3's is, plan most selects again for every new value: 20 µs and more instead of 5.
 * https://www.sqlite.org/compile.html#enable_stat4
 */
class BlindCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/** Kysely only compiles the statements; better-sqlite3 executes them. */
const createCompiler = <Tables>() =>
  new Kysely<Tables>({ dialect: new Compiling(new SqliteAdapter(), new BlindCompiler()) });

const compiler = createCompiler<Database>();

/** Compiles a statement for SQLite. */
export function compile(
  statement: Statement<object, unknown>,
  dialect: Dialect = sqliteDialect,
): CompiledStatement {
  return compileFor(compiler, dialect, statement);
}

const compiled = new Map<StatementName, CompiledStatement>();

/** A statement, as SQLite reads it. */
export function compiledStatement(name: StatementName): CompiledStatement {
  const known = compiled.get(name);
  if (known) return known;
  const statement = compile(statements[name]);
  compiled.set(name, statement);
  return statement;
}

/** In their order. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/** The statements of a migration, in order. */
export function compiledMigration(name: string): readonly MigrationStep[] {
  const migration = migrations[name];
  if (!migration) throw new Error(`there is no migration ${name}`);
  return migration(createCompiler()).map((statement) => {
    const { sql, parameters } = statement.compile();
    return { sql, parameters };
  });
}

let schema: string | undefined;

/** SQL that makes of an empty database what all migrations, one after the other, take ten times as long for. */
export function newSchema(): string {
  schema ??= schemaOf(migrationNames);
  return schema;
}

function schemaOf(names: readonly string[]): string {
  const db = new Sqlite(':memory:');
  for (const { sql, parameters } of names.flatMap(compiledMigration)) db.prepare(sql).run(...parameters);
  const objects = db
    .prepare<[], { type: string; name: string; sql: string }>(
      "select type, name, sql from sqlite_master where name not like 'sqlite_%' order by rowid",
    )
    .all();
  const tables = objects.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name }) =>
    (db.prepare(`select * from "${name}"`).raw().all() as unknown[][]).map(
      (values) => `insert into "${name}" values (${values.map(literal).join(', ')})`,
    ),
  );
  db.close();
  return [...objects.map(({ sql }) => sql), ...rows].join(';\n');
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
