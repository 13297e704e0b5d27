import type { StatementName } from '../statements.ts';

/** Returns one row or none, all rows, rows up to so many bytes (`PageLimit`), or the number of changed rows. */
export type Kind = 'get' | 'all' | 'page' | 'run';

/** A statement as better-sqlite3 executes it. */
export interface CompiledStatement {
  kind: Kind;
  sql: string;
  /** For each parameter the name of the input's field, or a constant. */
  bind: readonly (string | { constant: unknown })[];
}

export type CompiledStatements = Readonly<Record<StatementName, CompiledStatement>>;

/** The statements of each migration, in order. */
export type CompiledMigrations = Readonly<
  Record<string, readonly { sql: string; parameters: readonly unknown[] }[]>
>;
