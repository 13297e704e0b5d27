import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { artifactInput, put, withRuns } from '../rows.ts';
import { expectCode, opened, raw, temporaryFile, temporaryFolder } from '../support.ts';

/** A database with some runs, closed. */
async function closedDatabase(): Promise<string> {
  const file = await temporaryFile();
  const store = await openSqlite({ file });
  await withRuns(store, 3);
  await store.close();
  return file;
}

/** Opening refuses with a code, for writing and for reading, and changes nothing: no permissions either. */
async function expectRefused(file: string, code: string): Promise<void> {
  await chmod(file, 0o644);
  const [bytes, files] = [await readFile(file), await readdir(dirname(file))];
  await expectCode(openSqlite({ file }), code);
  expect(await readdir(dirname(file))).toEqual(files);
  await expectCode(openSqlite({ file, readonly: true }), code);
  expect(bytes.equals(await readFile(file))).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o644);
}

describe('a database of another program', () => {
  it('is refused when a newer Detent has migrated it', async () => {
    const file = await closedDatabase();
    raw(file, (db) => db.exec("INSERT INTO kysely_migration VALUES ('9999_future', '2099-01-01')"));
    await expectRefused(file, 'DATABASE_NEWER');
    await expect(openSqlite({ file })).rejects.toMatchObject({
      message: expect.stringContaining('9999_future'),
      details: { file, newer: ['9999_future'] },
    });
  });

  it('is refused when its tables are not ours', async () => {
    const file = await temporaryFile();
    raw(file, (db) => db.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)'));
    await expectRefused(file, 'DATABASE_FOREIGN');
  });

  it('is refused when it is migrated by Kysely too', async () => {
    const file = await temporaryFile();
    raw(file, (db) =>
      db.exec(`CREATE TABLE kysely_migration (name text PRIMARY KEY, timestamp text);
        INSERT INTO kysely_migration VALUES ('0000_theirs', '2020-01-01')`),
    );
    await expectRefused(file, 'DATABASE_FOREIGN');
  });

  it('is refused for reading until an empty file has been migrated', async () => {
    const file = await temporaryFile();
    await writeFile(file, '');
    await expectCode(openSqlite({ file, readonly: true }), 'DATABASE_OLDER');
    await withRuns(await opened({ file }));
    await opened({ file, readonly: true });
  });
});

it('a process that was killed before its first migration leaves a database that opens', async () => {
  const file = await temporaryFile();
  raw(file, (db) =>
    db.exec(`CREATE TABLE kysely_migration (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL);
      CREATE TABLE kysely_migration_lock (id varchar(255) NOT NULL PRIMARY KEY, is_locked integer DEFAULT 0 NOT NULL)`),
  );
  await withRuns(await opened({ file }));
});

describe('a corrupt database', () => {
  it.each([10, 100, 8_192])('of %d arbitrary bytes is refused', async (size) => {
    const file = await temporaryFile();
    await writeFile(file, Buffer.alloc(size, 'not a database '));
    await expectRefused(file, 'DATABASE_CORRUPT');
  });

  it.each([0.9, 0.5, 0.1])('of which %d is left is refused', async (share) => {
    const file = await closedDatabase();
    await truncate(file, Math.floor((await readFile(file)).length * share));
    await expectCode(openSqlite({ file }), 'DATABASE_CORRUPT');
    await expectCode(openSqlite({ file, readonly: true }), 'DATABASE_CORRUPT');
  });

  it('that still opens refuses to read and write what is lost', async () => {
    const file = await closedDatabase();
    const page = raw(file, (db) => {
      db.pragma('journal_mode = DELETE');
      return db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'runs'").pluck().get() as number;
    });
    const bytes = await readFile(file);
    bytes.fill(0, (page - 1) * 4_096, page * 4_096);
    await writeFile(file, bytes);
    const store = await opened({ file });
    await expectCode(store.query('loadRun', { tenant: 1, id: 'r1' }), 'DATABASE_CORRUPT');
    await expectCode(put(store, 'countFault', { pk: 1 }), 'DATABASE_CORRUPT');
    const both = [1, 2].map((n) => put(store, 'insertArtifact', artifactInput({ id: `a${n}`, run: n })));
    for (const one of both) await expectCode(one, 'DATABASE_CORRUPT');
    expect(await put(store, 'insertSession', { tenant: 1, key: 's2', user: null, at: 6 })).toEqual({ pk: 2 });
  });
});

describe('a path that cannot be a database', () => {
  it('is refused when a folder of it is a file', async () => {
    const file = join(await closedDatabase(), 'detent.sqlite');
    await expectCode(openSqlite({ file }), 'DATABASE_UNUSABLE');
    await expectCode(openSqlite({ file, readonly: true }), 'DATABASE_UNUSABLE');
  });

  it('is refused when it is a folder', async () => {
    const file = await temporaryFolder();
    const code = 'DATABASE_UNUSABLE';
    await expect(openSqlite({ file })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/name a file/),
    });
    await expectCode(openSqlite({ file, readonly: true }), code);
  });

  it('gets the folders that it lacks', async () => {
    const file = join(await temporaryFolder(), 'a', 'b', 'detent.sqlite');
    await withRuns(await opened({ file }));
  });
});

describe('permissions', () => {
  it('are asked for when the folder may not be written to', async () => {
    const folder = join(await temporaryFolder(), 'sealed');
    await mkdir(folder);
    const file = join(folder, 'detent.sqlite');
    await asOrdinaryUser([dirname(folder), folder], 0o555, () =>
      expectCode(openSqlite({ file }), 'DATABASE_UNUSABLE'),
    );
  });

  it('are asked for when a folder cannot be made', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'new', 'detent.sqlite');
    await asOrdinaryUser([folder], 0o555, () => expectCode(openSqlite({ file }), 'DATABASE_UNUSABLE'));
  });

  it('are asked for when the file may not be read', async () => {
    const file = await closedDatabase();
    await chmod(file, 0o000);
    await asOrdinaryUser([dirname(file)], 0o777, () => expectCode(openSqlite({ file }), 'DATABASE_UNUSABLE'));
  });

  it('let a file be read that may not be written to', async () => {
    const file = await closedDatabase();
    await chmod(file, 0o444);
    await asOrdinaryUser([dirname(file)], 0o777, async () => {
      const store = await openSqlite({ file });
      expect(await store.query('listRuns', { tenant: 1, limit: 9 })).toHaveLength(3);
      await expectCode(put(store, 'countFault', { pk: 1 }), 'DATABASE_READONLY');
      await store.close();
    });
  });
});

/**
 * Sets the mode of folders and runs `work` without root's right to ignore modes: root becomes the user `nobody`
 * meanwhile.
 */
async function asOrdinaryUser(folders: string[], mode: number, work: () => Promise<void>): Promise<void> {
  const nobody = 65_534;
  for (const folder of folders) await chmod(folder, mode);
  onTestFinished(async () => {
    for (const folder of folders) await chmod(folder, 0o700);
  });
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
