import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { LiveLayouts } from '../../../src/gateway/inspect/live/layouts.ts';
import { readDefinition } from '../../../src/gateway/inspect/live/read-definition.ts';
import { drawDot, drawMermaid } from '../../../src/inspect/draw.ts';
import type { ChartState } from '../../../src/protocol/views.ts';
import { definitionOf } from '../../../src/runtime/chart/definition.ts';
import { layoutOf } from '../../../src/runtime/chart/layout.ts';

type Config = Parameters<typeof createMachine>[0];

const row = (count: number, last: object = {}) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `s${i}`,
      i === count - 1 ? last : { on: { NEXT: `s${i + 1}` } },
    ]),
  );
const nested = (levels: number): Config =>
  levels === 0 ? {} : { initial: 'a', states: { a: nested(levels - 1) } };
const two = { x: { on: { GO: 'y' } }, y: {} };

const charts: Record<string, Config> = {
  'a transition to the root': { id: 'm', initial: 'a', states: { a: { on: { GO: '#m' } } } },
  'one from a nested state': {
    id: 'm',
    initial: 'a',
    states: { a: { initial: 'b', states: { b: { on: { GO: '#m' } } } } },
  },
  'the root to itself': { id: 'm', initial: 'a', on: { GO: '#m' }, states: { a: {} } },
  'the root to itself, entered again': {
    id: 'm',
    initial: 'a',
    on: { GO: { target: '#m', reenter: true } },
    states: { a: {} },
  },
  'after, to the root': { id: 'm', initial: 'a', states: { a: { after: { 1000: '#m' } } } },
  'always, to the root': {
    id: 'm',
    initial: 'a',
    states: { a: { always: { guard: 'isNever', target: '#m' } } },
  },
  'a service done, to the root': {
    id: 'm',
    initial: 'a',
    states: { a: { invoke: { src: 'x', onDone: '#m', onError: '#m' } } },
  },
  'a root without an id': { initial: 'a', states: { a: { on: { GO: '#(machine)' } } } },
  'a state called like the root': { id: 'm', initial: 'm', states: { m: { on: { GO: '#m' } } } },
  'a parallel root that is entered again': {
    id: 'm',
    type: 'parallel',
    states: { a: { initial: 'x', states: { x: { on: { GO: '#m' } } } }, b: {} },
  },
  'no states': { id: 'm' },
  'no states and a transition': { id: 'm', on: { GO: '#m' } },
  'one state': { initial: 'a', states: { a: {} } },
  'a state to itself': { initial: 'a', states: { a: { on: { GO: 'a' } } } },
  'a state to itself, entered again': {
    initial: 'a',
    states: { a: { on: { GO: { target: 'a', reenter: true } } } },
  },
  'a compound state to itself': {
    initial: 'a',
    states: { a: { initial: 'x', on: { GO: '.y', X: { target: 'a', reenter: true } }, states: two } },
  },
  'a transition to an ancestor': {
    initial: 'a',
    states: {
      a: { id: 'up', initial: 'b', states: { b: { initial: 'c', states: { c: { on: { UP: '#up' } } } } } },
    },
  },
  'a transition without a target': { initial: 'a', states: { a: { on: { GO: { actions: 'note' } } } } },
  'transitions of the root': { initial: 'a', on: { GO: '.b', STAY: '.a' }, states: { a: {}, b: {} } },
  'a parallel root': {
    type: 'parallel',
    states: { a: { initial: 'x', states: two }, b: { initial: 'x', states: two } },
  },
  'parallel states without states': { type: 'parallel', states: { a: {}, b: {} } },
  'several targets': {
    initial: 'p',
    states: {
      p: {
        type: 'parallel',
        on: { GO: ['.a.y', '.b.y'] },
        states: { a: { initial: 'x', states: two }, b: { initial: 'x', states: two } },
      },
    },
  },
  'states that nothing leads to': { initial: 'a', states: { a: {}, b: {}, c: { on: { GO: 'b' } } } },
  'a history state': {
    initial: 'a',
    states: {
      a: { initial: 'x', states: { ...two, h: { type: 'history' } }, on: { P: 'p' } },
      p: { on: { R: 'a.h' } },
    },
  },
  'deep history with a target': {
    initial: 'a',
    states: {
      a: {
        initial: 'x',
        states: { ...two, h: { type: 'history', history: 'deep', target: 'y' } },
        on: { P: 'p' },
      },
      p: { on: { R: 'a.h' } },
    },
  },
  'history of the root': { initial: 'a', states: { a: {}, b: { on: { H: 'h' } }, h: { type: 'history' } } },
  'events with wildcards': {
    initial: 'a',
    on: { '*': '.b' },
    states: { a: { on: { '*': 'b', 'foo.*': 'a' } }, b: {} },
  },
  'the end of a compound state': {
    initial: 'a',
    states: { a: { initial: 'b', onDone: 'c', states: { b: { type: 'final' } } }, c: { type: 'final' } },
  },
  'a transition into the depth': {
    initial: 'o',
    states: {
      o: { on: { GO: '#deep' } },
      p: {
        initial: 'q',
        states: { q: { initial: 'r', states: { r: { id: 'deep', on: { OUT: '#out' } } } } },
      },
      out: { id: 'out' },
    },
  },
  '15 levels': nested(15),
  '60 levels': nested(60),
  '200 states in a row': { initial: 's0', states: row(200, { type: 'final' }) },
  '500 states in a ring': { initial: 's0', states: row(500, { on: { NEXT: 's0' } }) },
  'every state to every other one': {
    initial: 's0',
    states: Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `s${i}`,
        { on: Object.fromEntries(Array.from({ length: 12 }, (_, to) => [`E${to}`, `s${to}`])) },
      ]),
    ),
  },
  'names with odd characters': {
    initial: 'a b',
    states: { 'a b': { on: { 'x"<b>;#\n': 'é-日本' } }, 'é-日本': {}, 1: {}, 'a/b\\c': {}, 'say "x"': {} },
  },
  'names that objects have': {
    initial: 'toString',
    states: { toString: { on: { valueOf: 'hasOwnProperty' } }, hasOwnProperty: {} },
  },
  'a long name': { initial: 'x'.repeat(500), states: { ['x'.repeat(500)]: {} } },
};

describe('every chart that XState takes', () => {
  it.each(Object.entries(charts))('is laid out and drawn: %s', async (name, config) => {
    const definition = definitionOf(name, 0, createMachine(config));
    const { states, edges } = await layoutOf(definition, 500);
    const paths = (within: readonly ChartState[]): string[] =>
      within.flatMap((one) => [one.id, ...paths(one.states)]);
    expect(Object.keys(states).sort()).toEqual(paths(definition.states).sort());
    for (const { enters, points, label } of edges) {
      expect(states).toHaveProperty([enters]);
      for (const { x, y } of [...points, label]) expect(Number.isFinite(x + y)).toBe(true);
    }
    for (const line of drawMermaid(definition).split('\n').slice(1)) expect(line).toMatch(/^ |^$/);
    expect(
      drawDot(definition)
        .replaceAll(/\\["\\]/g, '')
        .split('"').length % 2,
    ).toBe(1);
  });

  it.each(Object.entries(charts))(
    'is shown by the live inspector, or refused in words: %s',
    async (name, config) => {
      const read = readDefinition(name, JSON.stringify(createMachine(config).config));
      const { layout, refused } = read.definition
        ? await new LiveLayouts({ timeoutMs: 500 }).of(read.definition)
        : { layout: null, ...read };
      expect(layout === null).toBe(refused !== null);
      expect(refused ?? '').not.toContain('undefined');
    },
  );
});
