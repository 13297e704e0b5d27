import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { runMachine, runMachineVersion } from '../../../machines/run.machine.ts';
import { definitionOf } from '../../../src/runtime/chart/definition.ts';
import { allStates, edgesOf, spineOf } from '../../../src/runtime/chart/edges.ts';

const run = definitionOf('run', runMachineVersion, runMachine);

describe('the definition of a machine', () => {
  it('has every state where it is nested, with its type and what it begins with', () => {
    expect(run.initial).toBe('idle');
    expect(run.states.map(({ id, type }) => [id, type])).toEqual([
      ['idle', 'atomic'],
      ['active', 'compound'],
      ['done', 'final'],
      ['failed', 'final'],
      ['cancelled', 'final'],
    ]);
    const states = allStates(run.states);
    expect(states.find(({ id }) => id === 'active.working')).toMatchObject({
      key: 'working',
      initial: 'active.working.thinking',
      description: expect.stringContaining('working time'),
    });
    expect(states).toHaveLength(Object.keys(nodesOf(runMachine.root)).length);
  });

  it('has every transition with its event, guard and target, those without an event included', () => {
    const states = allStates(run.states);
    const requesting = states.find(({ id }) => id === 'active.working.thinking.requesting');
    expect(requesting?.transitions[0]).toEqual({
      id: 'active.working.thinking.requesting#0',
      event: 'model.done',
      guard: 'isAwaited',
      targets: ['active.working.deciding'],
      actions: ['addCost', 'noteAnswer', 'holdCalls'],
    });
    const deciding = states.find(({ id }) => id === 'active.working.deciding');
    expect(deciding?.transitions.at(-1)).toMatchObject({
      event: '',
      guard: null,
      targets: ['active.working.thinking'],
    });
    const ids = states.flatMap(({ transitions }) => transitions.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is plain JSON, with a hash of the chart alone', () => {
    expect(JSON.parse(JSON.stringify(run))).toEqual(run);
    expect(definitionOf('other', 9, runMachine).hash).toBe(run.hash);
    const small = (target: string) =>
      definitionOf(
        'x',
        1,
        createMachine({ initial: 'a', states: { a: { on: { go: target } }, b: {}, c: {} } }),
      );
    expect(small('b').hash).toBe(small('b').hash);
    expect(small('b').hash).not.toBe(small('c').hash);
  });

  it('names what a chart writes inline', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { always: { guard: () => true, target: 'b', actions: () => {} } }, b: { type: 'final' } },
    });
    expect(definitionOf('x', 1, machine).states[0]?.transitions).toMatchObject([
      { guard: 'inline', actions: ['inline'] },
    ]);
  });
});

describe('the edges of a machine', () => {
  it('are one for all transitions between two states', () => {
    const edges = edgesOf(run);
    const failing = edges.find(({ id }) => id === 'active.working.deciding->failed');
    expect(failing?.label).toMatch(/^\[hasFailed\] \+\d+$/);
    const all = allStates(run.states).flatMap(({ transitions }) => transitions);
    const drawn = edges.flatMap(({ transitions }) => transitions);
    expect(drawn.sort()).toEqual(
      all
        .filter(({ targets }) => targets.length > 0)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('have a spine from the initial state to the first final one', () => {
    expect([...spineOf(run, edgesOf(run))]).toEqual([
      'idle->active',
      'active.working.thinking.requesting->active.working.deciding',
      'active.working.deciding->done',
    ]);
  });

  it('are labelled with the words of the chart for events of XState', () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { initial: 'x', states: { x: { type: 'final' } }, onDone: 'b', after: { 1000: 'c' } },
        b: { invoke: { src: 'job', id: 'job', onDone: 'c', onError: 'c' } },
        c: {},
      },
    });
    expect(edgesOf(definitionOf('x', 1, machine)).map(({ label }) => label)).toEqual([
      'a done',
      'after 1 s',
      'job done +1',
    ]);
  });
});

function nodesOf(
  node: { id: string; states: object },
  found: Record<string, true> = {},
): Record<string, true> {
  for (const child of Object.values(node.states)) {
    found[child.id] = true;
    nodesOf(child, found);
  }
  return found;
}
