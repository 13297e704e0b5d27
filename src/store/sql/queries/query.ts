import { type Compilable, type Kysely, sql } from 'kysely';
import type { Declared } from '../../program.ts';
import type { PageLimit } from '../../rows.ts';
import type { Database } from '../schema.ts';

/**
 * Parameter placeholders, by the names of a statement's input. Their type `never` fits wherever Kysely wants a value.
 */
type Marks<T> = { readonly [N in keyof T]-?: never };
type RowOf<O> = O extends (infer R)[] ? R : O extends number ? unknown : NonNullable<O>;
type Build<I, O> = (k: Kysely<Database>, p: Marks<I>) => Compilable<RowOf<O>>;

type KindOf<I, O> = O extends unknown[]
  ? string extends keyof I
    ? 'all'
    : keyof PageLimit extends keyof I
      ? 'page'
      : 'all'
  : O extends number
    ? 'run'
    : 'get';

/** A query for each statement of a subject, with the kind and columns that the statement declares. */
export type Queries<S extends Declared<S>> = {
  readonly [K in keyof S]: readonly [KindOf<S[K]['in'], S[K]['out']>, Build<S[K]['in'], S[K]['out']>];
};

/** The key of a new row: the one after the greatest that any row of the table has, or had. */
export const nextKey = (k: Kysely<Database>, table: 'sessions' | 'runs') => {
  const greatest = k.selectFrom(table).select((e) => e.fn.max('pk').as('pk'));
  const deleted = k.selectFrom('deleted_keys').select('pk').where('name', '=', sql.lit(table));
  return sql<number>`1 + max(ifnull(${greatest}, 0), ifnull(${deleted}, 0))`;
};
