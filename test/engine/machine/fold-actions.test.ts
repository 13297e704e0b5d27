import { describe, expect, it } from 'vitest';
import { foldActions } from '../../../src/engine/machine/fold-actions.ts';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';

const host = {
  effects: { 'effect.a': {}, 'effect.b': {} },
  rows: { 'row.x': () => [] },
} as unknown as MachineHost;

function fold(...actions: [type: string, params: Record<string, unknown>][]) {
  return foldActions(
    host,
    actions.map(([type, params]) => ({ type, params: params as never })),
  );
}

const set = (id: string, delayMs = 1): [string, Record<string, unknown>] => [
  'timer.set',
  { id, event: `timer.${id}`, delayMs },
];
const clear = (id: string): [string, Record<string, unknown>] => ['timer.clear', { id }];

describe('the actions of a transition, taken in order', () => {
  it('leave the last word on each timer', () => {
    expect([...fold(set('t'), clear('t')).timers]).toEqual([['t', null]]);
    expect([...fold(clear('t'), set('t', 5)).timers]).toEqual([['t', { event: 'timer.t', delayMs: 5 }]]);
    expect([...fold(set('t', 5), clear('t'), set('t', 7)).timers]).toEqual([
      ['t', { event: 'timer.t', delayMs: 7 }],
    ]);
    expect([...fold(set('t'), set('u'), clear('t')).timers.keys()]).toEqual(['t', 'u']);
  });

  it('start effects in order', () => {
    const { effects, held } = fold(['effect.b', { effectId: 2, x: 1 }], ['effect.a', { effectId: 3 }]);
    expect(effects).toEqual([
      { n: 2, name: 'effect.b', params: { effectId: 2, x: 1 } },
      { n: 3, name: 'effect.a', params: { effectId: 3 } },
    ]);
    expect(held).toEqual([]);
  });

  it('hold effects that nothing starts, and only those', () => {
    const { held, created, effects } = fold(
      ['effect.hold', { ids: [4, 5, 6] }],
      ['effect.a', { effectId: 5 }],
    );
    expect([held, [...created], effects.map(({ n }) => n)]).toEqual([[4, 6], [4, 5, 6], [5]]);
  });

  it('start nothing that they also abort', () => {
    const { effects, held, aborted } = fold(
      ['effect.hold', { ids: [1, 2] }],
      ['effect.a', { effectId: 1 }],
      ['effect.abort', { ids: [1, 2] }],
    );
    expect([effects, held, aborted]).toEqual([[], [], [1, 2]]);
  });

  it('keep the rows of the domain in order', () => {
    const { rows } = fold(['row.x', { n: 1 }], set('t'), ['row.x', { n: 2 }]);
    expect(rows.map(({ params }) => params.n)).toEqual([1, 2]);
  });

  it('of nothing are nothing', () => {
    expect(fold()).toEqual({
      effects: [],
      held: [],
      created: [],
      aborted: [],
      timers: new Map(),
      rows: [],
    });
  });
});
