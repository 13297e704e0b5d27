import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, setup } from 'xstate';
import { jobMachine } from '../../../../machines/job.machine.ts';
import { runMachine } from '../../../../machines/run.machine.ts';
import { readDefinition } from '../../../../src/gateway/inspect/live/read-definition.ts';
import { definitionOf } from '../../../../src/runtime/chart/definition.ts';
import { example, inOrder, realMessages } from '../../../support/inspection.ts';

const parallel = setup({
  guards: { isOpen: () => true },
  actions: { note: () => {}, a: () => {}, b: () => {} },
}).createMachine({
  id: 'shop',
  type: 'parallel',
  on: { '*': { actions: 'note' }, 'order.*': '.till.paid' },
  states: {
    door: {
      initial: 'shut',
      states: { shut: { on: { open: 'opened' } }, opened: {}, last: { type: 'history' } },
    },
    till: {
      initial: 'empty',
      states: {
        empty: { always: [{ guard: 'isOpen', target: 'paid' }, 'closed'] },
        paid: { id: 'paid', on: { back: '#shop.door.last', stay: { actions: ['a', { type: 'b' }] } } },
        closed: { type: 'final' },
      },
      onDone: '#paid',
    },
  },
});

describe('the definition of an actor', () => {
  it.each<[string, AnyStateMachine]>([
    ['a machine with a child, a delay and a guard', example],
    ['parallel states, history, wildcards and ids', parallel],
  ])('is what Detent itself reads of %s', async (_, machine) => {
    const [{ definition } = {}] = await realMessages(machine);
    const read = readDefinition('it', String(definition)).definition;
    expect(read && inOrder(read)).toEqual(inOrder(definitionOf('it', 0, machine)));
  });

  it.each<[string, AnyStateMachine]>([
    ['runs', runMachine],
    ['jobs', jobMachine],
  ])('is what Detent itself reads of the chart of %s', (_, machine) => {
    const json = JSON.stringify(machine.config, (_key, value) =>
      typeof value === 'function' ? { type: value.name } : value,
    );
    expect(readDefinition('it', json).definition).toEqual(definitionOf('it', 0, machine));
  });

  it.each([
    ['is missing', undefined, 'without a definition'],
    ['is no JSON', '{', 'not a statechart'],
    ['is of an actor without states', '{"id":"promise"}', 'not a statechart'],
    ['is too long', `{"states":{"a":{}},"x":"${'x'.repeat(200_000)}"}`, 'characters'],
    ['leads to a state that is not there', '{"states":{"a":{"on":{"go":"b"}}}}', 'cannot be read'],
    [
      'has too many states',
      JSON.stringify({ states: Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`s${i}`, {}])) }),
      'more than 300 states',
    ],
    [
      'has too many transitions',
      JSON.stringify({ states: { a: { on: { go: Array.from({ length: 2_000 }, () => 'a') } } } }),
      'more than 1000 transitions',
    ],
    ['is nested too deep', `${'{"states":{"a":'.repeat(50)}{}${'}}'.repeat(50)}`, 'more than 20 levels'],
  ])('is refused with words when it %s', (_, json, words) => {
    expect(readDefinition('it', json)).toMatchObject({
      definition: null,
      refused: expect.stringContaining(words),
    });
  });

  it.each([
    [
      'states that are texts, as clients write what is too deep for them',
      { a: '[Object]', b: { initial: 'c', states: '[Object]' } },
    ],
    [
      'states with names of properties',
      { __proto__x: {}, constructor: { states: { prototype: {} } }, toString: {} },
    ],
    [
      'fields of other types',
      { a: { on: 'go', after: 7, always: null, invoke: 'x', type: 'odd', initial: 5, tags: {} } },
    ],
    [
      'transitions of other types',
      { a: { on: { go: 7, stop: [null, { target: 9, guard: 3, actions: { type: {} } }] } } },
    ],
    ['functions that came as names', { a: { invoke: { src: { type: 'fetch' }, onDone: 'b' } }, b: {} }],
  ])('may have %s', (_, states) => {
    expect(readDefinition('it', JSON.stringify({ id: 'it', states })).refused).toBe(null);
  });
});
