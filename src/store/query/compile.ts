import type { Compilable, Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Kind, Statement } from './statement.ts';

/** A statement as a driver executes it. */
export interface CompiledStatement {
  kind: Kind;
  sql: string;
  /** For each parameter the name of the input's field, or a constant. */
  bind: readonly (string | { constant: unknown })[];
}

/** Stands for the input of a statement: each of its fields is a mark with the field's name. */
const marks = new Proxy({}, { get: (_, name) => ({ $mark: name }) });

type Build = (k: Kysely<Database>, input: object, dialect: Dialect) => Compilable;

/** Compiles a statement with the compiler and in the dialect of a database. */
export function compileFor(
  compiler: Kysely<Database>,
  dialect: Dialect,
  { kind, build }: Statement<object, unknown>,
): CompiledStatement {
  const { sql, parameters } = (build as Build)(compiler, marks, dialect).compile();
  const bind = parameters.map((parameter) => (isMark(parameter) ? parameter.$mark : { constant: parameter }));
  return { kind, sql, bind };
}

/** The values of a statement's parameters. What the input leaves out is null. */
export function valuesOfBind(bind: CompiledStatement['bind'], input: object): unknown[] {
  const values: unknown[] = [];
  for (const from of bind)
    values.push(
      typeof from === 'string' ? ((input as Record<string, unknown>)[from] ?? null) : from.constant,
    );
  return values;
}

function isMark(parameter: unknown): parameter is { $mark: string } {
  return typeof parameter === 'object' && parameter !== null && '$mark' in parameter;
}
