import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * What databases say each in its own way. Statements say it by these helpers alone, so that one query serves all databases: a
 * helper has a form for SQLite below, and PostgreSQL gets one beside it, as its comment says. A test reads the SQL of every
 * statement for what else one database alone understands.
 */
export interface Dialect {
  /** The key of a new row: the one after the greatest that any row of the table has, or had. PostgreSQL: its identity column. */
  nextKey(k: Kysely<Database>, table: 'sessions' | 'runs'): RawBuilder<number>;
  /** The greater of two numbers. PostgreSQL: `greatest`. */
  greater(a: Expression<number>, b: Expression<unknown>): RawBuilder<number>;
  /** A column that the planner uses no index for. PostgreSQL: the column itself. */
  unindexed<T>(column: string): RawBuilder<T>;
  /** A field of a JSON object, as text; null if it has none. PostgreSQL: `column::jsonb ->> field`. */
  jsonField(column: string, field: string): RawBuilder<string | null>;
  /** A JSON object with a field set to a JSON value. PostgreSQL: `jsonb_set(column::jsonb, '{field}', value::jsonb)::text`. */
  withField(column: string, field: string, value: Expression<string>): RawBuilder<string>;
  /** A text as JSON, in its quotes. PostgreSQL: `to_jsonb(text)::text`. */
  quoted(text: Expression<string>): RawBuilder<string>;
  /** Whether a text has another one in it. PostgreSQL: `strpos(text, part) > 0`. */
  contains(text: never, part: Expression<string>): RawBuilder<boolean>;
  /**
   * A table of a JSON list of pairs of numbers, with the columns `first` and `second`. PostgreSQL: `jsonb_array_elements`, with
   * `->> 0` and `->> 1`.
   */
  pairs(list: never): RawBuilder<{ first: number; second: number }>;
}

export const sqliteDialect: Dialect = {
  nextKey(k, table) {
    const greatest = k.selectFrom(table).select((e) => e.fn.max('pk').as('pk'));
    const deleted = k.selectFrom('deleted_keys').select('pk').where('name', '=', sql.lit(table));
    return sql`1 + max(coalesce(${greatest}, 0), coalesce(${deleted}, 0))`;
  },
  greater: (a, b) => sql`max(${a}, ${b})`,
  unindexed: (column) => sql`+${sql.ref(column)}`,
  jsonField: (column, field) => sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${field}`)})`,
  withField: (column, field, value) =>
    sql`json_set(${sql.ref(column)}, ${sql.lit(`$.${field}`)}, json(${value}))`,
  quoted: (text) => sql`json_quote(${text})`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  pairs: (list) => sql`(select value ->> 0 as first, value ->> 1 as second from json_each(${list}))`,
};
