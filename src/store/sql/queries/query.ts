import type { Compilable, Kysely } from 'kysely';
import type { In, Out, StatementName } from '../../statements.ts';
import type { Database } from '../schema.ts';

/** Parameter marks by the names of a statement's input. `never` fits wherever Kysely wants a value. */
type Marks<T> = { readonly [N in keyof T]-?: never };
type RowOf<O> = O extends (infer R)[] ? R : O extends number ? unknown : NonNullable<O>;
type Build<K extends StatementName> = (k: Kysely<Database>, p: Marks<In<K>>) => Compilable<RowOf<Out<K>>>;

/** One row or none, all rows, or the number of changed ones. */
export type Kind = 'get' | 'all' | 'run';
type KindOf<O> = O extends unknown[] ? 'all' : O extends number ? 'run' : 'get';

/** A query for each statement, whose kind and columns are those that the statement promises. */
export type Queries = { readonly [K in StatementName]: readonly [KindOf<Out<K>>, Build<K>] };
