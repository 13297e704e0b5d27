import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { StatementName } from '../statements.ts';
import type { CompiledMigrations, CompiledStatement, CompiledStatements } from './compiled-statement.ts';
import { migrations } from './migrations.ts';
import { queries } from './queries/index.ts';
import type { Database } from './schema.ts';

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
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new BlindCompiler(),
  },
});

const marks = new Proxy({}, { get: (_, name) => ({ $mark: name }) }) as never;

/** Compiles every statement for SQLite. */
export function compileStatements(): CompiledStatements {
  const names = Object.keys(queries) as StatementName[];
  return Object.fromEntries(names.map((name) => [name, compile(name)])) as Record<
    StatementName,
    CompiledStatement
  >;
}

/** Compiles every migration for SQLite. */
export function compileMigrations(): CompiledMigrations {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [
      name,
      migration(compiler as unknown as Kysely<unknown>).map((statement) => {
        const { sql, parameters } = statement.compile();
        return { sql, parameters };
      }),
    ]),
  );
}

function compile(name: StatementName): CompiledStatement {
  const [kind, build] = queries[name];
  const { sql, parameters } = (
    build as (k: Kysely<Database>, p: never) => { compile(): { sql: string; parameters: readonly unknown[] } }
  )(compiler, marks).compile();
  const bind = parameters.map((parameter) => (isMark(parameter) ? parameter.$mark : { constant: parameter }));
  return { kind, sql, bind };
}

function isMark(parameter: unknown): parameter is { $mark: string } {
  return typeof parameter === 'object' && parameter !== null && '$mark' in parameter;
}
