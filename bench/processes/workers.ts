/**
 * A gateway and its workers on PostgreSQL, beside one process on SQLite, in turns: runs a second, how long a piece of an answer takes to a
 * client, and what it adds that runs are handed out.
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../../src/client/index.ts';
import { migrateTickets } from '../../src/cluster/server-drivers.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { administer, startPostgres } from '../../test/support/postgres.ts';
import { preciseNow } from '../gateway/protocol.ts';
import { median, quantile, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { MemberTask, MemberUp, MemberUsed } from './member.ts';

/** Runs at once: as fast as they go, and of streams. */
const lanes = { runs: 16, streams: 8 };

interface Kind {
  what: string;
  roles: readonly MemberTask['role'][];
  isOnServer: boolean;
  dispatcher: MemberTask['dispatcher'];
}

const cluster = (workers: number, dispatcher: MemberTask['dispatcher']): Kind => ({
  what: `PostgreSQL, gateway and ${workers} worker${workers === 1 ? '' : 's'}, ${dispatcher}`,
  roles: ['gateway', ...Array.from({ length: workers }, () => 'worker' as const)],
  isOnServer: true,
  dispatcher,
});

const kinds: readonly Kind[] = [
  { what: 'SQLite, one process', roles: ['both'], isOnServer: false, dispatcher: 'rows' },
  {
    what: 'PostgreSQL, one process, nothing handed out',
    roles: ['alone'],
    isOnServer: true,
    dispatcher: 'rows',
  },
  { what: 'PostgreSQL, one process, rows', roles: ['both'], isOnServer: true, dispatcher: 'rows' },
  { what: 'PostgreSQL, one process, pg-boss', roles: ['both'], isOnServer: true, dispatcher: 'pg-boss' },
  ...[1, 2, 4].flatMap((workers) => [cluster(workers, 'rows'), cluster(workers, 'pg-boss')]),
];

/** What one kind did in one round. */
interface Measured {
  runsPerSecond: number;
  /** Of all its processes; not of the server. */
  cpuMsPerRun: number;
  pieces: number[];
}

export async function measureWorkers(rounds: number, windowMs: number): Promise<object[]> {
  const all = kinds.map(() => [] as Measured[]);
  const server = await startPostgres();
  try {
    for (let round = 0; round < rounds; round++)
      for (const [i, kind] of kinds.entries()) {
        tell(`round ${round + 1} of ${rounds}: ${kind.what}`);
        const name = `bench_${round}_${i}`;
        if (kind.isOnServer) await administer(server.url('postgres'), `create database ${name}`);
        const url = kind.isOnServer ? server.url(name) : undefined;
        all[i]?.push(await inScratchFolder((folder) => measureOne(kind, { folder, url, windowMs })));
      }
  } finally {
    await server.stop();
  }
  tell('');
  return kinds.map(({ what }, i) => {
    const found = all[i] ?? [];
    const pieces = found.flatMap((one) => one.pieces);
    return {
      what,
      runsPerSecond: rounded(median(found.map((one) => one.runsPerSecond)), 1),
      cpuMsPerRun: rounded(median(found.map((one) => one.cpuMsPerRun)), 1),
      pieceP50Ms: rounded(quantile(pieces, 0.5), 1),
      pieceP99Ms: rounded(quantile(pieces, 0.99), 1),
    };
  });
}

async function measureOne(
  { roles, dispatcher }: Kind,
  { folder, url, windowMs }: { folder: string; url: string | undefined; windowMs: number },
): Promise<Measured> {
  if (url !== undefined) {
    const store = await openPostgres({ url });
    if (dispatcher === 'pg-boss') await migrateTickets(store);
    await store.close();
  }
  const members: { child: ChildProcess; up: MemberUp }[] = [];
  for (const role of roles)
    members.push(await started({ role, folder, dispatcher, ...(url !== undefined && { url }) }));
  const at = members.find(({ up }) => up.at)?.up.at;
  if (!at) throw new Error('no process is a gateway');
  const client = createClient(at);
  try {
    const work = (ms: number) => inLanes(lanes.runs, ms, (session) => ran(client, session));
    await work(Math.min(1_000, windowMs));
    await usedBy(members);
    const runs = await work(windowMs);
    const cpuMs = await usedBy(members);
    const pieces: number[] = [];
    await inLanes(lanes.streams, windowMs, (session) => streamed(client, session, pieces));
    return { runsPerSecond: (runs * 1_000) / windowMs, cpuMsPerRun: cpuMs / runs, pieces };
  } finally {
    client.close();
    for (const { child } of members.toReversed()) {
      const ended = once(child, 'exit');
      child.send('end');
      await ended;
    }
  }
}

async function started(task: MemberTask): Promise<{ child: ChildProcess; up: MemberUp }> {
  const child = fork(fileURLToPath(new URL('./member.ts', import.meta.url)), [JSON.stringify(task)]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the bench ended with ${code}`);
  });
  ended.catch(() => {});
  const [up] = (await Promise.race([once(child, 'message'), ended])) as [MemberUp];
  return { child, up };
}

async function usedBy(members: readonly { child: ChildProcess }[]): Promise<number> {
  const used = await Promise.all(
    members.map(async ({ child }) => {
      const answer = once(child, 'message');
      child.send('used');
      const [{ cpuMs }] = (await answer) as [MemberUsed];
      return cpuMs;
    }),
  );
  return used.reduce((sum, ms) => sum + ms, 0);
}

/** Repeats work in lanes for so long. Resolves with how often it was done in time. */
async function inLanes(count: number, ms: number, once: (session: string) => Promise<void>): Promise<number> {
  const until = performance.now() + ms;
  let done = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await once(crypto.randomUUID());
      if (performance.now() < until) done++;
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
  return done;
}

async function ran(client: Client, sessionId: string): Promise<void> {
  const { status } = await client.run('go', { sessionId }).result;
  if (status !== 'done') throw new Error(`a run ended as ${status}`);
}

/** Follows a stream, and notes how long each of its pieces took. */
async function streamed(client: Client, sessionId: string, pieces: number[]): Promise<void> {
  const run = client.run('stream', { sessionId });
  for await (const { event, payload } of run.events)
    if (event === 'assistant.delta')
      for (const [, at] of payload.content.matchAll(/@([\d.]+)@/g)) pieces.push(preciseNow() - Number(at));
  await run.result;
}

export function workersReport(measured: readonly object[], cores: number): string {
  const [first = {}] = measured;
  return [
    `a gateway and workers on one database, ${cores} cores, load ${loadavg().map(Math.round).join(', ')}`,
    '',
    table([Object.keys(first), ...measured.map((one) => Object.values(one).map(String))]),
  ].join('\n');
}
