import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine, enqueueActions, initialTransition } from 'xstate';
import { type ChartAction, ChartActions } from '../../../src/workflow/facade/chart-actions.ts';

/** The names of the actions that a chart has asked for at its start, and what their rows hold. */
function begun(config: object, actions: Record<string, unknown> = {}) {
  const chart = createMachine({ id: 'chart', ...config } as never, {
    actions: actions as never,
  }) as unknown as AnyStateMachine;
  const known = new ChartActions(chart);
  const [, asked] = initialTransition(chart);
  return (asked as ChartAction[]).map((action) => {
    const name = known.nameOf(action);
    return { name, call: name === null ? null : known.callOf(name, action), known };
  });
}

describe('the actions of a chart', () => {
  it('have their names in setup, or their places in the chart', () => {
    const initial = { target: 'a', actions: () => {} };
    const states = { a: { entry: ['note', () => {}], always: { target: 'b', actions: [() => {}] } }, b: {} };
    const asked = begun({ initial, states, entry: [() => {}] }, { note() {} });
    expect(asked.map(({ name }) => name)).toEqual([
      'chart.entry[0]',
      'chart.initial[0]',
      'note',
      'chart.a.entry[1]',
      'chart.a.always[0].actions[0]',
    ]);
  });

  it('are the same in all places where one function stands', () => {
    const same = () => {};
    expect(begun({ entry: [same, same] }).map(({ name }) => name)).toEqual([
      'chart.entry[0]',
      'chart.entry[0]',
    ]);
  });

  it('do nothing when the chart only names them', () => {
    expect(begun({ entry: 'note' }).map(({ name }) => name)).toEqual([null]);
  });

  it('cannot be functions that enqueueActions makes', () => {
    const entry = enqueueActions(({ enqueue }) => enqueue(() => {}));
    expect(() => begun({ entry })).toThrow('name it in setup({ actions })');
  });

  it('get the context and the event of their own moment, if they take any', () => {
    const actions = { takes: ({ context }: { context: object }) => context, none: () => {} };
    const entry = [{ type: 'takes', params: { to: 'x' } }, 'takes', 'none'];
    expect(begun({ context: { n: 1 }, entry }, actions).map(({ call }) => call)).toEqual([
      { params: { to: 'x' }, given: { context: { n: 1 }, event: { type: 'xstate.init' } } },
      { given: { context: { n: 1 }, event: { type: 'xstate.init' } } },
      {},
    ]);
  });

  it('get none that is too large for their row', () => {
    const takes = (_: object, params: object) => params;
    const entry = { type: 'takes', params: { n: 1 } };
    const [asked] = begun({ context: { text: 'x'.repeat(70_000) }, entry }, { takes });
    expect(asked?.call).toEqual({ params: { n: 1 } });
  });

  it('are found again in the chart that they were asked in, and named ones in any', () => {
    const [inline, named] = begun({ entry: [() => 'inline', 'note'] }, { note: () => 'named' });
    expect(inline?.known.find('chart.entry[0]', inline.call ?? {})?.({}, undefined)).toBe('inline');
    expect(inline?.known.find('chart.entry[0]', { chart: 'another' })).toBeUndefined();
    expect(named?.known.find('note', {})?.({}, undefined)).toBe('named');
    expect(named?.known.find('toString', {})).toBeUndefined();
  });
});
