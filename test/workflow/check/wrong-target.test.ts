import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DetentError } from '../../../src/index.ts';
import { workflowPaths } from '../../../src/testing/index.ts';
import { workflow } from '../../../src/workflow/index.ts';
import { chartOf } from './support.ts';

const order = (asked: object, more: object = {}) =>
  chartOf({
    id: 'order',
    initial: 'asked',
    states: { asked, paying: { initial: 'card', states: { card: {} } }, paid: { type: 'final' } },
    ...more,
  });

function thrownBy(make: () => unknown): DetentError {
  try {
    make();
  } catch (error) {
    if (DetentError.is(error)) return error;
    throw error;
  }
  throw new Error('it threw nothing');
}

describe('a chart with a target that does not exist', () => {
  it.each([
    ['an event', { on: { 'order.pay': 'piad' } }, 'piad', 'the event "order.pay"', 'did you mean "paid"'],
    ['one of several', { on: { pay: [{ target: 'paid' }, { target: 'gone' }] } }, 'gone', 'the event "pay"'],
    ['always', { always: '#gone' }, '#gone', 'always', 'there are asked, paying, paid'],
    ['a delay', { after: { 1000: { target: 'paying.cash' } } }, 'paying.cash', 'after 1000'],
    ['an inner state', { on: { pay: '.cash' } }, '.cash', 'the event "pay"'],
    ['onDone', { initial: 'x', states: { x: { type: 'final' } }, onDone: 'gone' }, 'gone', 'onDone'],
    ['a service', { invoke: { src: 'pay', onError: 'gone' } }, 'gone', 'onError of "pay"'],
  ])('is refused with its state, %s and the target', (_, asked, target, event, ...more) => {
    const error = thrownBy(() => order(asked));
    expect(error).toMatchObject({
      code: 'INVALID_WORKFLOW',
      details: { id: 'order', state: 'order.asked', event, target },
    });
    expect(error.message).toContain(
      `chart "order": the state "order.asked" has the target "${target}" for ${event}, but there is no such state`,
    );
    for (const words of more) expect(error.message).toContain(words);
  });

  it('names the state inside of others, and what the root needs', () => {
    const inner = { initial: 'a', states: { a: { initial: 'b', states: { b: { always: 'gone' } } } } };
    expect(thrownBy(() => order(inner)).message).toContain('the state "order.asked.a.b"');
    expect(thrownBy(() => order({}, { on: { pay: 'paid' } })).message).toContain('did you mean ".paid"?');
  });

  it('has the line of the chart in its stack', () => {
    expect(thrownBy(() => order({ on: { pay: 'payed' } })).stack).toContain('wrong-target.test.ts');
  });

  it('is told by workflow() when it is the initial state', () => {
    expect(thrownBy(() => workflow(order({}, { initial: 'ask' }))).message).toBe(
      'chart "order": Initial state node "ask" not found on parent state node #order',
    );
  });

  it('leaves other mistakes, and targets of every kind, to XState', () => {
    const every = { on: { a: 'paying.card', b: '.x', c: '#order.paid', d: { target: undefined } } };
    const inner = { initial: 'x', states: { x: { id: 'x', on: { f: '#x' } } } };
    expect(order({ ...every, ...inner }, { on: { e: '.paid' } }).events).toHaveLength(5);
    expect(() => order({ on: { '': 'paid' } })).toThrow('Null events');
  });
});

it('prints each finding of a chart that is refused', async () => {
  const chart = order({ on: { pay: { target: 'paid', guard: 'nope' } } });
  const error = await workflowPaths(workflow(chart)).catch((thrown: unknown) => thrown);
  expect(inspect(error)).not.toContain('[Object]');
  expect(inspect(error)).toContain("code: 'UNKNOWN_GUARD'");
  expect(inspect(error)).toContain('the guard "nope" is not in setup({ guards })');
});
