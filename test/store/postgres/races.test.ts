import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../../src/gateway/index.ts';
import { createDetent } from '../../../src/index.ts';
import { scopes } from '../../../src/protocol/access.ts';
import { postgresStatement } from '../../../src/store/postgres/compiled.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { openPostgres, type PostgresStore } from '../../../src/store/postgres.ts';
import { order } from '../../../src/store/program.ts';
import { valuesOfBind } from '../../../src/store/query/compile.ts';
import { noDriver } from '../../../src/store/rows.ts';
import { ruleModel } from '../../../src/testing/index.ts';
import { ask } from '../../support/ask.ts';
import { modelOptions } from '../../support/detent.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { inSizes, sized } from '../../support/size.ts';
import { driverInput, effectInput, eventInput, put, runInput } from '../rows.ts';
import { expectCode } from '../support.ts';

let store: PostgresStore;

beforeAll(async () => {
  store = await openPostgres({ url: await newDatabase(), connections: 4 });
});
afterAll(() => store.close());

const tries = sized(10, 1_000);
let made = 0;

/** A session with a run. */
async function withRun() {
  const name = `s${++made}`;
  const { pk: session } = await put(store, 'insertSession', { tenant: 1, key: name, user: null, at: 5 });
  const { pk: run } = await put(store, 'insertRun', runInput({ id: name, session }));
  return { name, session, run };
}

/** The end of a run that has not moved yet. */
const ofRun = (pk: number) => ({
  pk,
  was: 0,
  wasDriver: noDriver,
  fence: 1,
  seq: 1,
  context: '{}',
  output: null,
  updatedAt: 12,
});

/** A new run at the end of its lane, as programs make one. */
const create = (key: string, id: string) =>
  store.commit(function* () {
    const found = yield* ask('findSession', { tenant: 1, key });
    const session = found?.pk ?? (yield* ask('insertSession', { tenant: 1, key, user: null, at: 5 })).pk;
    const last = yield* ask('lastOrdinal', { session });
    return yield* ask('insertRun', runInput({ id, session, ordinal: (last?.ordinal ?? 0) + 1 }));
  });

it('a program is told what was not likely, whatever it did meanwhile', async () => {
  const { run } = await withRun();
  await put(store, 'insertEvent', eventInput({ run, seq: 1, inFeed: 0 }));
  const heard: number[] = [];
  const advance = store.commit(function* () {
    const moved = yield* ask('advanceRun', { ...ofRun(run), was: 7, state: '"a"' });
    heard.push(moved);
    if (moved === 0) throw new Error('it has moved');
    // The server refuses the second of one number.
    yield* order('insertEvent', eventInput({ run, seq: 1, inFeed: 0 }));
  });
  await expect(advance).rejects.toThrow('it has moved');
  expect(heard).toEqual([1, 0]);
});

it('a wrong guess leaves a line in the log of the server that says what it is', async () => {
  const { guessed, bind } = postgresStatement('advanceRun');
  const client = new pg.Client(await newDatabase());
  await client.connect();
  try {
    await migrate(client, 'here', false);
    const refused = client.query(guessed, valuesOfBind(bind, { ...ofRun(7), was: 7, state: '"a"' }));
    await expect(refused).rejects.toThrow(/"0 rows, for another process was faster: Detent tries again"$/);
  } finally {
    await client.end();
  }
});

it('what a program only tells is not waited for, and takes all back when the server refuses it', async () => {
  let isPast = false;
  const telling = store.commit(function* () {
    yield* ask('insertSession', { tenant: 1, key: 'told', user: null, at: 5 });
    yield* order('clearTimer', { run: 'no number', id: 't' });
    isPast = true;
  });
  await expectCode(telling, 'DATABASE_FAILED');
  expect(isPast).toBe(true);
  expect(await store.query('findSession', { tenant: 1, key: 'told' })).toBeUndefined();
});

describe('of programs on several connections', () => {
  it('two creates in one new session both get a place', async () => {
    for (let n = 0; n < tries; n++) {
      const key = `lane ${n}`;
      await Promise.all([create(key, `${key} a`), create(key, `${key} b`)]);
      const session = (await store.query('findSession', { tenant: 1, key }))?.pk ?? 0;
      const runs = await store.query('listRunsOf', { session, limit: 9 });
      expect(runs.map(({ ordinal }) => ordinal)).toEqual([2, 1]);
    }
  });

  it('a run that is made behind one that ends is seen by the end, or sees it', async () => {
    for (let n = 0; n < tries; n++) {
      const { name, session, run } = await withRun();
      const behind = store.commit(function* () {
        const head = yield* ask('laneHead', { session });
        yield* ask('insertRun', runInput({ id: `${name} b`, session, ordinal: 2 }));
        return head === undefined;
      });
      const ending = put(store, 'endRun', { ...ofRun(run), state: '"done"' }).then(() =>
        store.query('laneHead', { session }),
      );
      const [starts, next] = await Promise.all([behind, ending]);
      expect(starts || next?.id === `${name} b`).toBe(true);
    }
  });

  it('a run is cancelled, or completed, and its row says which', async () => {
    for (let n = 0; n < tries; n++) {
      const { name, run } = await withRun();
      const ends = ['"cancelled"', '"done"'];
      const ended = await Promise.all(ends.map((state) => put(store, 'endRun', { ...ofRun(run), state })));
      expect(ended.toSorted()).toEqual([0, 1]);
      const row = await store.query('loadRun', { tenant: 1, id: name });
      expect(row).toMatchObject({ ended: 1, state: ends[ended.indexOf(1)] });
    }
  });

  it('one of two decisions about a call is taken', async () => {
    for (let n = 0; n < tries; n++) {
      const { run } = await withRun();
      await put(store, 'insertConfirmation', {
        tenant: 1,
        run,
        call: 1,
        kind: 'confirm',
        hash: 'h',
        body: '{}',
        askedAt: 1,
      });
      const decide = (status: 'approved' | 'rejected') =>
        store.commit(function* () {
          const open = yield* ask('findConfirmation', { run, call: 1 });
          if (open?.status !== 'open') return 0;
          return yield* ask('decideConfirmation', { run, call: 1, status, decision: '{}' });
        });
      expect((await Promise.all([decide('approved'), decide('rejected')])).toSorted()).toEqual([0, 1]);
    }
  });

  it('the last of a budget is spent once', async () => {
    for (let n = 0; n < tries; n++) {
      const { run } = await withRun();
      const budget = { tenant: 1, id: `b${n}`, period: '' };
      const admit = (call: number) =>
        store.commit(function* () {
          yield* ask('ensureBudget', { ...budget, maxTokens: 10, maxCostUsd: null, at: 1 });
          const row = yield* ask('findBudget', { ...budget, now: 1, run, n: call });
          if (!row || row.spentTokens + row.heldTokens + 10 > 10) return false;
          yield* ask('putHold', {
            tenant: 1,
            run,
            n: call,
            budget: budget.id,
            period: '',
            tokens: 10,
            costUsd: 0,
            leastTokens: 0,
            leastCostUsd: 0,
            expiresAt: 99,
          });
          return true;
        });
      const admitted = await Promise.all([1, 2, 3].map(admit));
      expect(admitted.filter(Boolean)).toHaveLength(1);
    }
  });

  it('a request key is made once, and the other one finds it', async () => {
    for (let n = 0; n < tries; n++) {
      const key = { tenant: 1, name: `key ${n}` };
      const begin = () =>
        store.commit(function* () {
          if (yield* ask('findRequestKey', key)) return 'found';
          yield* ask('insertRequestKey', {
            ...key,
            owner: '',
            digest: '',
            driver: 1,
            effect: null,
            at: 1,
            run: null,
          });
          return 'made';
        });
      expect((await Promise.all([begin(), begin()])).toSorted()).toEqual(['found', 'made']);
    }
  });

  it('one Idempotency-Key at two gateways makes one run, and both name it', async () => {
    const url = await newDatabase();
    const stores = await Promise.all([1, 2].map(() => openPostgres({ url, connections: 4 })));
    const operator = { tenantId: 1, userId: 'ann', scopes };
    const detents = stores.map((own) =>
      createDetent(
        modelOptions(
          ruleModel(() => ({ text: 'done' })),
          { store: own },
        ),
      ),
    );
    const limits = { requestsPerMinute: 1e9 };
    const gateways = detents.map((detent) => createGateway(detent, { authenticate: () => operator, limits }));
    const named = new Set<string>();
    const times = inSizes({ usual: 20, deep: 100, full: 1_000 });
    for (let n = 0; n < times; n++) {
      const run = async (gateway: Gateway) => {
        const headers = {
          authorization: 'Bearer anyone',
          'content-type': 'application/json',
          'idempotency-key': `key ${n}`,
        };
        const body = JSON.stringify({ prompt: `go ${n}` });
        const answer = await gateway.handler(
          new Request('http://localhost/api/v1/runs', { method: 'POST', headers, body }),
        );
        const said: { runId: string } = JSON.parse(await answer.text());
        return { status: answer.status, ...said };
      };
      const [one, two] = await Promise.all(gateways.map(run));
      expect(one?.status).toBeLessThan(300);
      expect(two).toEqual(one);
      if (one) named.add(one.runId);
    }
    await Promise.all(detents.map((detent) => detent.runs.rested()));
    const [runs] = await administer(url, "select id from runs where machine = 'run'");
    expect(named.size).toBe(times);
    expect(new Set(runs?.rows.map(({ id }) => id))).toEqual(named);
    for (const closing of [...gateways, ...detents, ...stores]) await closing.close();
  });

  it('a driver that is buried while it claims a run has none', async () => {
    for (let n = 0; n < tries; n++) {
      const { name, run } = await withRun();
      const { epoch } = await put(store, 'insertDriver', driverInput());
      await Promise.all([
        put(store, 'claimRun', { pk: run, seen: 1, me: epoch }),
        store.commit(function* () {
          yield* ask('endDriver', { epoch, at: 12 });
          yield* ask('abandonRunsOf', { driver: epoch });
        }),
      ]);
      const row = await store.query('loadRun', { tenant: 1, id: name });
      expect(row?.driver === epoch).toBe(false);
    }
  });

  it('runs that are handed out go to one driver each, and to none that is buried meanwhile', async () => {
    for (let n = 0; n < tries; n++) {
      const made = await Promise.all([withRun(), withRun(), withRun()]);
      for (const { run } of made) await put(store, 'passRun', { pk: run, driver: null });
      const [dying, living] = [
        await put(store, 'insertDriver', driverInput()),
        await put(store, 'insertDriver', driverInput()),
      ];
      const handed = (me: number) => put(store, 'claimWanted', { me, refused: '[]', before: 0, limit: 2 });
      const [other] = await Promise.all([
        handed(living.epoch),
        handed(dying.epoch),
        store.commit(function* () {
          yield* ask('endDriver', { epoch: dying.epoch, at: 12 });
          yield* ask('abandonRunsOf', { driver: dying.epoch });
        }),
      ]);
      for (const { name, run } of made) {
        const row = await store.query('loadRun', { tenant: 1, id: name });
        expect(row?.driver === dying.epoch).toBe(false);
        expect(row?.driver === living.epoch).toBe(other.some(({ pk }) => pk === run));
        await put(store, 'passRun', { pk: run, driver: noDriver });
      }
    }
  });

  it('an effect starts under the fence that its run has, or not at all', async () => {
    for (let n = 0; n < tries; n++) {
      const { name, run } = await withRun();
      await put(store, 'insertEffect', effectInput({ run, n: 1, status: 'pending', fence: 1 }));
      const { epoch } = await put(store, 'insertDriver', driverInput());
      const [started] = await Promise.all([
        store.commit(function* () {
          const row = yield* ask('loadRun', { tenant: 1, id: name });
          if (row?.fence !== 1) return 0;
          return yield* ask('startEffect', {
            run,
            n: 1,
            driver: 1,
            fence: 1,
            status: 'started',
            attempts: 1,
            at: 2,
          });
        }),
        put(store, 'claimRun', { pk: run, seen: 1, me: epoch }),
      ]);
      const effect = await store.query('findEffect', { run, n: 1 });
      expect(effect?.status).toBe(started ? 'started' : 'pending');
    }
  });

  it('places in the feed of a tenant are in the order of commits', async () => {
    await put(store, 'beginFeed', { tenant: 1 });
    const { run } = await withRun();
    const seen: number[] = [];
    let isOver = false;
    const reading = (async () => {
      let after = 0;
      while (!isOver || after < tries * 4) {
        const upTo = (await store.query('feedHead', { tenant: 1 }))?.pos ?? 0;
        for (const { pos } of await store.query('listFeed', { tenant: 1, user: null, after, upTo }))
          seen.push(pos);
        after = upTo;
      }
    })();
    const events = Array.from({ length: tries * 4 }, (_, seq) =>
      put(store, 'insertEvent', {
        run,
        tenant: 1,
        seq: seq + 1,
        type: 'a',
        body: '{}',
        at: 1,
        path: '',
        hash: '',
        inFeed: 1,
      }),
    );
    await Promise.all(events);
    isOver = true;
    await reading;
    expect(seen).toEqual(Array.from({ length: tries * 4 }, (_, n) => n + 1));
  });
});
