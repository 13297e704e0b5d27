import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { migrate, needsMigration } from '../../../src/store/sql/migrate.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

it('a database that another process makes while this one looks is not of another program', async () => {
  const file = join(await temporaryWorkspace(), 'new.db');
  const open = (from: string) => {
    const db = new Sqlite(from);
    onTestFinished(() => void db.close());
    return db;
  };
  const full = open(file);
  migrate(full, file);
  const empty = open(':memory:');
  // Between its first and its second question the database changes from an empty one to a made one.
  let asked = 0;
  const changing = { prepare: (sql: string) => (asked++ === 0 ? empty : full).prepare(sql) };
  expect(needsMigration(changing as never, file, false)).toBe(false);
});
