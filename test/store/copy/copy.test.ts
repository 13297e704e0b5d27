import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { backupPostgres, copyDatabase, databaseStatus, openPostgres } from '../../../src/store/postgres.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { unpack } from '../../kept-database/continue.ts';
import type { KeptList } from '../../kept-database/kept-list.ts';
import { databaseIn } from '../../kept-database/life.ts';
import { KeptClock, keptOptions } from '../../kept-database/program.ts';
import { ask } from '../../support/ask.ts';
import { itDeep, someOf } from '../../support/deep.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { inSizes } from '../../support/size.ts';
import { wireTo } from '../../support/wire-to-postgres.ts';
import { artifactInput, put, withRuns } from '../rows.ts';
import { expectCode, raw, temporaryFile, temporaryFolder } from '../support.ts';
import { expectCopies, leftBehind, rowsOfFile } from './copying.ts';
import { shopOptions } from './shop.ts';

const folder = join(import.meta.dirname, '../../fixtures/kept-database');
const kept = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'));

const odd = 'NUL \0, U+E000 \uE000, and what reads like a mark: \uE0000000';

/** A file with a run. */
async function withRun(): Promise<string> {
  const file = await temporaryFile();
  const store = await openSqlite({ file });
  await withRuns(store, 1);
  await store.close();
  return file;
}

describe('a copy', () => {
  it.each(someOf(kept, 1))(
    'of the database of %s, killed and resumed, has every row, there and back',
    async (name) => {
      const workspace = await temporaryFolder();
      const list = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as KeptList;
      unpack(brotliDecompressSync(readFileSync(join(folder, `${name}.db.br`))), workspace, list.madeIn);
      const file = databaseIn(workspace);
      const old = await openSqlite({ file });
      await put(old, 'insertArtifact', artifactInput({ id: odd, body: odd }));
      await old.close();
      const kills = name === kept[0] ? inSizes({ usual: 1, deep: 4, full: 10 }) : 0;
      const url = await expectCopies(file, kills);
      if (kills === 0) return;
      const store = await openPostgres({ url });
      expect((await store.query('findArtifact', { tenant: 1, id: odd }))?.body).toBe(odd);
      const detent = createDetent({ ...keptOptions(workspace, false, new KeptClock(list.endsAt)), store });
      const replays = await detent.runs.replayAll();
      expect(replays.length).toBeGreaterThan(20);
      expect(replays.filter(({ diverged }) => diverged)).toEqual([]);
      await detent.close();
      await store.close();
    },
  );

  it.each(someOf(['a file into a server', 'a server into a file'], 1))(
    'of %s goes on: with a run that waits for a person, and with one that was killed in the midst of a call',
    async (way) => {
      const workspace = await temporaryFolder();
      const places = [await temporaryFile(), await newDatabase()];
      const [from = '', to = ''] = way.startsWith('a file') ? places : places.toReversed();
      const { waits, looks } = await leftBehind(from, workspace);
      await copyDatabase(from, to);
      const lines = [{ text: 'I have seen it.' }, { text: 'Here you are.' }];
      const detent = createDetent(shopOptions(to, workspace, lines, async () => 'a shelf'));
      await detent.runs.resume();
      expect(await detent.runs.attach(looks).result).toMatchObject({
        status: 'done',
        text: 'I have seen it.',
      });
      const { pending } = await detent.runs.show(waits);
      for (const { callId, argumentsHash } of pending)
        await detent.runs.confirm(waits, callId, { verdict: 'approve', hash: argumentsHash });
      const { status, steps } = await detent.runs.attach(waits).result;
      expect({ status, results: steps.map(({ toolCalls }) => toolCalls[0]?.result) }).toEqual({
        status: 'done',
        results: ['bought', undefined],
      });
      const replays = await detent.runs.replayAll();
      expect(replays.map(({ runId, diverged }) => [runId, diverged]).toSorted()).toEqual(
        [
          [looks, null],
          [waits, null],
        ].toSorted(),
      );
      await detent.close();
    },
  );

  it('begins again when its source changed while it was away', async () => {
    const file = await withRun();
    const url = await newDatabase();
    const store = await openSqlite({ file });
    await put(store, 'insertArtifact', artifactInput({ body: 'before' }));
    await copyDatabase(file, url);
    await administer(
      url,
      'create table detent_copy (name text primary key, cursor text not null)',
      `insert into detent_copy values ('', '${file}'), ('artifacts', '[1,"zzz"]'), ('runs', '[1]')`,
    );
    await store.commit(function* () {
      yield* ask('deleteRunsOf', { session: 1 });
    });
    await put(store, 'insertSession', { tenant: 1, key: 's2', user: null, at: 1 });
    await store.close();
    await copyDatabase(file, url);
    const back = `${file}.back`;
    await copyDatabase(url, back);
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file));
  });

  it('goes into nothing that holds other rows', async () => {
    const file = await withRun();
    const url = await newDatabase();
    await copyDatabase(file, url);
    await expectCode(copyDatabase(file, url), 'DATABASE_NOT_EMPTY');
    await expectCode(copyDatabase(url, file), 'FILE_EXISTS');
    await expectCode(copyDatabase(file, `${file}.2`), 'INVALID_ARGUMENTS');
    await expectCode(copyDatabase(`${file}.none`, await newDatabase()), 'NOT_FOUND');
    await expectCode(copyDatabase(await newDatabase(), `${file}.2`), 'NOT_FOUND');
    expect(existsSync(`${file}.2`)).toBe(false);
    const half = await newDatabase();
    await (await openPostgres({ url: half })).close();
    await administer(
      half,
      'create table detent_copy (name text primary key, cursor text not null)',
      "insert into detent_copy values ('', '/another.db')",
    );
    await expectCode(copyDatabase(file, half), 'DATABASE_NOT_EMPTY');
    await expectCode(copyDatabase(half, `${file}.3`), 'DATABASE_UNFINISHED');
  });

  it('is refused by a driver that is at work where it goes', async () => {
    const url = await newDatabase();
    const detent = createDetent({ env: {}, model: 'demo/demo', database: { url } });
    await detent.run('Hello').result;
    await expectCode(copyDatabase(await withRun(), url), 'DATABASE_LOCKED');
    await detent.close();
  });

  it.each(['into', 'out of'])(
    '%s a server that vanishes in the middle fails, and is not taken for whole',
    async (way) => {
      const file = await withRun();
      const url = await newDatabase();
      if (way === 'out of') await copyDatabase(file, url);
      const wire = await wireTo(url, {
        deafensAt: way === 'into' ? 'insert into "runs"' : 'count(*) as n from "runs"',
      });
      const places = way === 'into' ? [file, wire.url] : [wire.url, `${file}.back`];
      const [from = '', to = ''] = places;
      const copied = copyDatabase(from, to, { silentMs: 200 });
      await expectCode(copied, 'DATABASE_UNREACHABLE');
      if (way === 'into') await expectCode(openPostgres({ url }), 'DATABASE_UNFINISHED');
      else expect(existsSync(to)).toBe(false);
      // It goes on from there, once the server is back.
      wire.cut();
      await copyDatabase(from, to);
      expect((await databaseStatus(to)).rows).toEqual((await databaseStatus(from)).rows);
    },
  );

  it('finds a row that differs', async () => {
    const file = await withRun();
    const url = await newDatabase();
    await (await openPostgres({ url })).close();
    await administer(
      url,
      `create function spoil() returns trigger language plpgsql as $$ begin new.context = '{"other":1}'; return new; end $$`,
      'create trigger spoil before insert on runs for each row execute function spoil()',
    );
    await expectCode(copyDatabase(file, url), 'COPY_DIFFERS');
    await expectCode(openPostgres({ url }), 'DATABASE_UNFINISHED');
  });

  it('gives no key again that its source has given', async () => {
    const file = await withRun();
    const store = await openSqlite({ file });
    const gone = await put(store, 'insertSession', { tenant: 1, key: 'gone', user: null, at: 1 });
    await store.commit(() => ask('deleteSession', { session: gone.pk }));
    await store.close();
    const url = await newDatabase();
    await copyDatabase(file, url);
    const there = await openPostgres({ url });
    const next = await put(there, 'insertSession', { tenant: 1, key: 'next', user: null, at: 1 });
    expect(next.pk).toBe(gone.pk + 1);
    await there.commit(() => ask('deleteSession', { session: next.pk }));
    await there.close();
    await copyDatabase(url, `${file}.back`);
    const back = await openSqlite({ file: `${file}.back` });
    const last = await put(back, 'insertSession', { tenant: 1, key: 'last', user: null, at: 1 });
    expect(last.pk).toBe(next.pk + 1);
    await back.close();
  });
});

itDeep(
  'a backup of a server is a file that no run goes on in unasked, and that is restored by a copy',
  async () => {
    const url = await newDatabase();
    const detent = createDetent({ env: {}, model: 'demo/demo', database: { url } });
    const { runId, text } = await detent.run('Hello \0').result;
    const file = await temporaryFile();
    // While a driver is at work.
    const made = await detent.backup(file);
    expect(made).toEqual({ file, bytes: expect.any(Number) });
    await expectCode(detent.backup(file), 'FILE_EXISTS');
    await detent.close();
    const place = raw(file, (db) => db.prepare('select path from places').pluck().get());
    expect(place).toBe(url.replace(/:[^:]*@/, '@'));
    const restored = await newDatabase();
    await copyDatabase(file, restored);
    const again = createDetent({ database: { url: restored } });
    expect(await again.runs.show(runId)).toMatchObject({ text });
    await again.close();
    await backupPostgres(restored, file, { overwrite: true });
    expect((await databaseStatus(file)).rows).toEqual((await databaseStatus(restored)).rows);
  },
);
