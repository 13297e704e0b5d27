import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { copyDatabase } from '../../../src/store/postgres.ts';
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
  // A server that is killed is found out by the next question.
  client.on('error', () => {});
  const connected = client.connect();
  connected.catch(() => {});
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

/** Copies a PostgreSQL database into the SQLite file of a workspace, so that one inspection looks at both. */
export async function copyToFile(url: string, workspace: string): Promise<void> {
  const file = databaseOf(workspace);
  mkdirSync(dirname(file), { recursive: true });
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  await copyDatabase(url, file);
}
