import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { afterwards } from '../support/afterwards.ts';
import { raw } from './support.ts';

let template: Promise<string> | undefined;
let copies = 0;

/** A folder with an empty database, for the tests of one file. */
async function newTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-tenants-'));
  afterwards(() => {
    template = undefined;
    return rm(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'empty.sqlite');
  await (await openSqlite({ file })).close();
  raw(file, (db) => db.exec("INSERT INTO tenants (id, name) VALUES (2, 'other')"));
  return folder;
}

/** A new database file with the tenants 1 and 2: a copy, for migrating one takes longer than a test. */
export async function twoTenants(): Promise<string> {
  template ??= newTemplate();
  const folder = await template;
  const file = join(folder, `${++copies}.sqlite`);
  await copyFile(join(folder, 'empty.sqlite'), file);
  return file;
}
