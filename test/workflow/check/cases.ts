import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  emit,
  enqueueActions,
  forwardTo,
  fromCallback,
  fromPromise,
  fromTransition,
  log,
  not,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate';
import * as z from 'zod';
import type { CheckCode } from '../../../src/workflow/check/findings.ts';
import { agent, ask, tool } from '../../../src/workflow/services.ts';
import { chartOf, pay, paying, stateA } from './support.ts';

/** A chart that has one fault, and the nearest one that has none. */
interface Case {
  code: CheckCode;
  name: string;
  faulty: AnyStateMachine;
  /** Default: `chart.a`. */
  at?: string;
  sound: AnyStateMachine;
}

const invoking = (src: unknown, named: object = {}, more: object = {}) =>
  stateA({ invoke: { ...paying, src, ...more } }, { actors: named });
const promise = fromPromise(async () => 1);
const child = stateA({});
const entering = (entry: unknown) => stateA({ entry });
/** Its child may fail. */
const spawning = (entry: unknown) => stateA({ entry, on: { 'xstate.error.actor.*': 'over' } });
const enqueuing = (collect: (enqueue: Enqueue) => void) =>
  entering(enqueueActions(({ enqueue }) => collect(enqueue as unknown as Enqueue)));
type Enqueue = ((action: unknown) => void) & Record<'sendTo' | 'sendParent' | 'spawnChild' | 'raise', Call>;
type Call = (...given: unknown[]) => void;
const assigning = (made: () => unknown) => entering(assign({ made } as never));
const taking = (type: string) => stateA({ on: { [type]: 'over' } });
const guarded = (guard: unknown, guards: object = {}) =>
  stateA({ on: { go: { guard, target: 'over' } } }, { guards });
const context = (value: unknown) => stateA({}, {}, { context: { value } });
const inputOf = (input: unknown) => invoking('pay', {}, { input });

const readingGo = (more: object) =>
  stateA(
    {
      on: {
        go: {
          target: 'over',
          actions: assign({ to: ({ event }: { event: { to?: string } }) => event.to } as never),
        },
      },
    },
    {},
    more,
  );

export const cases: readonly Case[] = [
  {
    code: 'NOT_DURABLE',
    name: 'a promise that is not declared',
    faulty: invoking('own', { own: promise }),
    sound: invoking('own', { own: pay }),
  },
  {
    code: 'NOT_DURABLE',
    name: 'a callback',
    faulty: invoking('own', { own: fromCallback(() => {}) }),
    sound: invoking('own', { own: agent({ prompt: () => 'hi' }) }),
  },
  {
    code: 'NOT_DURABLE',
    name: 'transition logic',
    faulty: invoking('own', { own: fromTransition((state) => state, {}) }),
    sound: invoking('own', { own: child }),
  },
  {
    code: 'NOT_DURABLE',
    name: 'a service that is not implemented',
    faulty: invoking('own'),
    sound: invoking('own', { own: ask({ question: () => '?' }) }),
  },
  {
    code: 'NOT_DURABLE',
    name: 'a name that every object has',
    faulty: invoking('toString'),
    sound: invoking('pay'),
  },
  {
    code: 'NOT_DURABLE',
    name: 'a machine that cannot be a workflow',
    faulty: invoking('own', { own: chartOf({ version: '1.0', type: 'final' }) }),
    sound: invoking('own', { own: chartOf({ id: '', version: '1', type: 'final' }) }),
  },
  {
    code: 'NOT_DURABLE',
    name: 'an action that reads self',
    faulty: stateA(
      { entry: 'tell' },
      { actions: { tell: ({ context, self }: { context: unknown; self: unknown }) => [context, self] } },
    ),
    sound: stateA(
      { entry: 'tell' },
      { actions: { tell: ({ context: self }: { context: unknown }) => [self] } },
    ),
  },
  {
    code: 'NOT_DURABLE',
    name: 'snapshots of a service',
    faulty: invoking('pay', {}, { onSnapshot: 'over' }),
    sound: invoking('pay'),
  },
  {
    code: 'INLINE_SERVICE',
    name: 'logic in the config',
    faulty: invoking(promise),
    sound: invoking(pay),
  },
  { code: 'INLINE_ACTION', name: 'a function', faulty: entering(() => {}), sound: entering('note') },
  {
    code: 'INLINE_ACTION',
    name: 'a function of a transition',
    faulty: stateA({ on: { go: { actions: () => {} } } }),
    sound: stateA({ on: { go: { actions: { type: 'note', params: { to: 'x' } } } } }),
  },
  {
    code: 'INLINE_ACTION',
    name: 'a function at the initial state',
    faulty: chartOf({
      initial: { target: 'a', actions: () => {} },
      states: { a: { type: 'final' } },
    }),
    at: 'chart',
    sound: chartOf({ initial: { target: 'a', actions: 'note' }, states: { a: { type: 'final' } } }),
  },
  {
    code: 'INLINE_ACTION',
    name: 'a function beside the actions of XState',
    faulty: entering([assign({}), () => {}]),
    sound: entering([
      assign({ n: 1 }),
      raise({ type: 'go' }),
      cancel('x'),
      emit({ type: 'out' }),
      log('text'),
      stopChild('x'),
      enqueueActions(() => {}),
    ]),
  },
  {
    code: 'NOT_DURABLE',
    name: 'a function that is enqueued',
    faulty: enqueuing((enqueue) => enqueue(function own() {})),
    sound: enqueuing((enqueue) => enqueue({ type: 'note', params: {} })),
  },
  { code: 'UNKNOWN_ACTION', name: 'no implementation', faulty: entering('own'), sound: entering('note') },
  { code: 'UNKNOWN_ACTION', name: 'no action at all', faulty: entering([null]), sound: entering([]) },
  {
    code: 'UNKNOWN_ACTION',
    name: 'an enqueued name without an implementation',
    faulty: enqueuing((enqueue) => enqueue('own')),
    sound: enqueuing((enqueue) => enqueue('note')),
  },
  {
    code: 'UNKNOWN_GUARD',
    name: 'no implementation',
    faulty: guarded('isOpen'),
    sound: guarded('isOpen', { isOpen: () => true }),
  },
  {
    code: 'UNKNOWN_GUARD',
    name: 'no implementation of a part',
    faulty: guarded('isOpen', { isOpen: and([stateIn('a'), not('isShut')]) }),
    sound: guarded('isOpen', { isOpen: and([stateIn('a'), not('isShut')]), isShut: () => true }),
  },
  {
    code: 'UNKNOWN_DELAY',
    name: 'no length of an after',
    faulty: stateA({ after: { soon: 'over' } }),
    sound: stateA({ after: { soon: 'over' } }, { delays: { soon: 10 } }),
  },
  {
    code: 'UNKNOWN_DELAY',
    name: 'no length of a raise',
    faulty: entering(raise({ type: 'go' }, { delay: 'soon' } as never)),
    sound: entering(raise({ type: 'go' }, { delay: 10 })),
  },
  {
    code: 'NO_EXIT',
    name: 'events alone',
    faulty: stateA({ after: {}, on: { go: 'over' } }),
    sound: stateA({}),
  },
  {
    code: 'ENDLESS_LOOP',
    name: 'an always that leads back',
    faulty: stateA({ after: { 10: 'b' } }, {}, { states: loop({ always: 'c' }) }),
    sound: stateA({ after: { 10: 'b' } }, {}, { states: loop({ after: { 10: 'c' } }) }),
  },
  {
    code: 'IMPURE',
    name: 'Date.now',
    at: 'chart',
    faulty: assigning(() => Date.now()),
    sound: assigning(() => 5),
  },
  {
    code: 'IMPURE',
    name: 'new Date',
    at: 'chart',
    faulty: assigning(() => new Date().toISOString()),
    sound: assigning(() => new Date(5).toISOString()),
  },
  {
    code: 'IMPURE',
    name: 'Date as a function',
    at: 'chart',
    faulty: assigning(() => Date()),
    sound: assigning(() => Date.parse('2026-01-01')),
  },
  {
    code: 'IMPURE',
    name: 'performance.now',
    at: 'chart',
    faulty: assigning(() => performance.now()),
    sound: assigning(() => typeof performance),
  },
  {
    code: 'IMPURE',
    name: 'crypto.randomUUID',
    at: 'chart',
    faulty: assigning(() => crypto.randomUUID()),
    sound: assigning(() => 'x'.repeat(36)),
  },
  {
    code: 'IMPURE',
    name: 'crypto.getRandomValues',
    at: 'chart',
    faulty: assigning(() => crypto.getRandomValues(new Uint8Array(1))[0]),
    sound: assigning(() => new Uint8Array(1)[0]),
  },
  {
    code: 'IMPURE',
    name: 'a guard that draws',
    faulty: guarded('isLucky', { isLucky: () => Math.random() < 0.5 }),
    sound: guarded('isLucky', { isLucky: () => Math.floor(0.5) === 0 }),
  },
  {
    code: 'IMPURE',
    name: 'a guard that looks at the hour of the day',
    faulty: guarded('isDay', { isDay: () => new Date().getUTCHours() >= 12 }),
    sound: guarded('isDay', {
      isDay: ({ event }: { event: { at: number } }) => new Date(event.at).getUTCHours() >= 12,
    }),
  },
  {
    code: 'IMPURE',
    name: 'a guard that is false in every world',
    faulty: guarded('isOver', { isOver: () => Date.now() > 9e12 }),
    sound: guarded('isOver', { isOver: ({ event }: { event: { at: number } }) => event.at > 9e12 }),
  },
  {
    code: 'IMPURE',
    name: 'dice that decide nothing',
    faulty: guarded('isFine', { isFine: () => Math.random() < 2 }),
    sound: guarded('isFine', { isFine: () => Math.min(0.5, 1) < 2 }),
  },
  {
    code: 'IMPURE',
    name: 'an input that reads the clock',
    at: 'chart',
    faulty: inputOf(() => ({ at: Date.now() })),
    sound: inputOf(() => ({ at: 5 })),
  },
  {
    code: 'IMPURE',
    name: 'a delay that reads the clock',
    at: 'chart',
    faulty: stateA({ after: { night: 'over' } }, { delays: { night: () => 1e13 - Date.now() } }),
    sound: stateA(
      { entry: log(() => Date.now()), after: { night: 'over' } },
      { delays: { night: () => 1e7 } },
    ),
  },
  {
    code: 'IMPURE',
    name: 'a context that is changed in place',
    faulty: adding((items) => {
      items.push(1);
      return items;
    }),
    sound: adding((items) => [...items, 1]),
  },
  { code: 'CONTEXT_NOT_JSON', name: 'a Date', faulty: context(new Date(0)), sound: context('1970-01-01') },
  { code: 'CONTEXT_NOT_JSON', name: 'a Map', faulty: context(new Map()), sound: context({}) },
  { code: 'CONTEXT_NOT_JSON', name: 'no number', faulty: context(Number.NaN), sound: context(0) },
  { code: 'CONTEXT_NOT_JSON', name: 'a function', faulty: context(() => {}), sound: context(undefined) },
  {
    code: 'CONTEXT_NOT_JSON',
    name: 'a Date in a list',
    faulty: context([new Date(0)]),
    sound: context([undefined, null]),
  },
  { code: 'CONTEXT_NOT_JSON', name: 'a circle', faulty: context(circle()), sound: context({ a: {}, b: {} }) },
  {
    code: 'CONTEXT_NOT_JSON',
    name: 'an output',
    at: 'chart.over',
    faulty: stateA({}, {}, { output: () => ({ at: new Date(0) }) }),
    sound: stateA({}, {}, { output: () => ({ at: 0 }) }),
  },
  {
    code: 'INPUT_NOT_JSON',
    name: 'a Date in the config',
    faulty: inputOf({ at: new Date(0) }),
    sound: inputOf({ at: '1970-01-01' }),
  },
  {
    code: 'INPUT_NOT_JSON',
    name: 'a Set that is made',
    faulty: inputOf(() => ({ all: new Set() })),
    sound: inputOf(() => ({ all: [] })),
  },
  {
    code: 'INPUT_NOT_JSON',
    name: 'params of an action',
    faulty: entering({ type: 'note', params: () => ({ at: new Date(0) }) }),
    sound: entering({ type: 'note', params: () => ({ at: 0 }) }),
  },
  {
    code: 'INPUT_NOT_JSON',
    name: 'an event that is raised later',
    faulty: entering(raise({ type: 'go', at: new Date(0) } as never, { delay: 10 })),
    sound: entering(raise({ type: 'go', at: 0 } as never, { delay: 10 })),
  },
  ...['xstate.init', 'service.x', 'action.x', 'flow.x', 'effect.x', 'run.x', 'tool.*', 'ask.x', '(x'].map(
    (type): Case => ({
      code: 'RESERVED_EVENT',
      name: type,
      faulty: taking(type),
      sound: taking(`my.${type}`),
    }),
  ),
  {
    code: 'RESERVED_EVENT',
    name: 'run.resumed, but not run.cancel',
    faulty: taking('run.resumed'),
    sound: taking('run.cancel'),
  },
  {
    code: 'RESERVED_EVENT',
    name: 'a route',
    faulty: stateA({ id: 'here', route: {} }),
    sound: stateA({ id: 'here' }),
  },
  {
    code: 'STATE_NAME',
    name: 'a name of our own',
    at: 'chart.(a)',
    faulty: chartOf({ initial: '(a)', states: { '(a)': { type: 'final' } } }),
    sound: chartOf({ initial: 'a(', states: { 'a(': { type: 'final' } } }),
  },
  {
    code: 'SYSTEM_ID',
    name: 'an invocation',
    faulty: invoking('pay', {}, { systemId: 'till' }),
    sound: invoking('pay'),
  },
  {
    code: 'SYSTEM_ID',
    name: 'a spawned child',
    faulty: spawning(spawnChild('pay', { id: 'x', systemId: 'till' })),
    sound: spawning(spawnChild('pay', { id: 'x' })),
  },
  {
    code: 'SEND_TO',
    name: 'sendTo',
    faulty: entering(sendTo('p', { type: 'go' })),
    sound: entering(raise({ type: 'go' })),
  },
  {
    code: 'SEND_TO',
    name: 'sendParent',
    faulty: entering(sendParent({ type: 'go' })),
    sound: entering('note'),
  },
  { code: 'SEND_TO', name: 'forwardTo', faulty: entering(forwardTo('p')), sound: entering('note') },
  {
    code: 'SEND_TO',
    name: 'sendTo by its name',
    faulty: stateA({ entry: 'tell' }, { actions: { tell: sendTo('p', { type: 'go' }) } }),
    sound: stateA({ entry: 'tell' }, { actions: { tell: raise({ type: 'go' }) } }),
  },
  {
    code: 'SEND_TO',
    name: 'an enqueued sendTo',
    faulty: enqueuing((enqueue) => enqueue.sendTo(({ self }: { self: unknown }) => self, { type: 'go' })),
    sound: enqueuing((enqueue) => enqueue.raise({ type: 'go' })),
  },
  {
    code: 'SEND_TO',
    name: 'an enqueued sendParent',
    faulty: enqueuing((enqueue) => enqueue.sendParent({ type: 'go' })),
    sound: enqueuing(() => {}),
  },
  {
    code: 'SPAWN',
    name: 'spawn in an assign',
    faulty: entering(assign({ made: ({ spawn }: { spawn: Call }) => spawn('pay', { id: 'x' }) } as never)),
    sound: spawning(spawnChild('pay', { id: 'x' })),
  },
  {
    code: 'SPAWN',
    name: 'spawn in the first context',
    at: 'chart',
    faulty: stateA({}, {}, { context: ({ spawn }: { spawn: Call }) => ({ made: spawn(promise) }) }),
    sound: stateA({}, {}, { context: () => ({ made: null }) }),
  },
  {
    code: 'SPAWN',
    name: 'a child without an id',
    faulty: entering(spawnChild('pay')),
    sound: spawning(spawnChild('pay', { id: 'x' })),
  },
  {
    code: 'SPAWN',
    name: 'a child that is not declared',
    faulty: stateA({ entry: spawnChild('own', { id: 'x' }) }, { actors: { own: promise } }),
    sound: stateA(
      { entry: spawnChild('own', { id: 'x' }), on: { 'xstate.error.actor.x': 'over' } },
      { actors: { own: child } },
    ),
  },
  {
    code: 'SPAWN',
    name: 'logic that is enqueued',
    faulty: enqueuing((enqueue) => enqueue.spawnChild(promise, { id: 'x' })),
    sound: enqueuing((enqueue) => enqueue.spawnChild('pay', { id: 'x' })),
  },
  {
    code: 'NO_VERSION',
    name: 'no version',
    at: 'chart',
    faulty: stateA({}, {}, { version: undefined }),
    sound: stateA({}),
  },
  {
    code: 'UNNAMED_INVOKE',
    name: 'no id',
    faulty: invoking('pay', {}, { id: undefined }),
    sound: invoking('pay'),
  },
  {
    code: 'SHARED_ID',
    name: 'an id for two',
    at: 'chart.b',
    faulty: twice('p'),
    sound: twice('q'),
  },
  {
    code: 'NO_ONERROR',
    name: 'a failure that the chart does not take',
    faulty: invoking('pay', {}, { onError: undefined }),
    sound: stateA(
      { invoke: { ...paying, onError: undefined } },
      {},
      { on: { 'xstate.error.actor.p': '.over' } },
    ),
  },
  {
    code: 'NO_ONERROR',
    name: 'a failure of a child that it spawns',
    faulty: entering(spawnChild('pay', { id: 'p' })),
    sound: stateA({ entry: spawnChild('pay', { id: 'p' }) }, {}, { on: { 'xstate.error.actor.p': '.over' } }),
  },
  {
    code: 'NO_ONERROR',
    name: 'a failure of children of a list that is not known yet',
    faulty: entering(
      enqueueActions(({ enqueue }) => {
        for (const id of [] as string[]) (enqueue as unknown as Enqueue).spawnChild('pay', { id });
      }),
    ),
    sound: stateA({
      entry: enqueueActions(({ enqueue }) => {
        for (const id of [] as string[]) (enqueue as unknown as Enqueue).spawnChild('pay', { id });
      }),
      on: { 'xstate.error.actor.*': 'over' },
    }),
  },
  {
    code: 'UNKNOWN_AGENT',
    name: 'an agent that is not there',
    faulty: invoking('work', { work: agent({ agent: 'nobody', prompt: () => '' }) }),
    sound: invoking('work', { work: agent({ agent: 'default', prompt: () => '' }) }),
  },
  {
    code: 'UNKNOWN_TOOL',
    name: 'a tool that is not there',
    faulty: invoking('work', { work: tool('look_pu') }),
    sound: invoking('work', { work: tool('look_up') }),
  },
  {
    code: 'ALWAYS_LEAVES',
    name: 'invoke and always',
    faulty: stateA(
      { invoke: paying, always: { guard: 'isOpen', target: 'over' } },
      { guards: { isOpen: () => false } },
    ),
    sound: stateA({ always: { guard: 'isOpen', target: 'over' } }, { guards: { isOpen: () => false } }),
  },
  {
    code: 'INLINE_GUARD',
    name: 'a function',
    faulty: guarded(() => true),
    sound: guarded('isOpen', { isOpen: () => true }),
  },
  {
    code: 'INLINE_GUARD',
    name: 'a function within not()',
    faulty: guarded(not(() => true)),
    sound: guarded(not(stateIn('a'))),
  },
  {
    code: 'UNCHECKED_EVENT',
    name: 'an event whose payload the chart reads, without a schema',
    faulty: readingGo({}),
    sound: readingGo({ schemas: { events: { go: z.object({ type: z.literal('go'), to: z.string() }) } } }),
  },
];
function loop(b: object) {
  return { a: { after: { 10: 'b' } }, b, c: { always: 'b' }, over: { type: 'final' } };
}

function adding(change: (items: number[]) => number[]) {
  const add = assign({
    items: ({ context }: { context: { items: number[] } }) => change(context.items),
  } as never);
  return stateA({ on: { go: { actions: add } } }, {}, { context: { items: [] } });
}

function circle(): object {
  const made: Record<string, unknown> = {};
  made.self = made;
  return made;
}

function twice(id: string) {
  const states = {
    a: { invoke: { ...paying, onDone: 'b' } },
    b: { invoke: { ...paying, id } },
    over: { type: 'final' },
  };
  return chartOf({ initial: 'a', states });
}
