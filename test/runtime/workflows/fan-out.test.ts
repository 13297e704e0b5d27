import { expect, it, onTestFinished } from 'vitest';
import { assign, enqueueActions, setup, spawnChild } from 'xstate';
import { createDetent } from '../../../src/index.ts';
import { step, workflow } from '../../../src/workflow/index.ts';

interface Context {
  orders: string[];
  prices: Record<string, number>;
}

const priced = setup({
  types: { context: {} as Context, input: {} as { orders: string[] } },
  actors: {
    price: step({
      sideEffect: 'readonly',
      run: async ({ order }: { order: string }) => ({ order, cents: order.length * 100 }),
    }),
  },
  actions: {
    askForAll: enqueueActions(({ context, enqueue }) => {
      for (const [i, order] of context.orders.entries())
        enqueue.spawnChild('price', { id: `price.${i}`, input: { order } });
    }),
    note: assign(({ context, event }) => {
      const { order, cents } = (event as unknown as { output: { order: string; cents: number } }).output;
      return { prices: { ...context.prices, [order]: cents } };
    }),
  },
  guards: { hasAll: ({ context }) => Object.keys(context.prices).length === context.orders.length },
}).createMachine({
  id: 'prices',
  version: '1',
  context: ({ input }) => ({ orders: input.orders, prices: {} }),
  initial: 'asking',
  states: {
    asking: {
      entry: 'askForAll',
      always: { guard: 'hasAll', target: 'done' },
      on: { 'xstate.done.actor.*': { actions: 'note' } },
      after: { 3600000: 'late' },
    },
    done: { type: 'final' },
    late: { type: 'final' },
  },
  output: ({ context }) => context.prices,
});

const computed = setup({
  types: { context: {} as { name: string } },
  actors: { work: step({ sideEffect: 'readonly', run: async () => 'worked' }) },
}).createMachine({
  id: 'computed',
  version: '1',
  context: { name: 'work.7' },
  initial: 'working',
  states: {
    working: {
      entry: spawnChild('work', { id: ({ context }) => context.name }),
      on: { 'xstate.done.actor.work.7': 'done' },
      after: { 3600000: 'late' },
    },
    done: { type: 'final' },
    late: { type: 'final' },
  },
});

function opened() {
  const detent = createDetent({
    store: 'in-process',
    env: {},
    workflows: [workflow(priced), workflow(computed)],
  });
  onTestFinished(() => detent.close());
  return detent;
}

it('a chart fans out over a list: one child for each item, with an id of its own', async () => {
  const orders = Array.from({ length: 12 }, (_, i) => 'o'.repeat(i + 1));
  const detent = opened();
  const { status, output } = await detent.workflows.start('prices', { orders }).result;
  expect([status, output]).toEqual([
    'done',
    Object.fromEntries(orders.map((order) => [order, order.length * 100])),
  ]);
});

it('an empty list is done at once', async () => {
  const { status, output } = await opened().workflows.start('prices', { orders: [] }).result;
  expect([status, output]).toEqual(['done', {}]);
});

it('the id of a spawned child may be computed', async () => {
  const { status } = await opened().workflows.start('computed').result;
  expect(status).toBe('done');
});
