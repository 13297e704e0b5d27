import { type Expression, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** How a program keeps what it read and decides on as it is until its commit, where others write at the same time. */
export type Lock = 'no key update' | 'share';

type DriverQuery = SelectQueryBuilder<Database, 'runs' | 'drivers', { epoch: number }>;

/**
 * What databases say each in its own way. Statements say it by these helpers alone, so that one query serves all databases. A test
 * reads the SQL of every statement for what else one database alone understands.
 */
export interface Dialect {
  /** The key of a new row: greater than any that a row of the table has, or had. */
  nextKey(k: Kysely<Database>, table: 'sessions' | 'runs'): RawBuilder<number>;
  /** The next place in the feed of a tenant; null before it has begun. `last` is the last one, or no row. */
  nextPlace(tenant: never, last: Expression<unknown>): RawBuilder<number | null>;
  /** The greater of two numbers. */
  greater(a: Expression<number>, b: Expression<unknown>): RawBuilder<number>;
  /** A column that the planner uses no index for. */
  unindexed<T>(column: string): RawBuilder<T>;
  /** A field of a JSON object, as text; null if it has none. A dot leads into an object. */
  jsonField(column: string, field: string): RawBuilder<string | null>;
  /** A JSON object with a field set to a JSON value. */
  withField(column: string, field: string, value: Expression<string>): RawBuilder<string>;
  /** A text as JSON, in its quotes. */
  quoted(text: Expression<string>): RawBuilder<string>;
  /** Whether a text has another one in it. */
  contains(text: never, part: Expression<string>): RawBuilder<boolean>;
  /** A table of a JSON list of pairs of numbers, with the columns `first` and `second`. */
  pairs(list: never): RawBuilder<{ first: number; second: number }>;
  /** Runs that a statement is about to change, without those that another one is about to change. */
  free(query: Expression<{ pk: number }>): RawBuilder<number>;
  /** What a writing statement reads, and relies on until its commit. */
  kept(query: DriverQuery): DriverQuery;
}

export const sqliteDialect: Dialect = {
  nextKey(k, table) {
    const greatest = k.selectFrom(table).select((e) => e.fn.max('pk').as('pk'));
    const deleted = k.selectFrom('deleted_keys').select('pk').where('name', '=', sql.lit(table));
    return sql`1 + max(coalesce(${greatest}, 0), coalesce(${deleted}, 0))`;
  },
  nextPlace: (_, last) => sql`1 + ${last}`,
  greater: (a, b) => sql`max(${a}, ${b})`,
  unindexed: (column) => sql`+${sql.ref(column)}`,
  jsonField: (column, field) => sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${field}`)})`,
  withField: (column, field, value) =>
    sql`json_set(${sql.ref(column)}, ${sql.lit(`$.${field}`)}, json(${value}))`,
  quoted: (text) => sql`json_quote(${text})`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  pairs: (list) => sql`(select value ->> 0 as first, value ->> 1 as second from json_each(${list}))`,
  // One program writes at a time.
  free: (query) => sql`${query}`,
  kept: (query) => query,
};

/** `json`, not `jsonb`: that refuses texts with `\u0000`. */
export const postgresDialect: Dialect = {
  nextKey: () => sql`default`,
  // The row of the feed is locked until the commit, so that places become visible in their order.
  nextPlace: (tenant) => sql`next_place(${tenant})`,
  greater: (a, b) => sql`greatest(${a}, ${b})`,
  unindexed: (column) => sql.ref(column),
  jsonField: (column, field) =>
    sql`${sql.ref(column)}::json #>> ${sql.lit(`{${field.split('.').join(',')}}`)}`,
  withField: (column, field, value) => sql`(select json_object_agg(key, value)::text from (
    select key, value from json_each(${sql.ref(column)}::json) where key <> ${sql.lit(field)}
    union all select ${sql.lit(field)}, ${value}::json) as fields)`,
  quoted: (text) => sql`to_json(${text}::text)::text`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  pairs: (list) =>
    sql`(select (value ->> 0)::bigint as first, (value ->> 1)::bigint as second from json_array_elements(${list}::json))`,
  free: (query) => sql`(${query} for no key update of runs skip locked)`,
  kept: (query) => query.forShare(),
};
