import { expect, it, onTestFinished } from 'vitest';
import { examineTickets, migrateTickets } from '../../src/cluster/server-drivers.ts';
import type { Detent, DetentOptions } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openPostgres, type PostgresStore } from '../../src/store/postgres.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { itDeep } from '../support/deep.ts';
import { modelOptions } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';

async function storeOf(url: string): Promise<PostgresStore> {
  const store = await openPostgres({ url, connections: 3 });
  onTestFinished(() => store.close());
  return store;
}

/** A database with the tables of pg-boss. */
async function withTickets(): Promise<string> {
  const url = await newDatabase();
  await migrateTickets(await storeOf(url));
  return url;
}

const activity = `select pid, application_name, state, wait_event, pg_blocking_pids(pid) as blocked, now() - state_change as since,
  left(query, 200) as query from pg_stat_activity where datname = current_database()`;

/** A process of a cluster, and what it reported. */
async function member(url: string, options: DetentOptions): Promise<{ detent: Detent; reported: string[] }> {
  const store = await openPostgres({ url, connections: 3 });
  const reported: string[] = [];
  const model: ChatModel = {
    generate: (request, asked) => scriptedModel([{ text: 'Done.' }]).generate(request, asked),
  };
  const detent = createDetent(
    modelOptions(model, {
      dispatcher: 'pg-boss',
      ...options,
      store,
      onError: (error) => void reported.push(String(error)),
    }),
  );
  onTestFinished(async ({ task }) => {
    // Who waits for whom at the server, should anything hang.
    if (task.result?.state === 'fail') console.log(reported, (await administer(url, activity))[0]?.rows);
    await detent.close();
    await store.close();
  });
  return { detent, reported };
}

const gateway = (url: string, options: DetentOptions = {}) => member(url, { drivesRuns: false, ...options });

async function worker(url: string, options: DetentOptions = {}) {
  const made = await member(url, options);
  await made.detent.runs.resume();
  return made;
}

async function ticketsIn(url: string): Promise<{ priority: number; run: string }[]> {
  const sql = "select priority, data ->> 'run' as run from detent_tickets.job order by priority desc";
  return (await administer(url, sql))[0]?.rows ?? [];
}

const statusOf = (detent: Detent, runId: string) =>
  detent.runs.attach(runId).result.then(({ status }) => status);

it('a migration makes the tables of pg-boss, makes them again where they were emptied, and refuses newer ones', async () => {
  const url = await newDatabase();
  const store = await storeOf(url);
  expect(await examineTickets(store)).toEqual({ state: 'new' });
  await migrateTickets(store);
  expect(await examineTickets(store)).toEqual({ state: 'current' });
  await administer(url, 'delete from detent_tickets.version');
  expect(await examineTickets(store)).toEqual({ state: 'older' });
  await migrateTickets(store);
  expect(await examineTickets(store)).toEqual({ state: 'current' });
  await administer(url, 'update detent_tickets.version set version = version + 1');
  expect(await examineTickets(store)).toEqual({ state: 'newer' });
  await expect(migrateTickets(store)).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
});

it('a commit that leaves a run writes a ticket, people before jobs, and the commit that hands it out settles it', async () => {
  const url = await withTickets();
  const { detent: maker } = await gateway(url);
  const ofJob = await maker.run('slot', { sessionId: 'cron:j:run_1' }).started;
  const ofPerson = await maker.run('person').started;
  expect(await ticketsIn(url)).toEqual([
    { priority: 1, run: ofPerson },
    { priority: 0, run: ofJob },
  ]);
  const { reported } = await worker(url);
  expect(await statusOf(maker, ofJob)).toBe('done');
  expect(await statusOf(maker, ofPerson)).toBe('done');
  await expect.poll(() => ticketsIn(url), { interval: 20 }).toEqual([]);
  expect(reported).toEqual([]);
});

it('a run is driven once however many tickets it has, and one that nobody wrote a ticket for is driven too', async () => {
  const url = await withTickets();
  const [{ detent: writing }, { detent: silent }] = [
    await gateway(url),
    await gateway(url, { dispatcher: 'rows' }),
  ];
  await worker(url);
  await worker(url);
  const before = await writing.run('first').started;
  expect(await statusOf(writing, before)).toBe('done');
  const runs = [await silent.run('no ticket').started, await writing.run('a ticket').started];
  await administer(
    url,
    `insert into detent_tickets.job (name, data) select 'wanted', jsonb_build_object('run', id) from runs, generate_series(1, 3)`,
  );
  for (const run of runs) expect(await statusOf(writing, run)).toBe('done');
  await expect.poll(() => ticketsIn(url), { interval: 20 }).toEqual([]);
  const [fences] = await administer(url, 'select max(fence)::int as most from runs');
  expect(fences?.rows).toEqual([{ most: 2 }]);
});

itDeep(
  'without its tables, and when they vanish, runs are handed out by the rows, and it is said once',
  async () => {
    const url = await newDatabase();
    const { detent: maker, reported } = await gateway(url);
    const { reported: there } = await worker(url);
    expect(await statusOf(maker, await maker.run('no tables').started)).toBe('done');
    for (const said of [reported, there])
      expect(said).toEqual([expect.stringContaining('"detent db migrate"')]);

    await migrateTickets(await storeOf(url));
    const { detent, reported: later } = await gateway(url);
    expect(await statusOf(detent, await detent.run('with tables').started)).toBe('done');
    // Its foreign keys are checked at the commit, which must not fail for them.
    for (const lost of ['truncate detent_tickets.queue cascade', 'drop schema detent_tickets cascade']) {
      await administer(url, lost);
      for (const text of ['one', 'two'])
        expect(await statusOf(detent, await detent.run(text).started)).toBe('done');
    }
    // It may have tried again in between.
    expect(new Set(later.map((said) => said.slice(0, 28)))).toEqual(
      new Set(['DetentError: pg-boss failed ']),
    );
  },
);

itDeep('a transaction of pg-boss that fails is over: the next reader has its connection', async () => {
  const store = await openPostgres({ url: await newDatabase(), connections: 1 });
  onTestFinished(() => store.close());
  await expect(store.accompany(null)('begin; select 1 / 0; commit')).rejects.toMatchObject({
    code: 'DATABASE_FAILED',
  });
  expect(await store.query('listDrivers', {})).toEqual([]);
});

it('an unknown dispatcher is refused', async () => {
  const options: object = { dispatcher: 'redis' };
  await expect(createDetent(options).runs.list()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
});
