import { describe, expect, it } from 'vitest';
import { assign, enqueueActions, raise } from 'xstate';
import { chartOf, codesOf, paying } from './support.ts';

const over = { type: 'final' };
const waiting = { on: { go: '#chart.over' } };
const ofA = (a: object, more: object = {}) =>
  codesOf(chartOf({ initial: 'a', context: {}, states: { a, over, b: { after: { 9: 'over' } } }, ...more }));
const inA = ['NO_EXIT chart.a'];

describe('a state that waits for events', () => {
  it('has no exit by itself, nor by an event that it leaves or only notes', () => {
    expect(ofA(waiting)).toEqual(inA);
    expect(ofA({})).toEqual(inA);
    expect(ofA({ on: { go: { actions: 'note' } } })).toEqual(inA);
  });

  it.each([
    ['after', { after: { 10: 'over' } }],
    ['always', { always: { guard: { type: 'isOver' }, target: 'over' } }],
    ['the end of a service', { invoke: paying }],
    ['an event that it raises later', { entry: raise({ type: 'go' }, { delay: 10 }), on: { go: 'over' } }],
    ['an event that it raises at once', { entry: raise({ type: 'go' }), on: { go: 'over' } }],
    [
      'an event that is made later',
      { entry: raise(() => ({ type: 'go' }), { delay: 10 }), on: { go: 'over' } },
    ],
    ['the end of a child that it spawned', { on: { 'xstate.done.actor.x': 'over' } }],
    [
      'an event that enqueueActions raises later',
      {
        entry: enqueueActions(({ enqueue }) => enqueue.raise({ type: 'go' }, { delay: 10 } as never)),
        on: { go: 'over' },
      },
    ],
  ])('may leave by %s', (_, a) => {
    const guards = { isOver: () => false };
    expect(codesOf(chartOf({ initial: 'a', context: {}, states: { a, over } }, { guards }))).toEqual([]);
  });

  it('may leave by a state around it', () => {
    expect(ofA({ initial: 'in', states: { in: waiting }, after: { 10: 'over' } })).toEqual([]);
    expect(ofA(waiting, { after: { 10: '.over' } })).toEqual([]);
    expect(ofA(waiting, { invoke: { ...paying, onDone: '.over', onError: '.over' } })).toEqual([]);
  });

  it('may leave by an event that is raised on the way into it', () => {
    const actions = raise({ type: 'go' }, { delay: 10 });
    const states = { a: { after: { 10: { target: 'b', actions } } }, b: { on: { go: 'over' } }, over };
    expect(codesOf(chartOf({ initial: 'a', states }))).toEqual([]);
  });

  it('does not leave by what leads nowhere', () => {
    expect(ofA({ ...waiting, after: { 10: { actions: 'note' } } })).toEqual(inA);
    expect(ofA({ ...waiting, invoke: { ...paying, onDone: { actions: assign({}) } } })).toEqual(inA);
    expect(ofA({ ...waiting, invoke: { ...paying, onDone: undefined } })).toEqual(inA);
    expect(ofA({ ...waiting, entry: raise({ type: 'other' }, { delay: 10 }) })).toEqual(inA);
  });
});

describe('a state that ends within', () => {
  const inner = { initial: 'in', states: { in: { after: { 10: 'end' } }, end: over } };

  it('needs an onDone', () => {
    expect(ofA(inner)).toEqual(inA);
    expect(ofA({ ...inner, onDone: 'over' })).toEqual([]);
    expect(ofA({ ...inner, onDone: { actions: 'note' } })).toEqual(inA);
  });

  it('is left by a state around it', () => {
    expect(ofA({ ...inner }, { after: { 10: '.over' } })).toEqual([]);
  });

  it('ends the run at the root', () => {
    expect(codesOf(chartOf({ type: 'final' }))).toEqual([]);
    expect(codesOf(chartOf(inner))).toEqual([]);
  });
});

describe('a region of a parallel state', () => {
  const regions = (states: object, more: object = {}) => ofA({ type: 'parallel', states, ...more });
  const working = { initial: 'on', states: { on: { after: { 10: 'end' } }, end: over } };
  const leaving = { initial: 'on', states: { on: { after: { 10: '#chart.over' } } } };
  const listening = { initial: 'on', states: { on: waiting } };

  it('may wait while another one leads on', () => {
    expect(regions({ left: leaving, right: listening }, { onDone: 'over' })).toEqual([]);
    expect(regions({ left: working, right: working }, { onDone: 'over' })).toEqual([]);
  });

  it('has no exit if all can wait at once, or have ended', () => {
    const right = 'NO_EXIT chart.a.right.on';
    expect(regions({ left: working, right: listening }, { onDone: 'over' })).toEqual([right]);
    expect(regions({ left: listening, right: listening })).toEqual(['NO_EXIT chart.a.left.on', right]);
  });

  it('may wait if the parallel state is left anyway', () => {
    expect(regions({ left: working, right: listening }, { after: { 10: 'over' } })).toEqual([]);
  });

  it('needs an onDone around all', () => {
    expect(regions({ left: working, right: working })).toEqual(inA);
  });
});

it('does not count history states', () => {
  const b = { initial: 'c', states: { c: { after: { 10: '#chart.a' } }, h: { type: 'history' } } };
  expect(codesOf(chartOf({ initial: 'a', states: { a: { after: { 10: 'b.h' } }, b } }))).toEqual([]);
});
