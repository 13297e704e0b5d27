import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { createGateway } from '../../../src/gateway/index.ts';
import { createDetent, defineTool } from '../../../src/index.ts';
import { isGone } from '../../../src/store/postgres/errors.ts';
import { openPostgres, type PostgresStore } from '../../../src/store/postgres.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { ask } from '../../support/ask.ts';
import { itDeep } from '../../support/deep.ts';
import { modelOptions } from '../../support/detent.ts';
import { administer, newDatabase, password, startPostgres } from '../../support/postgres.ts';
import { inSizes, sized } from '../../support/size.ts';
import { driverInput, put } from '../rows.ts';
import { expectCode } from '../support.ts';

/** Stands between a store and its server, and cuts a connection when COMMIT goes by. */
class Wire {
  /** Cuts the next COMMIT: before the server has it, or before its answer is back. */
  cuts: 'before' | 'after' | null = null;
  /** Each, not only the next one. */
  isAlways = false;
  cut = 0;
  address = '';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#server = createServer((client) => {
      const server = connect({ host: hostname, port: Number(port) });
      const end = () => {
        client.destroy();
        server.destroy();
      };
      for (const socket of [client, server]) {
        this.#sockets.add(socket.on('error', end).on('close', end));
        socket.once('close', () => this.#sockets.delete(socket));
      }
      let isDeaf = false;
      client.on('data', (bytes) => {
        // Not the "READ COMMITTED" with which each transaction begins.
        if (this.cuts && bytes.includes('COMMIT\0')) {
          const when = this.cuts;
          if (!this.isAlways) this.cuts = null;
          this.cut++;
          if (when === 'before') return end();
          isDeaf = true;
        }
        server.write(bytes);
      });
      server.on('data', (bytes) => (isDeaf ? end() : client.write(bytes)));
    });
  }

  listen(url: string): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const here = new URL(url);
        const address = this.#server.address();
        here.port = String(typeof address === 'object' ? address?.port : 0);
        this.address = here.href;
        resolve(here.href);
      });
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

let url: string;
let wire: Wire;
let store: PostgresStore;

beforeAll(async () => {
  url = await newDatabase();
  wire = new Wire(url);
  store = await openPostgres({ url: await wire.listen(url), connections: 4 });
  await put(store, 'insertDriver', driverInput());
});

afterAll(async () => {
  await store.close();
  wire.close();
});

const faults = async () => {
  const row = await store.query('loadRun', { tenant: 1, id: 'r1' });
  return row?.faults ?? -1;
};

const create = (key: string) =>
  store.commit(function* () {
    const { pk } = yield* ask('insertSession', { tenant: 1, key, user: null, at: 5 });
    yield* ask('moveSessionHead', { session: pk, run: 1, seq: 1 });
    return pk;
  });

it.each(['before', 'after'] as const)(
  'a commit whose connection is cut %s the server has it happens once, and says so',
  async (when) => {
    const tries = sized(8, 100);
    for (let n = 0; n < tries; n++) {
      const key = `${when} ${n}`;
      wire.cuts = when;
      const pk = await create(key);
      const row = await store.query('findSession', { tenant: 1, key });
      expect(row).toMatchObject({ pk, headRun: 1 });
    }
    expect(wire.cuts).toBeNull();
    expect(wire.cut).toBeGreaterThanOrEqual(tries);
    const [sessions] = await administer(
      url,
      `select count(*)::int as n from sessions where key like '${when} %'`,
    );
    expect(sessions?.rows).toEqual([{ n: tries }]);
  },
);

it('a commit whose connection is cut again and again fails when patience is over, and did not happen', async () => {
  const impatient = await openPostgres({ url: wire.address, connections: 1, patienceMs: 300 });
  wire.isAlways = true;
  wire.cuts = 'before';
  const asked = impatient.commit(() => ask('insertSession', { tenant: 1, key: 'never', user: null, at: 5 }));
  await expectCode(asked, 'DATABASE_UNREACHABLE');
  wire.isAlways = false;
  wire.cuts = null;
  expect(await impatient.query('findSession', { tenant: 1, key: 'never' })).toBeUndefined();
  await impatient.close();
});

it('programs count each time, although their connections are cut at random', async () => {
  const { pk: session } = await put(store, 'insertSession', { tenant: 1, key: 'counted', user: null, at: 5 });
  const run = {
    tenant: 1,
    id: 'r1',
    session,
    ordinal: 1,
    machine: 'run',
    version: 1,
    seq: 0,
    ended: 0 as const,
  };
  await put(store, 'insertRun', {
    ...run,
    state: '"idle"',
    context: '{}',
    input: '{}',
    options: '{}',
    output: null,
    driver: 0,
    lastDriver: null,
    fence: 1,
    createdAt: 10,
  });
  const { pk } = (await store.query('loadRun', { tenant: 1, id: 'r1' })) ?? { pk: 0 };
  const all = Array.from({ length: sized(40, 400) }, async (_, n) => {
    if (n % 4 === 0) wire.cuts = n % 8 === 0 ? 'before' : 'after';
    await put(store, 'countFault', { pk });
  });
  await Promise.all(all);
  expect(await faults()).toBe(all.length);
});

it('a run whose commits are cut is created, steered, decided and ended once, and its log says what its callers heard', async () => {
  const place = await newDatabase();
  const cutting = new Wire(place);
  const own = await openPostgres({ url: await cutting.listen(place), connections: 4 });
  let bought = 0;
  let begun = Promise.withResolvers<void>();
  let steered = Promise.withResolvers<void>();
  const buy = defineTool({
    name: 'buy',
    description: 'Buys one.',
    parameters: z.object({}),
    sideEffect: 'unsafe',
    async run() {
      begun.resolve();
      await steered.promise;
      return `bought ${++bought}`;
    },
  });
  const tries = inSizes({ usual: 2, deep: 10, full: 50 });
  const lines = Array.from({ length: tries }, () => [
    { toolCalls: [{ name: 'buy', arguments: {} }] },
    { text: 'Here you are.' },
  ]);
  const options = { store: own, tools: { define: [buy] } };
  const detent = createDetent(modelOptions(scriptedModel(lines.flat()), options));
  let cuts = 0;
  const cutNext = () => {
    cutting.cuts = ++cuts % 2 === 0 ? 'before' : 'after';
  };
  for (let n = 1; n <= tries; n++) {
    begun = Promise.withResolvers();
    steered = Promise.withResolvers();
    cutNext();
    const { runId, status, pending } = await detent.run('Buy one.').result;
    expect(status).toBe('waiting');
    for (const { callId, argumentsHash } of pending) {
      cutNext();
      await detent.runs.confirm(runId, callId, { verdict: 'approve', hash: argumentsHash });
    }
    await begun.promise;
    cutNext();
    await detent.runs.steer(runId, 'Soon, please.');
    cutNext();
    steered.resolve();
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'Here you are.' });
    expect(bought).toBe(n);
  }
  expect(cutting.cut).toBeGreaterThanOrEqual(tries * 3);
  expect(await detent.runs.list()).toHaveLength(tries);
  expect((await detent.runs.replayAll()).filter(({ diverged }) => diverged)).toEqual([]);
  const [heard] = await administer(
    place,
    "select count(*)::int as n from messages where body like '%Soon, please.%'",
  );
  expect(heard?.rows).toEqual([{ n: tries }]);
  await detent.close();
  await own.close();
  cutting.close();
});

itDeep('waits for a server that was killed, and loses nothing that it acknowledged', async () => {
  const server = await startPostgres();
  try {
    const own = await openPostgres({ url: server.url('postgres') });
    const acknowledged: number[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await put(own, 'insertSession', { tenant: 1, key: `k${n}`, user: null, at: 5 });
        acknowledged.push(n);
      }
    })();
    for (let kill = 0; kill < 2; kill++) {
      const from = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(from + 3);
      await server.restart();
    }
    isOver = true;
    await writing;
    for (const n of acknowledged)
      expect(await own.query('findSession', { tenant: 1, key: `k${n}` })).toBeDefined();
    await own.close();
  } finally {
    await server.stop();
  }
});

itDeep(
  'waits no longer than its patience for a server that stays away, says so once, and tells who asks whether it is there at once',
  async () => {
    const server = await startPostgres();
    const told: string[] = [];
    const onWait = ({ message }: Error) => void told.push(message);
    const own = await openPostgres({ url: server.url('postgres'), patienceMs: 2_500, onWait });
    const detent = createDetent({ store: await openPostgres({ url: server.url('postgres') }) });
    const gateway = createGateway(detent, { authenticate: async () => null });
    const ready = async () => (await gateway.handler(new Request('http://localhost/readyz'))).status;
    expect(await ready()).toBe(200);
    await server.stop();
    // This store waits for half a minute, and its gateway does not.
    expect(await ready()).toBe(503);
    await expectCode(detent.checkReady(), 'DATABASE_UNREACHABLE');
    await Promise.all([
      expectCode(own.query('loadRun', { tenant: 1, id: 'r1' }), 'DATABASE_UNREACHABLE'),
      expectCode(
        put(own, 'insertSession', { tenant: 1, key: 'k', user: null, at: 5 }),
        'DATABASE_UNREACHABLE',
      ),
    ]);
    expect(told).toEqual([
      expect.stringMatching(
        /^database postgres:\/\/detent@\S+ cannot be reached .*; Detent waits for it, up to/,
      ),
    ]);
    await own.close();
  },
);

it('a server that takes a connection and says nothing is one that is away', async () => {
  const mute = createServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as { port: number };
  const client = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 20 });
  client.on('error', () => {});
  expect(isGone(await client.connect().catch((error) => error))).toBe(true);
  mute.close();
});

it('gives up on a server that is not there, and never says the password', async () => {
  const away = new URL(url);
  away.port = '1';
  const failed = await openPostgres({ url: away.href, patienceMs: 200 }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'DATABASE_UNREACHABLE', retryable: true });
  const wrong = new URL(url);
  wrong.password = `${password}-wrong`;
  const refused = await openPostgres({ url: wrong.href }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'DATABASE_UNUSABLE' });
  for (const error of [failed, refused]) {
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify(error)).not.toContain(password);
    expect(String((error as Error).stack)).not.toContain(password);
  }
});
