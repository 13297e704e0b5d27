import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { StatementName } from '../statements.ts';
import { migrations } from './migrations.ts';
import { queries } from './queries/index.ts';
import type { Database } from './schema.ts';

/*
 * Run from source, this module compiles a statement when it is first asked. In `dist/` stands what it answers, printed by
 * scripts/build/statements.ts, and no Kysely.
 */

/** Returns one row or none, all rows, rows up to so many bytes (`PageLimit`), or the number of changed rows. */
export type Kind = 'get' | 'all' | 'page' | 'run';

/** A statement as better-sqlite3 executes it. */
export interface CompiledStatement {
  kind: Kind;
  sql: string;
  /** For each parameter the name of the input's field, or a constant. */
  bind: readonly (string | { constant: unknown })[];
}

/** One statement of a migration. */
export interface MigrationStep {
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
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new BlindCompiler(),
  },
});

const marks = new Proxy({}, { get: (_, name) => ({ $mark: name }) }) as never;

const compiled = new Map<StatementName, CompiledStatement>();

/** A statement, as SQLite reads it. */
export function compiledStatement(name: StatementName): CompiledStatement {
  const known = compiled.get(name);
  if (known) return known;
  const [kind, build] = queries[name];
  const { sql, parameters } = (
    build as (k: Kysely<Database>, p: never) => { compile(): { sql: string; parameters: readonly unknown[] } }
  )(compiler, marks).compile();
  const bind = parameters.map((parameter) => (isMark(parameter) ? parameter.$mark : { constant: parameter }));
  const statement = { kind, sql, bind };
  compiled.set(name, statement);
  return statement;
}

function isMark(parameter: unknown): parameter is { $mark: string } {
  return typeof parameter === 'object' && parameter !== null && '$mark' in parameter;
}

/** In their order. */
export const migrationNames: readonly string[] = Object.keys(migrations);

/** The statements of a migration, in order. */
export function compiledMigration(name: string): readonly MigrationStep[] {
  const migration = migrations[name];
  if (!migration) throw new Error(`there is no migration ${name}`);
  return migration(compiler as unknown as Kysely<unknown>).map((statement) => {
    const { sql, parameters } = statement.compile();
    return { sql, parameters };
  });
}
