import { type Compilable, type Kysely, sql } from 'kysely';
import type { Columns, LongRow, Row, RowColumn, Scoped, TableName } from '../rows.ts';
import { type Column, type NameOf, nameOf } from '../schema/column.ts';
import { tables } from '../schema/tables.ts';
import type { Database } from './database.ts';
import type { Dialect, Lock } from './dialect.ts';
import type { Kind, Statement } from './statement.ts';

/** Parameter placeholders, by the names of a statement's input. Their type `never` fits wherever Kysely wants a value. */
type Marks<In> = { readonly [N in keyof In]-?: never };

/** A query by what it would answer, if Kysely executed it: `Compilable` alone does not say that. */
interface Query<R> extends Compilable {
  execute(): Promise<readonly R[]>;
}

type Build<In, R> = (k: Kysely<Database>, p: Marks<In>, d: Dialect) => Query<R>;

const made = <In extends object, Out>(
  kind: Kind,
  build: Build<In, unknown>,
  lock?: Locked,
): Statement<In, Out> => ({ kind, build, ...(lock && { lock }) });

/**
 * What a program that read a row relies on until its commit: that it stays as it is, or that it stays (`share`). With `of` where the
 * query joins. SQLite has one writer at a time. https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS
 */
type Locked = Lock | `${Lock} of ${TableName}`;

/** A statement that answers one row, or none. */
export const one = <In extends object, R>(build: Build<In, R>, lock?: Locked) =>
  made<In, R | undefined>('get', build, lock);

/** A statement that adds a row, and answers columns of it. */
export const add = <In extends object, R>(build: Build<In, R>) => made<In, R>('get', build);

/** A statement that answers all its rows. */
export const all = <In extends object, R>(build: Build<In, R>, lock?: Locked) =>
  made<In, R[]>('all', build, lock);

/** A statement that answers rows up to so many bytes: see `PageLimit`. */
export const page = <In extends object, R extends LongRow>(build: Build<In, R>) =>
  made<In, R[]>('page', build);

/** A statement that writes, and answers how many rows it changed. */
export const change = <In extends object>(build: Build<In, unknown>) => made<In, number>('run', build);

type Selected<T extends TableName, C extends RowColumn<T> = RowColumn<T>> = {
  [K in C]: NameOf<K> extends K ? `${T}.${K}` : `${T}.${K} as ${NameOf<K>}`;
}[C];

const columnNames = (table: TableName, isWanted: (column: string, isInner: boolean) => boolean) =>
  Object.entries<Column<unknown>>(tables[table]).flatMap(([column, { isInner }]) =>
    isWanted(column, isInner) ? [column] : [],
  );

/** The columns of a table's rows, to select them: `timers.run_pk as run`. */
export function columnsOf<T extends TableName, W extends RowColumn<T> = never>(
  table: T,
  without: readonly W[] = [],
): readonly Selected<T, Exclude<RowColumn<T>, W>>[] {
  const left: readonly string[] = without;
  return columnNames(table, (column, isInner) => !isInner && !left.includes(column)).map((column) => {
    const [path, name] = [`${table}.${column}`, nameOf(column)];
    return (name === column ? path : `${path} as ${name}`) as Selected<T, Exclude<RowColumn<T>, W>>;
  });
}

type WithTenant = { [T in TableName]: 'tenant_id' extends keyof Columns<T> ? T : never }[TableName];
type Values<T extends TableName, W> = { [C in Exclude<RowColumn<T> | 'tenant_id', W>]: never };

/** The values of a new row, in the column of its tenant and in the columns that statements return: inputs, by the columns' names. */
export function valuesOf<T extends WithTenant, W extends RowColumn<T> = never>(
  table: T,
  input: Marks<Omit<Row<T>, NameOf<W>> & Scoped>,
  without: readonly W[] = [],
): Values<T, W> {
  const left: readonly string[] = without;
  const given = columnNames(
    table,
    (column, isInner) => (!isInner || column === 'tenant_id') && !left.includes(column),
  );
  const marks: Readonly<Record<string, never>> = input;
  return Object.fromEntries(given.map((column) => [column, marks[nameOf(column)]])) as Values<T, W>;
}

/**
 * Whether an input is null. A filter that is null matches every row, so that one statement serves all combinations. PostgreSQL wants
 * to know the type of what is compared with nothing.
 */
export const isNull = (input: never, type: 'text' | 'bigint') =>
  sql<boolean>`cast(${input} as ${sql.raw(type)}) is null`;
