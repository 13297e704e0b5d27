import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { compiledMigrations } from '../../../src/store/sql/compiled-migrations.ts';
import { migrate, needsMigration } from '../../../src/store/sql/migrate.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { holdInput, put, usageInput } from '../rows.ts';
import { opened, raw, temporaryFile } from '../support.ts';

/** A database as a program left it that knew only the first migrations. */
async function databaseOf(names: readonly string[]): Promise<string> {
  const file = await temporaryFile();
  const db = new Sqlite(file);
  await migrate(db, file, names);
  db.close();
  return file;
}

it('a database without a ledger gets one, and keeps its sessions, runs and artifacts', async () => {
  const file = await databaseOf(['0001_runs', '0002_driver_errors']);
  raw(file, (db) =>
    db.exec(`
      insert into sessions (pk, tenant_id, key, head_run, head_seq, created_at) values (1, 1, 's1', 3, 7, 5);
      insert into runs (pk, tenant_id, id, session_pk, ordinal, machine, version, seq, ended, state, context, input,
        options, output, fence, faults, created_at, updated_at)
        values (1, 1, 'r1', 1, 1, 'run', 1, 0, 0, '"idle"', '{}', '{}', '{}', null, 1000000, 0, 10, 10);
      insert into artifacts (tenant_id, id, run_pk, mime, body, created_at) values (1, 'a1', 1, 'text/plain', 'long', 11);
    `),
  );
  await expect(openSqlite({ file, readonly: true })).rejects.toMatchObject({ code: 'DATABASE_OLDER' });
  const store = await opened({ file });
  expect(await store.query('findSession', { tenant: 1, key: 's1' })).toEqual({
    pk: 1,
    headRun: 3,
    headSeq: 7,
    prunedRun: 0,
    prunedSeq: 0,
  });
  expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toMatchObject({
    encoding: 'utf8',
    body: 'long',
  });
  expect((await store.query('loadRun', { tenant: 1, id: 'r1' }))?.sessionKey).toBe('s1');
  expect(await put(store, 'insertUsage', usageInput())).toBe(1);
  expect(await put(store, 'putHold', holdInput())).toBe(1);
});

it('a migration that fails leaves the database as it was, and the next open migrates it', async () => {
  const file = await databaseOf(['0001_runs']);
  // The third migration has made four tables before it meets this one.
  raw(file, (db) => db.exec('create table cached_answers (a)'));
  await expect(openSqlite({ file })).rejects.toThrow(/cached_answers/);
  const tables = raw(file, (db) => {
    db.exec('drop table cached_answers');
    return db.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  });
  expect(tables).not.toContain('usage');
  await opened({ file });
});

it('two processes that migrate one database apply each migration once', async () => {
  const file = await databaseOf(['0001_runs']);
  const [one, other] = [new Sqlite(file), new Sqlite(file)];
  expect([one, other].map((db) => needsMigration(db, file, false))).toEqual([true, true]);
  await migrate(one, file);
  await migrate(other, file);
  expect(one.prepare('select name from kysely_migration order by name').pluck().all()).toEqual(
    Object.keys(compiledMigrations),
  );
  one.exec("insert into kysely_migration values ('9999_future', '2099')");
  await expect(migrate(other, file)).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
  for (const db of [one, other]) db.close();
});
