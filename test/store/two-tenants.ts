import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { raw } from './support.ts';

let folder = '';
let copies = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detent-tenants-'));
  const file = join(folder, 'empty.sqlite');
  await (await openSqlite({ file })).close();
  raw(file, (db) => db.exec("INSERT INTO tenants (id, name) VALUES (2, 'other')"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A new database file with the tenants 1 and 2: a copy, for migrating one takes longer than a test. */
export async function twoTenants(): Promise<string> {
  const file = join(folder, `${++copies}.sqlite`);
  await copyFile(join(folder, 'empty.sqlite'), file);
  return file;
}
