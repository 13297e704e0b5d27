import { expect, it } from 'vitest';
import type { ChartState, MachineDefinition } from '../../../../src/protocol/views.ts';
import { marksAt, transitionsByEdge } from '../../../../web/src/pages/inspector/chart-marks.ts';
import { figuresOf } from '../../../../web/src/pages/inspector/figures.ts';
import { traceOf } from './trace.ts';

type Transitions = readonly (readonly [event: string, guard: string | null, to: string])[];

function state(id: string, transitions: Transitions, states: ChartState[] = []): ChartState {
  return {
    id,
    key: id.split('.').at(-1) ?? id,
    type: states.length > 0 ? 'compound' : 'atomic',
    initial: null,
    states,
    transitions: transitions.map(([event, guard, to], i) => {
      return { id: `${id}#${i}`, event, guard, targets: [to], actions: [] };
    }),
  };
}

const decisions: Transitions = [
  ['', 'hasAsked', 'a.ask'],
  ['', 'isLate', 'end'],
  ['', 'isOver', 'end'],
  ['', null, 'a.think'],
];
const machine: MachineDefinition = {
  name: 'm',
  version: 1,
  hash: '',
  initial: 'a',
  transitions: [{ id: '#0', event: 'stop', guard: null, targets: ['end'], actions: [] }],
  states: [
    state(
      'a',
      [],
      [
        state('a.think', [
          ['said', null, 'a.decide'],
          ['failed', null, 'a.decide'],
        ]),
        state('a.decide', decisions),
        state('a.ask', []),
      ],
    ),
    state('end', []),
  ],
};

const edges = transitionsByEdge(machine);
const trace = traceOf([
  [0, 'begin', 'a.think'],
  [10, 'said', 'a.ask', ['a.think->a.decide', 'a.decide->a.ask'], ['hasAsked']],
  [20, 'go', 'a.think', ['a.decide->a.think']],
  [30, 'failed', 'end', ['a.think->a.decide', 'a.decide->end'], ['isOver']],
]);
const at = (seq: number) => marksAt(trace, figuresOf(trace), edges, seq);

it('lights the states that hold, and the edges that the transition took', () => {
  expect(at(2)).toMatchObject({ lit: ['a.ask'], last: ['a.think->a.decide', 'a.decide->a.ask'] });
  expect(at(4)).toMatchObject({ lit: ['end'], last: ['a.think->a.decide', 'a.decide->end'] });
});

it('labels an edge with the event that took it last', () => {
  expect([2, 3, 4].map((seq) => at(seq).labels.get('a.think->a.decide'))).toEqual(['said', 'said', 'failed']);
});

it('labels an edge without an event with the guard that held, or as always taken', () => {
  expect([at(2).labels.get('a.decide->a.ask'), at(4).labels.get('a.decide->end')]).toEqual([
    '[hasAsked]',
    '[isOver]',
  ]);
  expect(at(3).labels.get('a.decide->a.think')).toBe('always');
});

it('leaves the label of an edge that was not taken, or that the definition does not know', () => {
  expect(at(1).labels.size).toBe(0);
  const unknown = marksAt(trace, figuresOf(trace), new Map(), 4);
  expect([unknown.labels.size, unknown.taken.get('a.decide->end')]).toEqual([0, 1]);
});

it('knows the transitions of the machine itself, too', () => {
  expect(edges.get('->end')?.map(({ event }) => event)).toEqual(['stop']);
});
