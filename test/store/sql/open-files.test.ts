import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite, type SqliteStore } from '../../../src/store/sql/sqlite.ts';
import { ask } from '../../support/ask.ts';
import { itDeep } from '../../support/deep.ts';
import { inSizes } from '../../support/size.ts';
import { artifactInput, eventInput, put, withRuns } from '../rows.ts';
import { expectCode, raw, temporaryFile } from '../support.ts';

const seqs = (file: string) =>
  raw(file, (db) => db.prepare('select seq from run_events order by seq').pluck().all());

const write = (store: SqliteStore, seq: number, bytes = 10) =>
  store.commit(function* () {
    yield* ask('insertEvent', eventInput({ seq }));
    yield* ask('insertArtifact', artifactInput({ id: `a${seq}`, body: 'x'.repeat(bytes) }));
  });

/** Stores of one database, and a backup of it that is older than their last commits. */
async function opened(count: number): Promise<{ file: string; backup: string; stores: SqliteStore[] }> {
  const file = await temporaryFile();
  const stores = await Promise.all(Array.from({ length: count }, () => openSqlite({ file })));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const [first] = stores as [SqliteStore];
  await withRuns(first);
  await write(first, 1);
  const backup = `${file}.backup`;
  const db = new Sqlite(file, { readonly: true });
  await db.backup(backup);
  db.close();
  for (let seq = 2; seq <= 5; seq++) await write(stores[seq % count] as SqliteStore, seq);
  return { file, backup, stores };
}

async function foreign(): Promise<string> {
  const file = await temporaryFile();
  raw(file, (db) => db.exec('create table theirs (a); insert into theirs values (42)'));
  return file;
}

type Harm = (file: string, given: { backup: string; foreign: string }) => void;

const ways: readonly [name: string, code: string, harm: Harm][] = [
  ['deleted', 'DATABASE_LOST', (file) => rmSync(file)],
  ['renamed', 'DATABASE_LOST', (file) => renameSync(file, `${file}.away`)],
  ['replaced by another', 'DATABASE_LOST', (file, { foreign: other }) => renameSync(other, file)],
  [
    'replaced by a copy of itself',
    'DATABASE_LOST',
    (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ['robbed of its log', 'DATABASE_LOST', (file) => rmSync(`${file}-wal`)],
  ['robbed of the content of its log', 'DATABASE_CHANGED', (file) => truncateSync(`${file}-wal`, 0)],
  ['robbed of the index of its log', 'DATABASE_LOST', (file) => rmSync(`${file}-shm`)],
  ['moved with its folder', 'DATABASE_LOST', (file) => renameSync(dirname(file), `${dirname(file)}.moved`)],
  ['removed with its folder', 'DATABASE_LOST', (file) => rmSync(dirname(file), { recursive: true })],
];

/** Each is waited for as long as a locked database. */
const slowWays: typeof ways = [
  ['overwritten by an older backup', 'DATABASE_CHANGED', (file, { backup }) => copyFileSync(backup, file)],
  ['cut off', 'DATABASE_CHANGED', (file) => truncateSync(file, 0)],
  ['overwritten by another', 'DATABASE_CHANGED', (file, { foreign: other }) => copyFileSync(other, file)],
];

describe.each(inSizes({ usual: [3], deep: [1, 3], full: [1, 3] }))(
  'a database that %i processes have open',
  (count) => {
    it.each([...ways, ...inSizes({ usual: [], deep: count > 1 ? slowWays : [], full: slowWays })])(
      'that is %s is acknowledged nothing',
      async (_, code, harm) => {
        const { file, backup, stores } = await opened(count);
        const other = await foreign();
        harm(file, { backup, foreign: other });
        onTestFinished(() => rmSync(`${dirname(file)}.moved`, { recursive: true, force: true }));
        const there = existsSync(file) ? readFileSync(file) : null;
        for (const store of stores) {
          await expectCode(write(store, 9), code);
          expect(() => store.version()).toThrow(expect.objectContaining({ code }));
          await expectCode(Promise.all([write(store, 9), write(store, 10)]), code);
        }
        for (const store of stores) await store.close();
        if (!existsSync(file)) expect(there).toBeNull();
        // The log of a database that lost nothing but that is copied into it.
        else if (statSync(file).size !== 4096 && !/log/.test(_))
          expect(readFileSync(file).equals(there as Buffer)).toBe(true);
      },
    );

    it.each([
      ['log', '-wal'],
      ['index of the log', '-shm'],
    ])('keeps what was acknowledged when its %s is deleted', async (_, ending) => {
      const { file, stores } = await opened(count);
      rmSync(`${file}${ending}`);
      for (const store of stores) await expectCode(write(store, 9), 'DATABASE_LOST');
      expect(seqs(file)).toEqual([1, 2, 3, 4, 5]);
    });

    it('leaves another database at its path without its log, which stays beside it', async () => {
      const { file, stores } = await opened(count);
      renameSync(await foreign(), file);
      for (const store of stores) await expectCode(write(store, 9), 'DATABASE_LOST');
      expect(raw(file, (db) => db.prepare('select a from theirs').pluck().all())).toEqual([42]);
      expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.old'))).toHaveLength(1);
    });

    it('is not taken for changed when the others copy the log into it', async () => {
      const { file, stores } = await opened(count);
      for (let seq = 10; seq < 100; seq++) await write(stores[seq % count] as SqliteStore, seq, 200_000);
      expect(statSync(file).size).toBeGreaterThan(10_000_000);
      // 90 commits of 50 pages: without checkpoints the log would have 18 MB.
      expect(statSync(`${file}-wal`).size).toBeLessThan(12_000_000);
    });
  },
);

describe('a database that another program works on', () => {
  it('is used on when that copies the log into it, or makes the log anew', async () => {
    const { file, stores } = await opened(1);
    const [store] = stores as [SqliteStore];
    store.version();
    raw(file, (db) => db.pragma('wal_checkpoint(TRUNCATE)'));
    await write(store, 9);
    store.version();
    raw(file, (db) => db.exec('VACUUM'));
    raw(file, (db) => db.pragma('wal_checkpoint(RESTART)'));
    await write(store, 10);
    expect(seqs(file)).toEqual([1, 2, 3, 4, 5, 9, 10]);
  });

  itDeep('is used on when a process was killed while it copied the log', async () => {
    const { file, stores } = await opened(1);
    const [store] = stores as [SqliteStore];
    raw(file, (db) => db.pragma('user_version = 7'));
    utimesSync(file, 1, 1);
    await write(store, 9);
    // The next process that copies the log ends that.
    expect(await store.erase(() => ask('deleteAnswersBefore', { before: 0 }))).toMatchObject({
      complete: true,
    });
    expect(raw(file, (db) => db.pragma('user_version', { simple: true }))).toBe(8 + 2);
    utimesSync(file, 2, 2);
    await expectCode(write(store, 10), 'DATABASE_CHANGED');
  });

  itDeep('works on by itself when it is as it was', async () => {
    const { file, stores } = await opened(1);
    await stores[0]?.close();
    utimesSync(file, 1, 1);
    const store = await openSqlite({ file });
    onTestFinished(() => store.close());
    utimesSync(file, 2, 2);
    await expectCode(put(store, 'countFault', { pk: 1 }), 'DATABASE_CHANGED');
    utimesSync(file, 1, 1);
    expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
  });
});
