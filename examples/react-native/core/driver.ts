import type { SqlDriver } from 'detent/core';

/** What the core uses of a database of `@op-engineering/op-sqlite`. Other libraries with synchronous calls fit as well. */
export interface PhoneDatabase {
  executeSync(
    sql: string,
    values?: (string | number | null)[],
  ): { rows: Record<string, unknown>[]; rowsAffected: number };
  close(): void;
}

/** The database of the app, as the core asks it. */
export function openDriver(db: PhoneDatabase): SqlDriver {
  return {
    prepare(sql) {
      // The core binds texts, numbers and null; the library keeps prepared statements itself.
      const ask = (values: readonly unknown[]) => db.executeSync(sql, values as (string | number | null)[]);
      return {
        run: (values) => ({ changes: ask(values).rowsAffected }),
        get: (values) => ask(values).rows[0],
        all: (values) => ask(values).rows,
      };
    },
    exec(sql) {
      for (const statement of statementsOf(sql)) db.executeSync(statement);
    },
    close: () => db.close(),
  };
}

/** The library performs one statement at a time. A trigger holds statements that end with a semicolon themselves. */
export function statementsOf(sql: string): string[] {
  const found: string[] = [];
  let open = '';
  for (const piece of sql.split(/(?<=;)/)) {
    open += piece;
    if (/^\s*create\s+trigger\b/i.test(open) && !/\bend\s*;$/i.test(open)) continue;
    if (open.trim() !== '') found.push(open.trim());
    open = '';
  }
  if (open.trim() !== '') found.push(open.trim());
  return found;
}
