import { describe, expect, it } from 'vitest';
import { assign, initialTransition, setup, transition } from 'xstate';
import { transitionPaths } from '../../src/testing/index.ts';

const light = setup({
  types: {
    context: {} as { turns: number },
    events: {} as { type: 'turn' | 'break' | 'mend' | 'end'; at?: number },
  },
  actions: { count: assign({ turns: ({ context }) => context.turns + 1 }), shine: () => {} },
  guards: { old: ({ context }) => context.turns >= 2 },
}).createMachine({
  context: { turns: 0 },
  initial: 'off',
  states: {
    off: { on: { turn: { target: 'on', actions: 'count' }, break: 'broken' } },
    on: { on: { turn: [{ guard: 'old', target: 'broken' }, { target: 'off' }], mend: { actions: 'shine' } } },
    broken: { on: { mend: 'off', end: 'gone' } },
    gone: { type: 'final' },
  },
});

const events = () => (['turn', 'break', 'mend', 'end'] as const).map((type) => ({ type, at: 5 }));
const key = ({ value, context }: { value: unknown; context: { turns: number } }) =>
  `${value} ${Math.min(context.turns, 2)}`;

describe('the paths over a machine’s graph', () => {
  const paths = transitionPaths(light, { events, key });

  it('take every transition last, once', () => {
    const edges = paths.map(({ from, events: list, to }) => `${from} ${list.at(-1)?.type} ${to}`);
    expect(new Set(edges).size).toBe(edges.length);
    expect(edges).toContain('on 2 turn broken 2');
    expect(edges).toContain('on 1 turn off 1');
    expect(edges).toContain('on 1 mend on 1');
  });

  it('lead where they say', () => {
    for (const { events: list, from, to } of paths) {
      let [snapshot] = initialTransition(light);
      for (const event of list.slice(0, -1)) [snapshot] = transition(light, snapshot, event);
      expect(key(snapshot)).toBe(from);
      const last = list.at(-1);
      if (last) [snapshot] = transition(light, snapshot, last);
      expect(key(snapshot)).toBe(to);
    }
  });

  it('are the shortest to their last state', () => {
    const shortest = paths.find(({ from }) => from === 'on 2');
    expect(shortest?.events.map(({ type }) => type)).toEqual(['turn', 'turn', 'turn', 'turn']);
  });

  it('go nowhere from a final state, and by no event that is ignored', () => {
    expect(paths.filter(({ from }) => from.startsWith('gone'))).toEqual([]);
    expect(
      paths.filter(({ from, events: list }) => from.startsWith('off') && list.at(-1)?.type === 'mend'),
    ).toEqual([]);
  });

  it('tell events apart without their time, or as they are told to', () => {
    let at = 0;
    const timed = () => events().map((event) => ({ ...event, at: at++ }));
    expect(transitionPaths(light, { events: timed, key })).toHaveLength(paths.length);
    const alike = transitionPaths(light, { events, key, eventKey: () => 'any' });
    expect(new Set(alike.map(({ from }) => from)).size).toBe(alike.length);
  });
});
