import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqlDriver } from '../../src/store/sql/driver.ts';

/** A database of Node's own SQLite, as a phone gives one of its own. */
export function openNodeSqlite(file: string): SqlDriver {
  const db = new DatabaseSync(file);
  return {
    prepare(sql) {
      const statement = db.prepare(sql);
      const bound = (values: readonly unknown[]) => values as SQLInputValue[];
      return {
        run: (values) => statement.run(...bound(values)),
        get: (values) => statement.get(...bound(values)),
        all: (values) => statement.all(...bound(values)),
      };
    },
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
  };
}
