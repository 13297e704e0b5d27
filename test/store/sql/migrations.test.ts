import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { isRepeated, type Repeatable } from '../../../src/engine/commit/noted-requests.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import { noDriver, type RunRow } from '../../../src/store/rows.ts';
import { migrationNames } from '../../../src/store/sql/compiled.ts';
import { migrate, needsMigration } from '../../../src/store/sql/migrate.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { driverInput, holdInput, idOf, put, usageInput, waitingFor, withRuns } from '../rows.ts';
import { expectCode, opened, raw, temporaryFile } from '../support.ts';

/** A database as a program left it that knew only the first migrations. */
async function databaseOf(names: readonly string[]): Promise<string> {
  const file = await temporaryFile();
  const db = new Sqlite(file);
  migrate(db, file, { names });
  db.close();
  return file;
}

it('a new database is what all migrations make, one after the other', async () => {
  const migrated = await databaseOf(migrationNames.slice(0, 1));
  await opened({ file: migrated });
  const content = (file: string) =>
    raw(file, (db) => {
      const tables = db.prepare("select name from sqlite_master where type = 'table'").pluck().all();
      return {
        objects: db.prepare('select type, name, tbl_name, sql from sqlite_master order by name').all(),
        rows: tables.map((name) => [name, db.prepare(`select * from "${name}"`).raw().all()]).sort(),
      };
    });
  const withoutTimes = (made: unknown) => JSON.stringify(made).replaceAll(/"\d{4}-[^"]+Z"/g, '""');
  expect(withoutTimes(content(await databaseOf(migrationNames)))).toBe(withoutTimes(content(migrated)));
});

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
    user: null,
    headRun: 3,
    headSeq: 7,
    prunedRun: 0,
    prunedSeq: 0,
    title: null,
    pinned: 0,
  });
  expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toMatchObject({
    encoding: 'utf8',
    body: 'long',
  });
  expect((await store.query('loadRun', { tenant: 1, id: 'r1' }))?.sessionKey).toBe('s1');
  expect(await put(store, 'insertUsage', usageInput())).toBe(1);
  expect(await put(store, 'putHold', holdInput())).toBe(1);
});

it('sessions of before are of the user of their first run', async () => {
  const file = await databaseOf(['0001_runs']);
  const run = (pk: number, session: number, ordinal: number, options: string) => `
    insert into runs (pk, tenant_id, id, session_pk, ordinal, machine, version, seq, ended, state, context, input,
      options, output, fence, faults, created_at, updated_at)
      values (${pk}, 1, 'r${pk}', ${session}, ${ordinal}, 'run', 1, 0, 0, '""', '{}', '{}', '${options}', null, 1, 0, 1, 1);`;
  const of = (userId: unknown) => JSON.stringify({ principal: { tenantId: 1, userId } });
  const sessions = [1, 2, 3, 4, 5].map(
    (pk) =>
      `insert into sessions (pk, tenant_id, key, head_run, head_seq, created_at) values (${pk}, 1, 's${pk}', 0, 0, 1);`,
  );
  raw(file, (db) =>
    db.exec(
      [
        ...sessions,
        run(1, 1, 1, of('ada')),
        run(2, 1, 2, of('bob')),
        run(3, 2, 1, of(null)),
        run(4, 2, 2, of('bob')),
        run(5, 3, 1, 'damaged'),
        run(6, 4, 1, of({ name: 'ada' })),
      ].join('\n'),
    ),
  );
  const store = await opened({ file });
  const users = [1, 2, 3, 4, 5].map(
    async (n) => (await store.query('findSession', { tenant: 1, key: `s${n}` }))?.user,
  );
  expect(await Promise.all(users)).toEqual(['ada', null, null, null, null]);
});

it('calls of before are of the user of their session', async () => {
  const file = await databaseOf(migrationNames.slice(0, migrationNames.indexOf('0017_users_of_usage')));
  raw(file, (db) =>
    db.exec(`
      insert into tenants (id, name) values (2, 'acme');
      insert into sessions (pk, tenant_id, key, user_id, head_run, head_seq, created_at)
        values (1, 1, 'hers', 'ada', 0, 0, 1), (2, 2, 'hers', 'eve', 0, 0, 1), (3, 1, 'nobodys', null, 0, 0, 1);
      insert into usage (tenant_id, run_id, session_key, n, i, purpose, at, day, asked, input_tokens, output_tokens,
          cached_input_tokens, cache_write_tokens, reasoning_tokens, cached)
        values (1, 'r1', 'hers', 1, 0, 'think', 1, '1970-01-01', 'a/b', 1, 1, 0, 0, 0, 0),
          (1, 'r1', 'nobodys', 2, 0, 'think', 2, '1970-01-01', 'a/b', 1, 1, 0, 0, 0, 0),
          (1, 'r1', '', 3, 0, 'think', 3, '1970-01-01', 'a/b', 1, 1, 0, 0, 0, 0);
    `),
  );
  const store = await opened({ file });
  const calls = await store.query('listUsageOf', { tenant: 1, runId: 'r1' });
  expect(calls.map(({ user }) => user)).toEqual(['ada', null, null]);
});

it('keys of commands count after the log has given them up', async () => {
  const file = await databaseOf(migrationNames.slice(0, migrationNames.indexOf('0028_keys_of_commands')));
  const bodies = [
    ['run.message', {}],
    ['confirm.decide', { callId: 1, verdict: 'modify', given: { chars: 2 } }],
    ['confirm.decide', { callId: 2, verdict: 'modify', answer: 'yes' }],
    ['confirm.decide', { callId: 3, verdict: 'approve' }],
    ['tool.reconcile', { callId: 4, verdict: 'ran' }],
    ['order.paid', {}],
  ] as const;
  raw(file, (db) => {
    db.exec(`
      insert into sessions (pk, tenant_id, key, head_run, head_seq, created_at) values (1, 1, 's1', 0, 0, 5);
      insert into runs (pk, tenant_id, id, session_pk, ordinal, machine, version, seq, ended, state, context, input,
        options, output, fence, faults, created_at, updated_at)
        values (1, 1, 'r1', 1, 1, 'run', 1, 0, 0, '"idle"', '{}', '{}', '{}', null, 1, 0, 10, 10)`);
    const request = db.prepare(`
      insert into request_keys (tenant_id, name, owner, digest, driver, answer, at) values (1, ?, 'null', 'd', 1, ?, 9)`);
    const event = db.prepare(`
      insert into run_events (run_pk, seq, tenant_id, type, body, at, path, hash, dedupe_key)
        values (1, ?, 1, ?, ?, 11, 'a', 'ff', ?)`);
    for (const [i, [type, body]] of bodies.entries()) {
      event.run(i + 1, type, JSON.stringify(body), `done${i}`);
      request.run(`done${i}`, null);
    }
    event.run(9, 'run.message', '{}', 'of a program');
    request.run('answered', '1');
    for (const name of ['open', 'posted', 'sent', 'decided']) request.run(name, null);
    const command = db.prepare(
      'insert into commands (tenant_id, run_pk, kind, body, made_at) values (1, 1, ?, ?, 9)',
    );
    command.run('message', JSON.stringify({ text: 'a', key: 'posted' }));
    command.run('event', JSON.stringify({ event: { type: 'order.paid' }, key: 'sent' }));
    command.run('confirm', JSON.stringify({ call: 1, decision: { verdict: 'reject' }, key: 'decided' }));
    command.run('message', JSON.stringify({ text: 'a', key: 'mine' }));
  });
  const store = await opened({ file });
  const row = (await store.query('loadRun', { tenant: 1, id: 'r1' })) as RunRow;
  const repeated = (by: Repeatable) => store.commit(() => isRepeated(row, by));
  expect(await repeated({ key: 'of a program' })).toBe(true);
  expect(await repeated({ key: 'another' })).toBe(false);
  const effects = ['done0', 'done1', 'done2', 'done3', 'done4', 'done5', 'open', 'answered'].map(
    async (name) => {
      const found = await store.query('findRequestKey', { tenant: 1, name });
      return JSON.parse(found?.effect ?? 'null');
    },
  );
  const applied = (verdict: string) => ({ applied: true, verdict, stands: true });
  const of = [applied('result'), applied('answer'), applied('approve'), applied('ran'), { taken: true }];
  expect(await Promise.all(effects)).toEqual(['r1', ...of, null, null]);
  expect(await repeated({ notes: { requestId: 'done0', effect: '' } })).toBe(true);
  expect(await repeated({ notes: { requestId: 'open', effect: '' } })).toBe(false);
  const waiting = await waitingFor(store, 1);
  expect(waiting.map(({ body }) => JSON.parse(body))).toEqual([
    { text: 'a', notes: { requestId: 'posted', effect: 'r1' } },
    { event: { type: 'order.paid' }, notes: { requestId: 'sent', effect: { taken: true } } },
    {
      call: 1,
      decision: { verdict: 'reject' },
      notes: { requestId: 'decided', effect: applied('reject') },
    },
    { text: 'a', key: 'mine' },
  ]);
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
  migrate(one, file);
  migrate(other, file);
  expect(one.prepare('select name from kysely_migration order by name').pluck().all()).toEqual(
    migrationNames,
  );
  one.exec("insert into kysely_migration values ('9999_future', '2099')");
  expect(() => migrate(other, file)).toThrow(expect.objectContaining({ code: 'DATABASE_NEWER' }));
  for (const db of [one, other]) db.close();
});

describe('a database that one process at a time had to itself', () => {
  const waiting = '{"active":"awaitingConfirm"}';

  const refusing = () => {
    throw new DetentError('DATABASE_LOCKED', 'process 70 is at work in it');
  };

  /** Runs by their fence and state; a fence was the epoch of the last driver times a million, and a count. */
  async function migrated(runs: Readonly<Record<string, { fence: number; state: string; ended?: number }>>) {
    const file = await databaseOf(migrationNames.slice(0, migrationNames.indexOf('0008_many_drivers')));
    raw(file, (db) => {
      db.exec(`
        insert into sessions (pk, tenant_id, key, head_run, head_seq, created_at) values (1, 1, 's1', 0, 0, 5);
        insert into drivers (epoch, pid, started_at) values (1, 70, 100), (2, 71, 200)`);
      const insert = db.prepare(`
        insert into runs (tenant_id, id, session_pk, ordinal, machine, version, seq, ended, state, context, input,
          options, output, fence, faults, created_at, updated_at)
          values (1, ?, 1, ?, 'run', 3, 4, ?, ?, '{}', '{}', '{}', null, ?, 0, 10, 10)`);
      for (const [i, [id, { fence, state, ended = 0 }]] of Object.entries(runs).entries())
        insert.run(id, i + 1, ended, state, fence);
    });
    return file;
  }

  /** What a run's row says of its drivers. */
  const drivenBy = async (store: Store, id: string) => {
    const row = await store.query('loadRun', { tenant: 1, id });
    return row && { driver: row.driver, lastDriver: row.lastDriver, fence: row.fence };
  };

  it('leaves its unfinished runs to the next driver, but for those that wait for people or never began', async () => {
    const file = await migrated({
      running: { fence: 1_000_003, state: '{"active":"requesting"}' },
      queued: { fence: 2_000_000, state: '"idle"' },
      parked: { fence: 2_000_001, state: waiting },
      doubtful: { fence: 1_000_000, state: '{"active":"reconciling"}' },
      fork: { fence: 0, state: '{"active":"requesting"}' },
      done: { fence: 2_000_002, state: '"done"', ended: 1 },
    });
    const store = await opened({ file });
    const ids = ['running', 'queued', 'parked', 'doubtful', 'fork', 'done'];
    const drivers = await Promise.all(ids.map((id) => drivenBy(store, id)));
    expect(Object.fromEntries(ids.map((id, i) => [id, drivers[i]]))).toEqual({
      running: { driver: null, lastDriver: 1, fence: 1_000_003 },
      queued: { driver: null, lastDriver: 2, fence: 2_000_000 },
      parked: { driver: noDriver, lastDriver: 2, fence: 2_000_001 },
      doubtful: { driver: noDriver, lastDriver: 1, fence: 1_000_000 },
      fork: { driver: noDriver, lastDriver: null, fence: 0 },
      done: { driver: null, lastDriver: 2, fence: 2_000_002 },
    });
    expect((await store.query('listAbandonedRuns', { after: 0, limit: 9 })).map(idOf)).toEqual([
      'running',
      'queued',
    ]);
  });

  it('leaves a run that waits for people to the next driver if an effect of it was not performed', async () => {
    const file = await migrated(
      Object.fromEntries(
        ['pending', 'started', 'held', 'uncertain', 'done'].map((status) => [
          status,
          { fence: 1_000_000, state: waiting },
        ]),
      ),
    );
    raw(file, (db) =>
      db.exec(`
        insert into effects (run_pk, n, tenant_id, name, params, input, status, attempt, fence, created_at, updated_at)
          select pk, n, 1, 'tool', '{}', null, case n when 1 then id else 'held' end, 1, fence, 10, 10
          from runs, (select 1 as n union select 2)`),
    );
    const store = await opened({ file });
    expect((await store.query('listAbandonedRuns', { after: 0, limit: 9 })).map(idOf)).toEqual([
      'pending',
      'started',
    ]);
    expect(await drivenBy(store, 'pending')).toMatchObject({ driver: null, lastDriver: 1 });
    expect(await drivenBy(store, 'held')).toMatchObject({ driver: noDriver, lastDriver: 1 });
    expect(await store.query('findEffect', { run: 1, n: 1 })).toMatchObject({ driver: 1, fence: 1_000_000 });
  });

  it('has no driver that lives, and a run of it is claimed by the first new one', async () => {
    const file = await migrated({ r1: { fence: 2_000_001, state: waiting } });
    const store = await opened({ file });
    expect(await store.query('listDrivers', {})).toEqual([]);
    expect(await store.query('findDriver', { epoch: 2 })).toEqual({
      epoch: 2,
      pid: 71,
      startedAt: 200,
      endedAt: 200,
      name: '',
      address: null,
      token: '',
      lastError: null,
    });
    expect(await put(store, 'claimRun', { pk: 1, seen: 2_000_001, me: 2 })).toBe(0);
    expect(await put(store, 'insertDriver', driverInput())).toEqual({ epoch: 3 });
    expect(await put(store, 'claimRun', { pk: 1, seen: 2_000_001, me: 3 })).toBe(1);
    expect(await drivenBy(store, 'r1')).toEqual({ driver: 3, lastDriver: 3, fence: 2_000_002 });
  });

  it('is not migrated while its process may still be at work in it', async () => {
    const file = await migrated({});
    const before = raw(file, (db) => db.prepare('select count(*) from kysely_migration').pluck().get());
    await expectCode(openSqlite({ file, migrationCheck: async () => refusing }), 'DATABASE_LOCKED');
    expect(raw(file, (db) => db.prepare('select count(*) from kysely_migration').pluck().get())).toBe(before);
  });

  it('is opened beside a process that was faster to migrate it, and is at work in it by now', async () => {
    const file = await migrated({});
    const migrationCheck = async () => {
      await (await openSqlite({ file })).close();
      return refusing;
    };
    const store = await opened({ file, migrationCheck });
    expect(await store.query('listDrivers', {})).toEqual([]);
  });
});

describe('a database that others change while this process has it open', () => {
  it('is not written any more once a newer Detent has migrated it', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    raw(file, (db) =>
      db.exec(`
        alter table runs add column mood text;
        insert into kysely_migration (name, timestamp) values ('9999_moods', '');`),
    );
    await expectCode(put(store, 'countFault', { pk: 1 }), 'DATABASE_NEWER');
    await expectCode(put(store, 'countFault', { pk: 1 }), 'DATABASE_NEWER');
    expect(raw(file, (db) => db.prepare('select faults from runs').pluck().get())).toBe(0);
  });

  it('is written as before when a newer Detent has only added to it', async () => {
    const file = await temporaryFile();
    const store = await opened({ file });
    raw(file, (db) =>
      db.exec(`create table labels (name text);
        insert into kysely_migration (name, timestamp) values ('9999_labels_additive', '2030-01-01')`),
    );
    await put(store, 'insertSession', { tenant: 1, key: 's1', user: null, at: 1 });
    const later = await opened({ file });
    expect(await later.query('findSession', { tenant: 1, key: 's1' })).toBeDefined();
  });

  it('is written as before when its file was rewritten', async () => {
    const file = await temporaryFile();
    const store = await withRuns(await opened({ file }));
    raw(file, (db) => db.exec('vacuum'));
    expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
  });
});

it('a question to a person keeps what was decided, but an open one forgets the decision on an earlier one', async () => {
  const file = await databaseOf(migrationNames.slice(0, migrationNames.indexOf('0009_kept_confirmations')));
  raw(file, (db) =>
    db.exec(`
      insert into sessions (pk, tenant_id, key, head_run, head_seq, created_at) values (1, 1, 's1', 0, 0, 5);
      insert into runs (pk, tenant_id, id, session_pk, ordinal, machine, version, seq, ended, state, context, input,
        options, output, fence, faults, created_at, updated_at)
        values (1, 1, 'r1', 1, 1, 'run', 3, 4, 0, '"idle"', '{}', '{}', '{}', null, 1, 0, 10, 10);
      insert into confirmations (run_pk, call, tenant_id, kind, status, hash, body, decision, asked_at) values
        (1, 2, 1, 'confirm', 'approved', 'aa', '{}', '{"verdict":"approve","by":"ada"}', 11),
        (1, 3, 1, 'reconcile', 'open', 'bb', '{}', '{"verdict":"approve","by":"ada"}', 12);
    `),
  );
  const store = await opened({ file });
  const row = { run: 1, n: 1, body: '{}', told: 2, holder: null, heldUntil: null };
  expect(await store.query('listConfirmations', { run: 1 })).toEqual([
    {
      ...row,
      call: 2,
      kind: 'confirm',
      status: 'approved',
      hash: 'aa',
      decision: '{"verdict":"approve","by":"ada"}',
      askedAt: 11,
    },
    { ...row, call: 3, kind: 'reconcile', status: 'open', hash: 'bb', decision: null, askedAt: 12 },
  ]);
});
