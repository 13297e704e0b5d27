import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { databaseOf } from './inspect-rows.ts';
import type { LifeOrder } from './life.ts';

/** The rows of a database of either kind, read beside whoever writes them. */
export interface Rows {
  /** @param sql with `?` for values */
  all(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export function openRows({ workspace, url }: Pick<LifeOrder, 'workspace' | 'url'>): Rows {
  return url === undefined ? ofFile(databaseOf(workspace)) : ofServer(url);
}

function ofFile(file: string): Rows {
  const db = new Sqlite(file, { readonly: true });
  return {
    all: async (sql, ...values) => db.prepare<unknown[], Record<string, unknown>>(sql).all(...values),
    close: async () => void db.close(),
  };
}

function ofServer(url: string): Rows {
  const client = new pg.Client(url);
  const connected = client.connect();
  return {
    async all(sql, ...values) {
      await connected;
      let place = 0;
      const { rows } = await client.query<Record<string, unknown>>(
        sql.replaceAll('?', () => `$${++place}`),
        values,
      );
      return rows;
    },
    close: () => client.end(),
  };
}

/** Writes the rows of a PostgreSQL database into the SQLite file of a workspace, so that one inspection looks at both. */
export async function copyToFile(url: string, workspace: string): Promise<void> {
  const file = databaseOf(workspace);
  mkdirSync(dirname(file), { recursive: true });
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  await (await openSqlite({ file })).close();
  const db = new Sqlite(file);
  const rows = ofServer(url);
  try {
    db.pragma('foreign_keys = off');
    const tables = await rows.all("select tablename from pg_tables where schemaname = 'public'");
    for (const { tablename } of tables) {
      const known = db.prepare('select name from pragma_table_info(?)').pluck().all(tablename) as string[];
      if (known.length === 0) continue;
      db.exec(`delete from "${tablename}"`);
      for (const row of await rows.all(`select * from "${tablename}"`)) {
        const columns = Object.keys(row).filter((column) => known.includes(column));
        const names = columns.map((column) => `"${column}"`).join(', ');
        db.prepare(`insert into "${tablename}" (${names}) values (${columns.map(() => '?').join(', ')})`).run(
          // The driver gives bigint as text, which a column of numbers takes as a number.
          columns.map((column) => row[column]),
        );
      }
    }
  } finally {
    await rows.close();
    db.close();
  }
}
