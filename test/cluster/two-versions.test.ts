import { expect, it, onTestFinished } from 'vitest';
import { setup } from 'xstate';
import type { Detent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { step, workflow } from '../../src/workflow/index.ts';
import { modelOptions } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';
import { inSizes } from '../support/size.ts';

const work = step({
  sideEffect: 'idempotent',
  run: async () => new Promise((resolve) => setTimeout(resolve, 5)),
});

const chart = (version: '1' | '2') =>
  setup({ actors: { work } }).createMachine({
    id: 'order',
    version,
    initial: 'packing',
    states: {
      packing: { invoke: { src: 'work', onDone: version === '1' ? 'over' : 'sending', onError: 'failed' } },
      ...(version === '2' && { sending: { invoke: { src: 'work', onDone: 'over', onError: 'failed' } } }),
      over: { type: 'final' },
      failed: { type: 'final', tags: 'failed' },
    },
  });

const old = [workflow(chart('1'))];
const newer = [workflow(chart('2'), { earlier: [chart('1')] })];
const count = inSizes({ usual: 10, deep: 100, full: 500 });

it('two versions of a chart and of the schema side by side: the old workers are replaced in turn, and no run fails', async () => {
  const url = await newDatabase();
  const worker = async (workflows: typeof old): Promise<Detent> => {
    const store = await openPostgres({ url, connections: 3 });
    const detent = createDetent(
      modelOptions(scriptedModel([]), { store, workflows, slots: 5, onError: () => {} }),
    );
    onTestFinished(async () => {
      await detent.close();
      await store.close();
    });
    await detent.runs.resume();
    return detent;
  };
  const first = [await worker(old), await worker(old)];
  await administer(
    url,
    "insert into detent_migrations (name) values ('9999_more_additive')",
    'alter table runs add column more text',
  );
  const ids: string[] = [];
  const load = async (detent: Detent) => {
    for (let i = 0; i < count; i++) ids.push(await detent.workflows.start('order').started);
  };
  let last = first[0];
  for (const leaving of first) {
    const joining = await worker(newer);
    await Promise.all([load(leaving), load(joining)]);
    await leaving.close();
    last = joining;
  }
  for (const id of ids) expect((await last?.runs.attach(id).result)?.status).toBe('done');
  const [found] = await administer(
    url,
    "select version::int, count(*)::int as n from runs where machine = 'workflow:order' group by version order by version",
  );
  expect(found?.rows).toEqual([
    { version: 1, n: 2 * count },
    { version: 2, n: 2 * count },
  ]);
});
