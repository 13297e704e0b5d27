import { expect, it, onTestFinished, vi } from 'vitest';
import { setup } from 'xstate';
import { type Detent, DetentError, type DetentOptions } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { workflow } from '../../src/workflow/index.ts';
import { itDeep } from '../support/deep.ts';
import { modelOptions } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';
import { inSizes } from '../support/size.ts';

/** A model that answers when it is told to. */
function slowModel() {
  const open: (() => void)[] = [];
  const asked: string[] = [];
  let most = 0;
  const model: ChatModel = {
    async generate(request, options) {
      asked.push(request.messages.findLast(({ role }) => role === 'user')?.text ?? '');
      await new Promise<void>((resolve) => {
        open.push(resolve);
        most = Math.max(most, open.length);
      });
      return scriptedModel([{ text: 'Done.' }]).generate(request, options);
    },
  };
  return { model, asked, open, most: () => most, answer: () => open.shift()?.() };
}

async function member(url: string, options: DetentOptions): Promise<Detent> {
  const store = await openPostgres({ url, connections: 3 });
  const detent = createDetent(modelOptions(options.models?.test as ChatModel, { ...options, store }));
  onTestFinished(async () => {
    await detent.close();
    await store.close();
  });
  return detent;
}

const expiring = workflow(
  setup({}).createMachine({
    id: 'expiring',
    initial: 'waiting',
    on: { kept: '.over' },
    states: { waiting: { after: { 3600000: 'over' } }, over: { type: 'final' } },
  }),
);

it('a driver has no more runs at once than its slots', async () => {
  const url = await newDatabase();
  const { model, asked, answer, open, most } = slowModel();
  const detent = await member(url, { models: { test: model }, slots: 2 });
  await detent.runs.resume();
  const runs = await Promise.all(Array.from({ length: 6 }, (_, i) => detent.run(`${i}`).started));
  for (let done = 0; done < runs.length; done++) {
    await expect.poll(() => asked.length, { interval: 5 }).toBe(Math.min(6, done + 2));
    answer();
  }
  for (const run of runs) expect((await detent.runs.attach(run).result).status).toBe('done');
  expect(most()).toBe(2);
  expect(open).toEqual([]);
  // Those for which there was room are their maker's. To hand out the others is to claim them: nothing claims them again.
  const [fences] = await administer(
    url,
    'select fence::int, count(*)::int as n from runs group by fence order by fence',
  );
  expect(fences?.rows).toEqual([
    { fence: 1, n: 2 },
    { fence: 2, n: 4 },
  ]);
});

it('the end of a run is heard, however late the answer to the first question about it', async () => {
  const url = await newDatabase();
  const { model, answer, open } = slowModel();
  const worker = await member(url, { models: { test: model } });
  const store = await openPostgres({ url, connections: 3 });
  const maker = createDetent(modelOptions(model, { store, drivesRuns: false }));
  onTestFinished(async () => {
    await maker.close();
    await store.close();
  });
  await worker.runs.resume();
  const run = await maker.run('go').started;
  await expect.poll(() => open.length, { interval: 5 }).toBe(1);

  const late = Promise.withResolvers<void>();
  const query = store.query.bind(store);
  let reads = 0;
  vi.spyOn(store, 'query').mockImplementation(async (name, asked) => {
    // The third is that of who begins to listen: the answers of a pool's connections come in any order.
    if (name === 'loadRun' && ++reads === 3) await late.promise;
    return query(name, asked);
  });
  const result = maker.runs.attach(run).result;
  await expect.poll(() => reads, { interval: 5 }).toBeGreaterThanOrEqual(3);
  await new Promise((resolve) => setTimeout(resolve, 200));
  answer();
  expect((await worker.runs.attach(run).result).status).toBe('done');
  late.resolve();
  expect((await result).status).toBe('done');
});

it('a tenant that queues many runs keeps another one waiting for no more than one dispatch', async () => {
  const url = await newDatabase();
  const { model, asked, answer } = slowModel();
  const maker = await member(url, { models: { test: model }, drivesRuns: false });
  const greedy = await maker.tenants.create({ name: 'greedy' });
  const modest = await maker.tenants.create({ name: 'modest' });
  const queued = inSizes({ usual: 30, deep: 300, full: 5_000 });
  for (let i = 0; i < queued; i += 50)
    await Promise.all(
      Array.from(
        { length: Math.min(50, queued - i) },
        (_, k) => maker.run(`greedy ${i + k}`, { principal: { tenantId: greedy.id } }).started,
      ),
    );
  const detent = await member(url, { models: { test: model }, slots: 3 });
  await detent.runs.resume();
  await expect.poll(() => asked.length, { interval: 5 }).toBe(3);
  await maker.run('modest', { principal: { tenantId: modest.id } }).started;
  // As soon as one of the slots is free.
  answer();
  await expect.poll(() => asked.length, { interval: 5 }).toBe(4);
  expect(asked.at(-1)).toBe('modest');
});

it('a run of a person comes before those of jobs', async () => {
  const url = await newDatabase();
  const { model, asked, answer } = slowModel();
  const maker = await member(url, { models: { test: model }, drivesRuns: false });
  for (let i = 0; i < 3; i++) await maker.run(`job ${i}`, { sessionId: `cron:j:run_${i}` }).started;
  await maker.run('person').started;
  const detent = await member(url, { models: { test: model }, slots: 1 });
  await detent.runs.resume();
  await expect.poll(() => asked.length, { interval: 5 }).toBe(1);
  expect(asked).toEqual(['person']);
  answer();
});

itDeep(
  'who resumes all learns which runs it was handed, reports those that it must not move, and ends those that nobody waits for',
  async () => {
    const url = await newDatabase();
    const { model, asked, answer } = slowModel();
    const maker = await member(url, { models: { test: model }, workflows: [expiring], drivesRuns: false });
    const [parent, orphan, mine] = await Promise.all(
      ['parent', 'orphan', 'mine'].map((prompt) => maker.run(prompt).started),
    );
    await maker.runs.cancel(String(parent));
    const foreign = await maker.workflows.start('expiring').started;
    const of = JSON.stringify({ parentRunId: parent, parentCall: 'c1' });
    await administer(
      url,
      `update runs set options = (options::jsonb || '${of}')::text where id = '${orphan}'`,
      // As the end of its driver leaves it.
      `update runs set driver = null where id = '${foreign}'`,
    );
    const reported: unknown[] = [];
    const onError = (error: unknown, runId: string) =>
      reported.push([DetentError.is(error) ? error.code : error, runId]);
    const detent = await member(url, { models: { test: model }, onError });
    expect((await detent.runs.resume()).toSorted()).toEqual([orphan, mine].toSorted());
    expect((await detent.runs.attach(String(orphan)).result).status).toBe('cancelled');
    // Another driver is a reason to look again at what it must not move, and none to say so again.
    await (await member(url, { models: { test: model }, onError: () => {} })).runs.resume();
    const later = await maker.run('later').started;
    await expect.poll(() => asked.length, { interval: 5 }).toBe(2);
    answer();
    answer();
    for (const id of [mine, later]) expect((await detent.runs.attach(String(id)).result).status).toBe('done');
    expect(asked.toSorted()).toEqual(['later', 'mine']);
    expect(reported).toEqual([['MIGRATION_NEEDED', foreign]]);
  },
);

itDeep(
  'timers of runs at rest fire once each, and none but the driver that one was handed to tries it',
  async () => {
    const url = await newDatabase();
    const { model } = slowModel();
    const options = { models: { test: model }, workflows: [expiring] };
    const count = inSizes({ usual: 40, deep: 300, full: 1_000 });
    const one = async (sql: string): Promise<number> => (await administer(url, sql))[0]?.rows[0]?.n;
    const fences = () => one('select sum(fence)::int as n from runs');
    const starter = await member(url, { ...options, drivesRuns: false });
    for (let i = 0; i < count; i++) await starter.workflows.start('expiring').started;
    const first = await member(url, options);
    await first.runs.resume();
    await expect
      .poll(() => one('select count(*)::int as n from runs where driver = 0'), { interval: 20 })
      .toBe(count);
    await first.close();
    const before = await fences();
    await administer(
      url,
      'update timers set due_at = (extract(epoch from clock_timestamp()) * 1000)::bigint',
    );
    const workers = await Promise.all(
      Array.from({ length: 3 }, () => member(url, { ...options, slots: 50 })),
    );
    await Promise.all(workers.map((worker) => worker.runs.resume()));
    await expect
      .poll(() => one('select count(*)::int as n from runs where ended = 1'), {
        interval: 20,
        timeout: 60_000,
      })
      .toBe(count);
    expect(await one("select count(*)::int as n from run_events where path like '%over%'")).toBe(count);
    const tried = ((await fences()) - before) / count;
    console.log(`${count} timers of runs at rest, 3 workers: ${tried} claims a timer`);
    expect(tried).toBeLessThan(1.2);
  },
);

it('a worker starts among many runs that wait without a look at each', async () => {
  const url = await newDatabase();
  const { model } = slowModel();
  const options = { models: { test: model }, workflows: [expiring] };
  const first = await member(url, options);
  await first.runs.resume();
  const { runId } = first.workflows.start('expiring');
  const rests = 'select 1 from runs where driver = 0 and seq > 0';
  await expect.poll(async () => (await administer(url, rests))[0]?.rowCount, { interval: 20 }).toBe(1);
  await first.close();
  const count = inSizes({ usual: 300, deep: 2_000, full: 100_000 });
  const columns =
    'tenant_id, session_pk, machine, version, seq, ended, state, context, input, options, fence, faults, created_at, updated_at, driver, last_driver';
  await administer(
    url,
    `insert into runs (id, ordinal, ${columns})
       select id || '-' || g, ordinal + g, ${columns} from runs, generate_series(1, ${count}) g where id = '${runId}'`,
    'insert into timers select runs.pk, timers.id, timers.tenant_id, timers.event, timers.due_at from timers, runs on conflict do nothing',
    'analyze',
  );
  const asked: string[] = [];
  const store = await openPostgres({ url, connections: 3 });
  const query = store.query.bind(store);
  store.query = (name, input) => {
    asked.push(name);
    return query(name, input);
  };
  const rss = process.memoryUsage().rss;
  const began = performance.now();
  const worker = createDetent(modelOptions(model, { ...options, store }));
  await worker.runs.resume();
  const ms = performance.now() - began;
  const mb = (process.memoryUsage().rss - rss) / 2 ** 20;
  console.log(
    `${count} runs at rest: a worker started in ${Math.round(ms)} ms, with ${Math.round(mb)} MB more`,
  );
  const reads = asked.length;
  await worker.close();
  await store.close();
  expect(reads).toBeLessThan(60);
  expect((await administer(url, 'select 1 from runs where driver <> 0 or fence > 9'))[0]?.rowCount).toBe(0);
});
