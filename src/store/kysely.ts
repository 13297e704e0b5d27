import type { Columns, TableName } from './rows.ts';

/**
 * The tables of Detent's database, for Kysely: `new Kysely<DetentTables>({ dialect })`. Only read the database: a row that your program
 * writes breaks what Detent relies on. Before 1.0 a minor version may change a table.
 */
export type DetentTables = { [T in TableName]: Columns<T> };
