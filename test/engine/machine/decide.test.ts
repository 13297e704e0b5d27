import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import {
  allowedCommands,
  begin,
  MachineFault,
  move,
  pathOf,
  restore,
} from '../../../src/engine/machine/decide.ts';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../../src/engine/machine/pure-machine.ts';

interface Context {
  n: number;
}

const toy = setup({
  types: { context: {} as Context, events: {} as { type: string; at: number }, input: {} as Context },
  actions: {
    'effect.known': (_, _params: { effectId: number }) => {},
    'effect.unknown': () => {},
    count: assign({ n: ({ context }) => context.n + 1 }),
    explode: assign(() => {
      throw new Error('boom');
    }),
  },
  guards: {
    explodes: () => {
      throw 'a string is thrown';
    },
  },
}).createMachine({
  id: 'toy',
  context: ({ input }) => ({ n: input.n }),
  initial: 'a',
  states: {
    a: {
      on: {
        go: 'b',
        ask: { actions: { type: 'effect.known', params: { effectId: 1 } } },
        ask2: { actions: 'effect.unknown' },
        explode: { target: 'b', actions: 'explode' },
        guarded: { guard: 'explodes', target: 'b' },
        self: { target: 'a' },
      },
    },
    b: { initial: 'inner', states: { inner: { on: { end: '#toy.c', count: { actions: 'count' } } } } },
    c: { type: 'final' },
  },
  on: { anywhere: '.a' },
});

const host = {
  id: 'toy',
  version: 3,
  machine: new PureMachine(toy),
  effects: { 'effect.known': {} },
  rows: {},
  commands: new Set(['go', 'end']),
  possibleCommands: () => [{ type: 'go' }, { type: 'end' }, { type: 'anywhere' }],
} as unknown as MachineHost;

const start = () => begin(host, { n: 0 }).snapshot;
const event = (type: string) => ({ type, at: 1 });

describe('deciding', () => {
  it('begins with the machine’s first snapshot and what it wants', () => {
    const { snapshot, actions } = begin(host, { n: 7 });
    expect([snapshot.value, snapshot.context, actions]).toEqual(['a', { n: 7 }, []]);
  });

  it('gives the next snapshot and the named actions with their params', () => {
    const moved = move(host, start(), event('ask'));
    expect(moved?.actions).toEqual([{ type: 'effect.known', params: { effectId: 1 } }]);
  });

  it('takes an internal transition that only asks for an effect as one', () => {
    const before = start();
    expect(move(host, before, event('ask'))?.snapshot.value).toBe('a');
  });

  it('ignores an event that changes nothing and asks for nothing', () => {
    expect(move(host, start(), event('unheard.of'))).toBeNull();
  });

  it('ignores every event of a finished run, even one that the root would take', () => {
    const b = move(host, start(), event('go'))?.snapshot ?? start();
    const c = move(host, b, event('end'))?.snapshot ?? b;
    expect([c.status, move(host, c, event('anywhere'))]).toEqual(['done', null]);
  });

  it('refuses an action without a handler', () => {
    const refuse = () => move(host, start(), event('ask2'));
    expect(refuse).toThrow(MachineFault);
    expect(refuse).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_ACTION', message: expect.stringContaining('effect.unknown') }),
    );
  });

  it.each([
    ['assignment', 'explode', 'boom'],
    ['guard', 'guarded', 'explodes'],
  ])('says so when the machine’s own %s throws', (_, type, why) => {
    const throwing = () => move(host, start(), event(type));
    expect(throwing).toThrow(
      expect.objectContaining({ code: 'MACHINE_FAULT', message: expect.stringContaining(why) }),
    );
  });

  it('leaves the snapshot as it was when the machine throws', () => {
    const before = start();
    const copy = JSON.stringify(before);
    expect(() => move(host, before, event('explode'))).toThrow();
    expect(JSON.stringify(before)).toBe(copy);
  });
});

describe('restoring', () => {
  const row = (over: object = {}) => ({ id: 'r', version: 3, state: '"a"', context: '{"n":5}', ...over });

  it('gives a snapshot that goes on where the row stands', () => {
    const snapshot = restore(host, row({ state: '{"b":"inner"}' }));
    expect(move(host, snapshot, event('count'))?.snapshot.context).toEqual({ n: 6 });
  });

  it.each([
    ['another version', { version: 2 }],
    ['a state that is gone', { state: '"gone"' }],
    ['a state that is gone, inside one that is not', { state: '{"b":"gone"}' }],
    ['half a state, which xstate would complete', { state: '"b"' }],
    ['no state, which xstate would repair', { state: '{}' }],
  ])('refuses a row of %s', (_, over) => {
    expect(() => restore(host, row(over))).toThrow(
      expect.objectContaining({ code: 'MIGRATION_NEEDED', message: expect.stringContaining('run r') }),
    );
  });
});

describe('a state path', () => {
  it.each([
    ['a', 'a'],
    [{ a: { b: 'c' } }, 'a.b.c'],
    [{ a: {} }, 'a'],
    [{ a: 'x', b: { c: 'y' } }, 'a.x|b.c.y'],
  ])('of %j is %s', (value, path) => {
    expect(pathOf(value)).toBe(path);
  });
});

describe('the commands that are allowed', () => {
  it('are possible, listed by the host, and taken by the state', () => {
    expect(allowedCommands(host, start())).toEqual([{ type: 'go' }]);
    const b = move(host, start(), event('go'))?.snapshot ?? start();
    expect(allowedCommands(host, b)).toEqual([{ type: 'end' }]);
  });

  it('are none once the run has ended', () => {
    const b = move(host, start(), event('go'))?.snapshot ?? start();
    const c = move(host, b, event('end'))?.snapshot ?? b;
    expect(allowedCommands(host, c)).toEqual([]);
  });
});
