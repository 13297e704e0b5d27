import type { Columns, TableName } from './rows.ts';

/**
 * The tables of Detent's database, for Kysely: `new Kysely<DetentTables>({ dialect })`. Open the file to read it only: a row that Detent
 * did not write itself breaks its laws. Before 1.0 a minor version may change a table.
 */
export type DetentTables = { [T in TableName]: Columns<T> };
