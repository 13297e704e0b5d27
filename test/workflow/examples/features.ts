import { assign, createMachine, fromPromise, log, setup, spawnChild, stopChild } from 'xstate';
import type { Scenario } from './scenario.ts';

const promised = fromPromise<unknown, object | undefined>(async () => null);
const send = (type: string, payload: object = {}) => ({ send: { type, ...payload } });

const silent = setup({
  types: { context: {} as { got: unknown; had: boolean; error: unknown } },
  actors: { work: promised },
}).createMachine({
  id: 'silent',
  context: ({ input }) => ({ got: 'nothing yet', had: input !== undefined, error: undefined }),
  initial: 'working',
  states: {
    working: {
      invoke: {
        src: 'work',
        input: undefined,
        onDone: { target: 'ended', actions: assign({ got: ({ event }) => event.output }) },
        onError: [
          {
            guard: ({ event }) => (event.error as { kind?: string }).kind === 'gone',
            target: 'missed',
            actions: assign({ error: ({ event }) => event.error }),
          },
          { target: 'ended', actions: assign({ error: ({ event }) => event.error }) },
        ],
      },
    },
    missed: { after: { 1000: 'working' } },
    ended: { type: 'final' },
  },
});

const failing = setup({ actors: { work: promised } }).createMachine({
  id: 'failing',
  initial: 'working',
  states: { working: { invoke: { src: 'work', input: {}, onDone: 'over' } }, over: { type: 'final' } },
});

const around = setup({
  types: { context: {} as { results: unknown[] } },
  actors: { failing, work: promised },
  actions: { keep: assign({ results: ({ context, event }) => [...context.results, event] }) },
}).createMachine({
  id: 'around',
  context: { results: [] },
  initial: 'first',
  states: {
    first: {
      invoke: {
        id: 'inner',
        src: 'failing',
        onDone: {
          target: 'second',
          actions: assign({
            results: ({ context, event }) => [...context.results, { output: event.output }],
          }),
        },
        onError: {
          target: 'second',
          actions: assign({ results: ({ context, event }) => [...context.results, { error: event.error }] }),
        },
      },
      on: { again: { target: 'first', reenter: true } },
    },
    second: { on: { back: 'first', end: 'over' } },
    over: { type: 'final' },
  },
});

const innermost = createMachine({
  id: 'innermost',
  initial: 'waiting',
  states: { waiting: { after: { 500: 'over' } }, over: { type: 'final' } },
  output: { rested: true },
});

const race = setup({
  types: { context: {} as { late: string[] } },
  actions: { note: assign({ late: ({ context }, { name }: { name: string }) => [...context.late, name] }) },
}).createMachine({
  id: 'race',
  context: { late: [] },
  type: 'parallel',
  states: Object.fromEntries(
    ['west', 'north', 'east', 'centre'].map((name) => [
      name,
      {
        initial: 'waiting',
        states: {
          waiting: {
            after: { 1000: { target: 'late', actions: { type: 'note' as const, params: { name } } } },
          },
          late: { type: 'final' as const },
        },
      },
    ]),
  ),
});

const inline = createMachine({
  id: 'inline',
  context: { rested: null },
  initial: 'resting',
  states: {
    resting: {
      invoke: {
        src: innermost,
        onDone: { target: 'over', actions: assign({ rested: ({ event }) => event.output }) },
      },
    },
    over: { type: 'final' },
  },
});

const spawning = setup({ actors: { work: promised } }).createMachine({
  id: 'spawning',
  context: { ended: 0 },
  entry: [
    spawnChild('work', { id: 'one', input: {} }),
    spawnChild('work', { id: 'two', input: {} }),
    spawnChild('work', { id: 'three', input: {} }),
  ],
  on: {
    'xstate.done.actor.one': { actions: assign({ ended: ({ context }) => context.ended + 1 }) },
    'xstate.done.actor.two': { actions: assign({ ended: ({ context }) => context.ended + 1 }) },
    stop: { actions: stopChild('three') },
  },
});

const short = createMachine({
  id: 'short',
  initial: 'over',
  entry: () => console.log('in'),
  exit: ({ event }) => console.log('out', event.type),
  states: { over: { type: 'final', entry: () => console.log('over'), output: 1 } },
  output: ({ event }) => event.output,
});

const regions = setup({ actors: { work: promised } }).createMachine({
  id: 'regions',
  type: 'parallel',
  context: { seen: [] as string[] },
  invoke: { id: 'base', src: 'work', input: {}, onDone: '.left.end' },
  after: { 60000: { target: ['.left.b', '.right.b'] } },
  on: {
    both: { target: ['.left.b', '.right.b'] },
    '*': { actions: assign({ seen: ({ context, event }) => [...context.seen, event.type] }) },
  },
  states: {
    left: {
      initial: 'a',
      states: {
        a: { on: { go: 'b', quiet: undefined } },
        b: {
          on: { go: { target: 'b', reenter: true } },
          after: { 2000: 'a' },
          exit: () => console.log('left b'),
        },
        end: { type: 'final' },
      },
    },
    right: {
      initial: 'a',
      states: {
        a: { on: { both: {} } },
        b: { entry: ({ context }) => console.log('right b', context.seen), on: { go: 'end' } },
        end: { type: 'final' },
      },
    },
  },
});

const keeper = createMachine({
  id: 'keeper',
  context: { kept: [] as unknown[] },
  initial: 'open',
  states: {
    open: {
      on: {
        keep: {
          actions: [
            assign({ kept: ({ context, event }) => [...context.kept, event] }),
            ({ event }) => console.log(event),
          ],
        },
        forbidden: {},
      },
      after: {
        1000: { target: 'over', actions: assign({ kept: ({ event }) => [event] }) },
      },
    },
    over: { type: 'final', output: ({ context }) => context.kept.map((one) => (one as string).trim()) },
  },
});

const nameless = (src: string) =>
  createMachine(
    {
      initial: 'working',
      states: { working: { invoke: { src, onDone: 'over' } }, over: { type: 'final' } },
      output: src,
    },
    { actors: { [src]: promised } },
  );

const families = createMachine(
  {
    context: { got: [] as unknown[] },
    initial: 'first',
    states: {
      first: { invoke: { src: 'one', onDone: { target: 'second', actions: 'keep' } } },
      second: { invoke: { src: 'another one', onDone: { target: 'over', actions: 'keep' } } },
      over: { type: 'final' },
    },
  },
  {
    actors: { one: nameless('early'), 'another one': nameless('late') },
    actions: { keep: assign({ got: ({ context, event }) => [...context.got, event.output] }) },
  },
);

const ovens = createMachine(
  {
    id: 'ovens',
    context: { low: null, high: null },
    initial: 'measuring',
    states: {
      measuring: {
        invoke: [
          { src: 'low', onDone: { actions: assign({ low: ({ event }) => event.output }) } },
          { src: 'high', onDone: { actions: assign({ high: ({ event }) => event.output }) } },
        ],
        always: { guard: ({ context: { low, high } }) => low !== null && high !== null, target: 'over' },
      },
      over: { type: 'final', output: ({ context }) => context },
    },
  },
  { actors: { low: promised, high: promised } },
);

const bakery = setup({ actors: { ovens, open: promised } }).createMachine({
  id: 'bakery',
  initial: 'opening',
  states: {
    opening: { invoke: { src: 'open', input: ({ event }) => ({ from: event }), onDone: 'heating' } },
    heating: {
      invoke: {
        src: 'ovens',
        onDone: { target: 'hot', actions: ({ event }) => console.log('hot', event.output) },
      },
    },
    hot: { after: { 1000: 'heating' } },
    closed: { on: { open: 'heating' } },
  },
  on: { close: { target: '.closed', actions: log('closed') } },
});

/** What xstate can do beside what its documentation shows first. */
export const features: readonly Scenario[] = [
  { name: 'no input, and a service without an output', chart: silent, course: [{ done: 'work' }] },
  {
    name: 'an error with fields of its own, for a guard and the context',
    chart: silent,
    input: { n: 1 },
    course: [
      { fails: 'work', message: 'not there', fields: { kind: 'gone', at: [1] } },
      { wait: 1_000 },
      { fails: 'work', message: 'broken' },
    ],
  },
  { name: 'a machine without an output', chart: around, course: [{ done: 'work' }, send('end')] },
  {
    name: 'the error of a machine, and one that begins again',
    chart: around,
    course: [
      send('again'),
      { fails: 'work', message: 'broken', fields: { kind: 'gone', at: [1] } },
      send('back'),
      { done: 'work' },
      send('end'),
    ],
  },
  { name: 'a machine that is invoked inline', chart: inline, course: [{ wait: 500 }] },
  {
    name: 'spawned services',
    chart: spawning,
    isClosed: true,
    course: [{ done: 'work' }, send('stop'), { done: 'work' }, send('stop')],
  },
  { name: 'a chart that is over when it begins', chart: short, course: [] },
  {
    name: 'machines without an id',
    chart: families,
    id: 'families',
    course: [{ done: 'early' }, { done: 'late' }],
  },
  {
    name: 'whole events in the context, an event that does nothing, and an output that throws',
    chart: keeper,
    course: [send('keep', { n: 1 }), send('forbidden'), { wait: 1_000 }],
  },
  {
    name: 'regions: several targets, wildcards, forbidden events, reentry',
    chart: regions,
    isClosed: true,
    course: [
      send('quiet'),
      send('both'),
      send('go'),
      { wait: 2_000 },
      send('unknown.event', { n: 1 }),
      send('both'),
    ],
  },
  {
    name: 'regions: a timer of the root and a service around all',
    chart: regions,
    isClosed: true,
    course: [{ wait: 60_000 }, { wait: 1_000 }, send('go'), { done: 'work' }],
  },
  {
    name: 'a machine with two services that is invoked again and again, until an event cuts it off',
    chart: bakery,
    input: { hour: 4 },
    isClosed: true,
    course: [
      { done: 'open' },
      { done: 'high', output: 250 },
      { done: 'low', output: 180 },
      { wait: 1_000 },
      { done: 'low', output: 170 },
      send('close'),
      send('close'),
      send('open'),
    ],
  },
  { name: 'timers that are due at the same moment', chart: race, course: [{ wait: 1_000 }] },
];
