import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  createMachine,
  enqueueActions,
  forwardTo,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  sendParent,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { checkWorkflow } from '../../../src/workflow/check/check-workflow.ts';
import { step } from '../../../src/workflow/services.ts';
import { workflow } from '../../../src/workflow/workflow.ts';
import { exampleCharts } from '../charts.ts';
import { documentation } from './documentation.ts';
import { features } from './features.ts';
import { performedBy } from './scenario.ts';
import { xstateExamples } from './xstate-examples.ts';

const done = step({ sideEffect: 'readonly', run: () => null });
const promise = fromPromise(async () => null);
const ticks = fromCallback(({ sendBack }) => sendBack({ type: 'TICK' }));

const chartOf = (config: object, named: object = {}) =>
  createMachine(
    { id: 'chart', version: '1', ...config } as never,
    named as never,
  ) as unknown as AnyStateMachine;
const invoking = (invoke: object, actors: object = {}) =>
  chartOf(
    {
      initial: 'a',
      states: { a: { invoke: { id: 'x', onDone: 'b', onError: 'b', ...invoke } }, b: { type: 'final' } },
    },
    { actors },
  );

/** The errors with which a chart is refused. */
function refusalsOf(chart: AnyStateMachine): string[] {
  const errors = checkWorkflow(workflow(chart)).filter(({ level }) => level === 'error');
  return [...new Set(errors.map(({ code }) => code))];
}

/** What the documentation of XState shows, and Detent cannot make durable. */
const refused: Record<string, [AnyStateMachine, ...string[]]> = {
  'a promise that is not declared': [invoking({ src: 'work' }, { work: promise }), 'NOT_DURABLE'],
  'an inline promise': [invoking({ src: promise }), 'INLINE_SERVICE'],
  'a callback': [invoking({ src: 'ticks' }, { ticks }), 'NOT_DURABLE'],
  'an observable': [
    invoking(
      { src: 'ticks' },
      { ticks: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never) },
    ),
    'NOT_DURABLE',
  ],
  'a transition function': [
    invoking({ src: 'count' }, { count: fromTransition((n: number) => n + 1, 0) }),
    'NOT_DURABLE',
  ],
  'snapshots of a child': [
    invoking({ src: 'work', onSnapshot: { actions: 'note' } }, { work: done }),
    'NOT_DURABLE',
    'UNKNOWN_ACTION',
  ],
  'a systemId': [invoking({ src: 'work', systemId: 'notifier' }, { work: done }), 'SYSTEM_ID'],
  'spawn in assign': [
    setup({ actors: { work: promise } }).createMachine({
      id: 'chart',
      version: '1',
      context: { ref: null as unknown },
      entry: assign({ ref: ({ spawn }) => spawn('work') }),
    }) as unknown as AnyStateMachine,
    'SPAWN',
  ],
  'spawnChild without an id': [
    chartOf({ entry: spawnChild('work' as never) }, { actors: { work: done } }),
    'SPAWN',
  ],
  'sendTo a child': [chartOf({ on: { GO: { actions: sendTo('child', { type: 'GO' }) } } }), 'SEND_TO'],
  forwardTo: [chartOf({ on: { GO: { actions: forwardTo('child') } } }), 'SEND_TO'],
  sendParent: [chartOf({ entry: sendParent({ type: 'HELLO' }) }), 'SEND_TO'],
  'a function that is enqueued': [
    chartOf({ entry: enqueueActions(({ enqueue }) => enqueue(() => {})) }),
    'NOT_DURABLE',
  ],
  'a Date in the context': [chartOf({ context: () => ({ since: new Date(0) }) }), 'CONTEXT_NOT_JSON'],
  'a Set in the context': [chartOf({ context: { tags: new Set() } }), 'CONTEXT_NOT_JSON'],
  'an id of chance': [chartOf({ context: () => ({ id: Math.random() }) }), 'IMPURE'],
  'an action without an implementation': [chartOf({ entry: 'notify' }), 'UNKNOWN_ACTION'],
  'a guard without an implementation': [
    chartOf({ on: { GO: { guard: 'isOpen', actions: [] } } }),
    'UNKNOWN_GUARD',
  ],
  'a delay without a length': [
    chartOf({ initial: 'a', states: { a: { after: { soon: 'b' } }, b: {} } }),
    'UNKNOWN_DELAY',
  ],
  'workflow-reusing-functions, the child': [
    performedBy(exampleCharts('workflow-reusing-functions').workflow, () => done),
    'SEND_TO',
  ],
  'workflow-reusing-functions, the parent': [
    exampleCharts('workflow-reusing-functions').parent as AnyStateMachine,
    'NOT_DURABLE',
    'SEND_TO',
  ],
};

describe('of what XState can do', () => {
  it.each(Object.entries(refused))('%s is refused with its code', (_, [chart, ...codes]) => {
    expect(refusalsOf(chart)).toEqual(codes);
  });

  it.each([...xstateExamples, ...documentation, ...features])(
    '$name is not refused',
    ({ chart, id, input }) => {
      const given = input === undefined ? {} : { input };
      const findings = checkWorkflow(
        workflow(
          performedBy(chart, () => done),
          { ...(id && { id }) },
        ),
        given,
      );
      expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it.each([
    ['no id', {}],
    ['an id with spaces', { id: 'traffic light' }],
    ['a version that is no whole number', { id: 'chart', version: '1.0.0' }],
  ])('a chart with %s is refused before it is checked', (_, config) => {
    expect(() => workflow(createMachine(config as never) as never)).toThrow('chart "');
  });
});
