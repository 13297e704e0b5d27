import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { ServerSigns } from '../../src/cluster/server/server-signs.ts';
import { Neighbours } from '../../src/engine/ownership.ts';
import { openStore } from '../../src/runtime/parts/store.ts';
import { PostgresPresence, presentDrivers } from '../../src/store/postgres/presence.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Presence } from '../../src/store/store.ts';
import { administer, newDatabase } from '../support/postgres.ts';
import { programFile } from '../support/program.ts';
import { type Cluster, describeCluster, type Member, startDriver } from './conformance.ts';

interface ServerCluster extends Cluster {
  url: string;
}

/** The connections that hold the locks of drivers. */
const lockConnections =
  "pg_stat_activity where application_name = 'detent lock' and datname = current_database()";

async function openCluster(): Promise<ServerCluster> {
  const url = await newDatabase();
  const presences: Presence[] = [];
  const holdsLock = async (driver: number) => {
    const [found] = await administer(url, presentDrivers);
    return found?.rows.some(({ epoch, isHeld }) => Number(epoch) === driver && isHeld);
  };
  return {
    url,
    async member() {
      const store = await openPostgres({ url, connections: 2, leaseMs: 200 });
      const open = store.openPresence.bind(store);
      store.openPresence = () => {
        const presence = open();
        presences.push(presence);
        return presence;
      };
      const opened = await openStore({ store }, null);
      onTestFinished(async () => {
        await opened.close();
        await store.close();
      });
      return opened;
    },
    async otherProcess() {
      const { epoch, kill } = await startDriver(url);
      return {
        epoch,
        async kill() {
          await kill();
          // The server needs a moment to see that its connection is gone.
          await expect.poll(() => holdsLock(epoch), { interval: 10 }).toBe(false);
        },
      };
    },
    async removeSigns({ address }) {
      await presences.find(({ channel }) => channel === address)?.free();
    },
  };
}

describeCluster('locks and messages of a server', openCluster);

async function joined(cluster: Cluster): Promise<Member & { epoch: number }> {
  const member = await cluster.member();
  return { ...member, epoch: await member.ownership.join() };
}

const living = async ({ store, ownership }: Member) =>
  (await new Neighbours(store, ownership, { now: () => 50 }).alive()).map(({ epoch }) => epoch);

it('a driver whose connection is cut has its lock again, and nobody buries it', async () => {
  const cluster = await openCluster();
  const [a, b] = [await joined(cluster), await joined(cluster)];
  for (let n = 0; n < 3; n++) {
    await administer(cluster.url, `select pg_terminate_backend(pid) from ${lockConnections}`);
    expect(await living(b)).toEqual([a.epoch]);
    expect(await living(a)).toEqual([b.epoch]);
  }
});

it('of two readings the one that was begun later counts, in whatever order they arrive', async () => {
  const cluster = await openCluster();
  const store = await openPostgres({ url: cluster.url });
  const presence = store.openPresence();
  const read = presence.drivers.bind(presence);
  const late = [Promise.withResolvers<void>()];
  const asked = Promise.withResolvers<void>();
  presence.drivers = async () => {
    const gate = late.shift();
    const found = await read();
    asked.resolve();
    await gate?.promise;
    return found;
  };
  const [gate] = late;
  const signs = new ServerSigns(presence);
  signs.stop();
  const early = signs.read();
  await asked.promise;
  const { epoch } = await joined(cluster);
  await signs.read();
  expect(signs.seemAlive(epoch)).toBe(true);
  gate?.resolve();
  await early;
  expect(signs.seemAlive(epoch)).toBe(true);
  await presence.close();
  await store.close();
});

it('the server notices within 20 seconds that a process with a lock is out of reach, also while it has something to tell it', async () => {
  const client = new pg.Client(await newDatabase());
  const presence = new PostgresPresence({
    leaseMs: 1_000,
    silentMs: 10_000,
    newClient: () => client,
    ask: (work) => work(client),
    patiently: (attempt) => attempt(),
  });
  await presence.hold('a driver');
  const { rows } = await client.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name like 'tcp%' order by name",
  );
  expect(rows.map(({ name, setting }) => [name, setting])).toEqual([
    ['tcp_keepalives_count', '3'],
    ['tcp_keepalives_idle', '10'],
    ['tcp_keepalives_interval', '3'],
    ['tcp_user_timeout', '20000'],
  ]);
  await presence.close();
});

it('a process that stands still in a transaction holds its rows for no longer than the server lets it', async () => {
  const store = await openPostgres({ url: await newDatabase() });
  const limit = "select current_setting('idle_in_transaction_session_timeout') as limit";
  expect((await store.accompany(null)(limit)).rows).toEqual([{ limit: '2500ms' }]);
  await store.close();
});

it('a driver that leaves has no connection any more', async () => {
  const cluster = await openCluster();
  const store = await openPostgres({ url: cluster.url });
  const opened = await openStore({ store }, null);
  await opened.ownership.join();
  await opened.close();
  const count = async () =>
    (await administer(cluster.url, `select count(*)::int as n from ${lockConnections}`))[0]?.rows[0]?.n;
  await expect.poll(count, { interval: 10 }).toBe(0);
  await store.close();
});

it('a driver that is stopped is dead, though it holds its lock, when the server has heard nothing of it for long', async () => {
  const url = await newDatabase();
  const other = await startDriver(url);
  const store = await openPostgres({ url, leaseMs: 10, silentMs: 300 });
  const member = await openStore({ store }, null);
  other.signal('SIGSTOP');
  await expect.poll(() => living(member), { interval: 20, timeout: 5_000 }).toEqual([]);
  const { endedAt } = (await store.query('findDriver', { epoch: other.epoch })) ?? {};
  expect(endedAt).toBe(50);
  // It joins anew, under a new lock.
  other.signal('SIGCONT');
  await member.close();
  await store.close();
});

it('a process that only looks sees at once that a driver was killed', async () => {
  const cluster = await openCluster();
  const { epoch, kill } = await cluster.otherProcess();
  await kill();
  const { ownership } = await cluster.member();
  expect(ownership.seemsAlive(epoch)).toBe(false);
});

it('a process that closes ends with its connections, and without an error', async () => {
  const { url } = await openCluster();
  const child = spawn(process.execPath, [programFile('test/cluster/children/driver'), url, 'leave']);
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
