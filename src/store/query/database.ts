import type { Generated } from 'kysely';
import type { Columns, TableName } from '../rows.ts';
import type { Column } from '../schema/column.ts';
import type { tables } from '../schema/tables.ts';

/** The tables, as Kysely sees them. */
export type Database = {
  [T in TableName]: {
    [C in keyof Columns<T>]: (typeof tables)[T][C & keyof (typeof tables)[T]] extends Column<
      unknown,
      boolean,
      true
    >
      ? Generated<Columns<T>[C]>
      : Columns<T>[C];
  };
};
