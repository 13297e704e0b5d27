import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { afterwards } from '../support/afterwards.ts';
import { put } from './rows.ts';

/** The second tenant. */
export const otherTenant = { name: 'other', workspace: null };

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
  const store = await openSqlite({ file });
  await put(store, 'insertTenant', otherTenant);
  await store.close();
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
