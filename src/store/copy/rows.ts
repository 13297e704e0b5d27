import type { TableName } from '../rows.ts';
import { tables } from '../schema/tables.ts';

/** Values in the order of the table's columns. */
export type Values = readonly (string | number | null)[];

/** Rows that others refer to come before theirs. */
const parents: readonly TableName[] = ['tenants', 'sessions', 'runs', 'jobs', 'job_fires'];

export const isTable = (name: string): name is TableName => Object.hasOwn(tables, name);

/** All that a database holds, but where it is and which migrations it has. */
export const copiedTables: readonly TableName[] = [
  ...parents,
  ...Object.keys(tables).filter((name): name is TableName => isTable(name) && !parents.includes(name)),
];

export const columnsIn = (table: TableName): readonly string[] => Object.keys(tables[table]);

/** Columns or tables, as SQL names them. */
export const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** The tables whose keys the database gives, and that are not given again when their row is gone. */
export const countedKeys = { sessions: 'pk', runs: 'pk', drivers: 'epoch', commands: 'id' } as const;

export const countedTables = Object.keys(countedKeys) as (keyof typeof countedKeys)[];

/** By table, the greatest key that was ever given. */
export type LastKeys = Record<keyof typeof countedKeys, number>;

/** How much is read and written at once. */
export const slice = { rows: 2_000, characters: 4_000_000 };

/** A database as it is at one moment, table by table. */
export interface Rows {
  /** For people, without a password. */
  readonly place: string;
  /** @throws DetentError if these are not rows of this Detent: `DATABASE_OLDER`, `DATABASE_NEWER`, `DATABASE_FOREIGN`, `DATABASE_UNFINISHED`. */
  check(): Promise<void>;
  /** The tables that are there. */
  tables(): Promise<readonly TableName[]>;
  /** The columns of the primary key, in their order. */
  keyOf(table: TableName): Promise<readonly string[]>;
  /** Some rows behind a key, in the order of keys; none at the end. */
  after(table: TableName, key: Values | null): Promise<Values[]>;
  count(table: TableName): Promise<number>;
  lastKeys(): Promise<LastKeys>;
  close(): Promise<void>;
}

/** Where a copy goes. */
export interface CopyTarget extends Rows {
  /**
   * Makes the tables, unless they are there.
   *
   * @returns whether a part of a copy of this source is there
   * @throws DetentError `DATABASE_NOT_EMPTY`.
   */
  begin(source: string): Promise<boolean>;
  /** Up to which key a table was copied, as JSON; null before its beginning. */
  cursor(table: TableName): Promise<string | null>;
  /** Adds rows and notes the cursor, in one commit. Rows that are there stay as they are. */
  put(table: TableName, rows: readonly Values[], cursor: string): Promise<void>;
  /** The rows that have these keys, in any order. */
  having(table: TableName, keys: readonly Values[]): Promise<Values[]>;
  /** What this database reads of a value that it was given. */
  kept(value: Values[number]): Values[number];
  /** Deletes what was copied. */
  clear(): Promise<void>;
  /** Lets the database be used. Keys that were given are not given again. */
  finish(last: LastKeys): Promise<void>;
}
