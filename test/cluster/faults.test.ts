import { createHook } from 'node:async_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { setup } from 'xstate';
import { NotifyHints } from '../../src/cluster/server/notify-hints.ts';
import { ServerSigns } from '../../src/cluster/server/server-signs.ts';
import { migrateTickets } from '../../src/cluster/server-drivers.ts';
import { createEmbeddedBus } from '../../src/engine/bus.ts';
import { type Detent, DetentError, type DetentOptions } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { workflow } from '../../src/workflow/index.ts';
import { FlakyStore } from '../engine/flaky-store.ts';
import { itDeep } from '../support/deep.ts';
import { modelOptions } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';
import { wireTo } from '../support/wire-to-postgres.ts';

/** A process of a cluster, and what it reported. */
async function member(
  options: DetentOptions,
  postgres: PostgresOptions,
  decorate: (store: Store) => Store = (store) => store,
): Promise<Detent & { reported: string[] }> {
  const store = await openPostgres({ connections: 3, ...postgres });
  const reported: string[] = [];
  const model = { generate: scriptedModel(Array.from({ length: 9 }, () => ({ text: 'Done.' }))).generate };
  const detent = assemble(
    modelOptions(model, { ...options, store, onError: (error) => void reported.push(String(error)) }),
    { store: decorate },
  );
  onTestFinished(async () => {
    await detent.close();
    await store.close();
  });
  return { ...detent, reported };
}

const gateway = (...[options, ...more]: Parameters<typeof member>) =>
  member({ drivesRuns: false, ...options }, ...more);

async function worker(...given: Parameters<typeof member>) {
  const made = await member(...given);
  await made.runs.resume();
  return made;
}

/** Waits far longer than a test may take. */
const patient = { silentMs: 3_600_000, patienceMs: 3_600_000, connections: 1 };

it('hints and presence end, though the server says nothing any more', async () => {
  const wire = await wireTo(await newDatabase());
  const store = await openPostgres({ ...patient, url: wire.url });
  const presence = store.openPresence();
  const signs = new ServerSigns(presence);
  const hints = new NotifyHints(presence, signs);
  hints.listen(() => {}, createEmbeddedBus());
  await presence.hold('a driver');
  await store.query('newestDriver', {});
  signs.stop();
  wire.deafen();
  // One that goes by a connection of the pool, and one that asks first where it goes.
  hints.callOthers(true);
  hints.send(1);
  await hints.close();
  await presence.close();
  wire.cut();
  await store.close();
});

it('hints that have nothing to say end at once, and leave no timer', async () => {
  const store = await openPostgres({ url: await newDatabase() });
  const presence = store.openPresence();
  const signs = new ServerSigns(presence);
  const hints = new NotifyHints(presence, signs);
  signs.stop();
  const timers = new Set<number>();
  const seen = createHook({
    init: (id, type) => void (type === 'Timeout' && timers.add(id)),
    destroy: (id) => void timers.delete(id),
  }).enable();
  await hints.close();
  await new Promise((resolve) => setImmediate(resolve));
  seen.disable();
  expect(timers.size).toBe(0);
  await presence.close();
  await store.close();
});

it('a pooler hides the processes of the server: whether one is at work is not guessed', async () => {
  const wire = await wireTo(await newDatabase(), { isPooler: true });
  const store = await openPostgres({ url: wire.url, silentMs: 200, connections: 1 });
  onTestFinished(() => store.close());
  const ask = store.accompany(null);
  const process = async () => (await ask('select pg_backend_pid() as pid')).rows;
  const before = await process();
  await ask('select pg_sleep(1)');
  expect(await process()).toEqual(before);
});

it('of runs that are handed out together, those that fit are driven, though one is refused and cannot be given back', async () => {
  const url = await newDatabase();
  const waiting = workflow(
    setup({}).createMachine({
      id: 'waiting',
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { type: 'final' } },
    }),
  );
  const maker = await gateway({ workflows: [waiting] }, { url });
  const first = await maker.run('first').started;
  const foreign = await maker.workflows.start('waiting').started;
  const last = await maker.run('last').started;
  // As the end of its driver leaves it.
  await administer(url, `update runs set driver = null where id = '${foreign}'`);
  let refusals = 0;
  const ill = await worker({}, { url }, (store) => {
    const commit = store.commit.bind(store);
    store.commit = (program, key) => {
      const step = program().next();
      if (step.done || step.value[0] !== 'passRun') return commit(program, key);
      refusals++;
      return Promise.reject(new DetentError('DATABASE_FULL', 'the disk is full', { retryable: true }));
    };
    return store;
  });
  for (const id of [first, last]) expect((await maker.runs.attach(id).result).status).toBe('done');
  expect(refusals).toBe(1);
  expect(ill.reported).toContainEqual(expect.stringContaining('the disk is full'));
  // Whoever takes over what it kept.
  await ill.close();
  const well = await worker({ workflows: [waiting] }, { url });
  await maker.workflows.send(foreign, { type: 'go' });
  expect((await well.runs.attach(foreign).result).status).toBe('done');
});

it('a process that closes waits for no run that others are to move', async () => {
  const maker = await gateway({}, { url: await newDatabase() });
  const { result } = maker.runs.attach(await maker.run('nobody drives it').started);
  // It waits from then on.
  await maker.runs.list();
  await maker.close();
  expect((await result).status).not.toBe('done');
});

it('a driver that was declared dead, and could not join again, does so later', async () => {
  const url = await newDatabase();
  const maker = await gateway({}, { url });
  const { reported } = await worker({}, { url });
  await administer(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
    'create trigger refusing before insert on drivers execute function refuse()',
    'update drivers set ended_at = 1',
  );
  await expect
    .poll(() => reported, { interval: 10, timeout: 10_000 })
    .toContainEqual(expect.stringContaining('not now'));
  await administer(url, 'drop trigger refusing on drivers');
  expect((await maker.run('work').result).status).toBe('done');
});

itDeep('who listens to a run hears of it, though it could not be read when they began', async () => {
  const url = await newDatabase();
  let flaky: FlakyStore | undefined;
  const maker = await gateway({}, { url }, (store) => {
    flaky = new FlakyStore(store);
    return flaky;
  });
  const runId = await maker.run('work').started;
  flaky?.failQueries(1, 'loadRun');
  const ended = new Promise((resolve) =>
    maker.on(runId, (signal) => signal.ended === true && resolve(signal.type)),
  );
  await worker({}, { url });
  expect(await ended).toBe('transition');
});

it('a commit with a ticket needs no second connection, not even when the tables of tickets have vanished', async () => {
  const url = await newDatabase();
  const store = await openPostgres({ url });
  await migrateTickets(store);
  await store.close();
  const maker = await gateway({ dispatcher: 'pg-boss' }, { url, connections: 1 });
  await maker.run('one').started;
  await administer(url, 'drop schema detent_tickets cascade');
  await maker.run('two').started;
  expect(maker.reported).toEqual([expect.stringContaining('pg-boss failed')]);
});

itDeep(
  'an answer that is lost for good keeps nobody waiting, and a statement that takes long is not ended',
  async () => {
    const url = await newDatabase();
    const wire = await wireTo(url);
    const maker = await gateway({}, { url });
    await worker({}, { url: wire.url, silentMs: 300 });
    expect((await maker.run('before').result).status).toBe('done');
    wire.deafen();
    expect((await maker.run('after').result).status).toBe('done');

    const store = await openPostgres({ url: wire.url, silentMs: 300, connections: 1 });
    onTestFinished(() => store.close());
    const [before, , after] = await Promise.all(
      ['select pg_backend_pid() as pid', 'select pg_sleep(1)', 'select pg_backend_pid() as pid'].map((text) =>
        store.accompany(null)(text),
      ),
    );
    expect(after?.rows).toEqual(before?.rows);
    wire.deafen();
    expect(await store.query('newestDriver', {})).toMatchObject({ epoch: expect.any(Number) });
  },
);
