import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, createActor, fromPromise, setup } from 'xstate';
import * as z from 'zod';
import { createDetent } from '../../../src/index.ts';
import { step, workflow } from '../../../src/workflow/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';

type Context = { seen: unknown };

/** What a chart reads of `event.error`: in a guard, a template and an action's params. */
const read = ({ event }: { event: { error?: unknown } }) => {
  const { error } = event;
  return {
    text: `${error}`,
    string: String(error),
    isError: error instanceof Error,
    isTypeError: error instanceof TypeError,
    message: (error as Error).message,
    name: (error as Error).name,
    status: (error as { status?: number }).status ?? null,
    keys: Object.keys(error as object).filter((key) => key !== 'code'),
    json: JSON.parse(JSON.stringify({ ...(error as object), code: null })),
  };
};

const chartOf = (run: () => Promise<string>) =>
  setup({
    types: { context: {} as Context },
    actors: { work: step({ sideEffect: 'readonly', run }) },
  }).createMachine({
    id: 'failing',
    version: '1',
    initial: 'working',
    context: { seen: null },
    states: {
      working: {
        invoke: {
          id: 'work',
          src: 'work',
          onDone: 'done',
          onError: { target: 'done', actions: assign({ seen: read }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.seen,
  });

class Broken extends Error {
  override name = 'Broken';
  readonly status = 502;
}

function opened(...workflows: Parameters<typeof workflow>[0][]) {
  const detent = createDetent({
    store: 'in-process',
    env: {},
    workflows: workflows.map((chart) => workflow(chart)),
  });
  onTestFinished(() => detent.close());
  return detent;
}

describe('the error of a failed service', () => {
  it.each([
    ['an error', () => new Error('no such order')],
    ['one with fields', () => Object.assign(new Error('gone'), { status: 410, items: ['a'] })],
    ['a TypeError', () => new TypeError('x is not a function')],
    ['one of a class', () => new Broken('bad gateway')],
  ])('is to the chart what XState gives: %s', async (_, make) => {
    const run = (): Promise<string> => Promise.reject(make());
    const chart = chartOf(run);
    const detent = opened(chart);
    const { output } = await detent.workflows.start('failing').result;

    const actor = createActor(chart.provide({ actors: { work: fromPromise(run) as never } }));
    const ended = new Promise((resolve) =>
      actor.subscribe({ complete: () => resolve(actor.getSnapshot().output) }),
    );
    actor.start();
    expect(output).toEqual(await ended);
  });
});

/** What fails without an error: the chart reads it in an assignment, in an action of its own, and behind a chart that it waits for. */
const thrown: readonly [name: string, value: unknown][] = [
  ['a text', 'no such order'],
  ['an empty text', ''],
  ['a number', 404],
  ['a flag', false],
  ['null', null],
  ['nothing', undefined],
  ['a list', ['a', { b: 1 }]],
  ['a plain object', { status: 410, items: ['a'] }],
  ['one with the fields of an error', { code: 'GONE', message: 'gone', name: 'Gone', stack: 'none' }],
];

type Told = { isError: boolean; kind: string; error: unknown };

/** Two charts: one waits for the other, whose service fails; each tells what it reads. */
function telling(run: () => Promise<string>, tell: (error: unknown) => void) {
  const seen = ({ event }: { event: object }) => {
    const { error } = event as { error?: unknown };
    return {
      isError: error instanceof Error,
      kind: typeof error,
      error: error === undefined ? 'none' : error,
    };
  };
  const inner = setup({ actors: { work: step({ sideEffect: 'readonly', run }) } }).createMachine({
    id: 'inner',
    version: '1',
    initial: 'working',
    states: { working: { invoke: { id: 'work', src: 'work' } } },
  });
  const actors = { work: step({ sideEffect: 'readonly', run }), inner };
  const outer = setup({
    types: { context: {} as { own: Told | null; theirs: Told | null } },
    actors,
    actions: { tell: ({ event }) => tell((event as { error?: unknown }).error) },
  }).createMachine({
    id: 'outer',
    version: '1',
    initial: 'working',
    context: { own: null, theirs: null },
    states: {
      working: {
        invoke: {
          id: 'work',
          src: 'work',
          onError: { target: 'waiting', actions: ['tell', assign({ own: seen })] },
        },
      },
      waiting: {
        invoke: { id: 'inner', src: 'inner', onError: { target: 'done', actions: assign({ theirs: seen }) } },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context,
  });
  return { inner, outer };
}

describe('what a service throws that is no error', () => {
  it.each(thrown)('is to the chart the very value: %s', async (_, value) => {
    const run = (): Promise<string> => Promise.reject(value);
    const told: unknown[] = [];
    const { inner, outer } = telling(run, (error) => told.push(error));
    const database = { file: join(await temporaryWorkspace(), 'detent.db') };
    const open = () => {
      const opened = createDetent({ database, env: {}, workflows: [workflow(outer)] });
      onTestFinished(() => opened.close());
      return opened;
    };
    const detent = open();
    const { runId, output } = await detent.workflows.start('outer').result;
    await detent.close();

    const plain: unknown[] = [];
    const work = fromPromise(run) as never;
    const chart = telling(run, (error) => plain.push(error)).outer.provide({
      actors: { work, inner: inner.provide({ actors: { work } }) as never },
    });
    const actor = createActor(chart);
    const ended = new Promise((resolve) =>
      actor.subscribe({ complete: () => resolve(actor.getSnapshot().output) }),
    );
    actor.start();
    expect(output).toEqual(await ended);
    expect(told).toEqual(plain);
    // Out of its rows, in another process of the database.
    expect(await open().runs.replay(runId)).toMatchObject({ diverged: null, error: null });
  });

  it('is told as the cause of a run that it ends', async () => {
    const { inner } = telling(
      () => Promise.reject('no such order'),
      () => {},
    );
    const { error } = await opened(inner).workflows.start('inner').result;
    expect(error).toMatchObject({ code: 'SERVICE_FAILED', message: 'no such order' });
  });
});

const listening = setup({
  schemas: { events: { late: z.object({ type: z.literal('late'), minutes: z.number() }) } },
  types: {
    context: {} as Context,
    events: {} as
      | { type: 'note'; at?: unknown; effectId?: unknown }
      | { type: 'paid'; amount: number }
      | { type: 'late' },
  },
}).createMachine({
  id: 'listening',
  version: '1',
  initial: 'waiting',
  context: { seen: null },
  states: {
    waiting: {
      on: {
        note: { target: 'done', actions: assign({ seen: ({ event }) => event }) },
        paid: 'done',
        late: 'done',
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.seen,
});

describe('an event from outside', () => {
  it.each([
    { type: 'note', at: 'noon', effectId: 7 },
    { type: 'note', at: 5 },
    { type: 'note', effectId: 'x' },
    { type: 'note', at: null, text: 'a' },
    { type: 'note' },
  ])('arrives as it was sent: %j', async (event) => {
    const detent = opened(listening);
    const handle = detent.workflows.start('listening');
    const { runId } = handle;
    expect(await handle.send(event as never)).toBe(true);
    await handle.result;
    const view = await detent.runs.show(runId);
    expect(view.output).toEqual(event);
    expect(await detent.runs.replay(runId)).toMatchObject({ diverged: null, error: null });
  });

  it('is refused when it does not fit the schemas of the workflow, or of its chart', async () => {
    const events = { paid: z.object({ type: z.literal('paid'), amount: z.number() }) };
    const detent = createDetent({
      store: 'in-process',
      env: {},
      workflows: [workflow(listening, { events })],
    });
    onTestFinished(() => detent.close());
    const handle = detent.workflows.start('listening');
    for (const event of [{ type: 'paid', amount: 'much' }, { type: 'late', minutes: 'x' }, { type: 'late' }])
      await expect(handle.send(event as never)).rejects.toMatchObject({ code: 'INVALID_EVENT' });
    expect(await handle.send({ type: 'late', minutes: 5 } as never)).toBe(true);
  });
});
