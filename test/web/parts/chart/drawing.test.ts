import { describe, expect, it } from 'vitest';
import type { LayoutEdge, MachineLayout, StateBox } from '../../../../src/protocol/views.ts';
import { drawingOf, wordsOf } from '../../../../web/src/parts/chart/drawing.ts';
import { litStates } from '../../../../web/src/parts/chart/marks.ts';

const box = (over: Partial<StateBox> = {}): StateBox => {
  return { x: 0, y: 0, width: 100, height: 40, title: ['x'], orientation: 'horizontal', ...over };
};

const layout: MachineLayout = {
  name: 'm',
  version: 1,
  hash: '',
  width: 400,
  height: 200,
  states: {
    'active.tooling': box(),
    active: box({ width: 300, height: 180 }),
    'active.deciding': box({ width: 30, height: 140, orientation: 'vertical' }),
    unheardOf: box(),
  },
  edges: [],
};

function edge(points: LayoutEdge['points']): LayoutEdge {
  return {
    id: 'a->b',
    from: 'a',
    to: 'b',
    enters: 'b',
    transitions: ['a#0', 'a#1'],
    points,
    label: { x: 10, y: 20, width: 60, height: 15, text: 'go +1' },
    isOnSpine: false,
  };
}

describe('the drawing of a chart', () => {
  it('has the states around others first, so that they lie below them', () => {
    const { states } = drawingOf(layout, null, true);
    expect(states.map(({ id, isParent }) => [id, isParent])).toEqual([
      ['active', true],
      ['unheardOf', false],
      ['active.tooling', false],
      ['active.deciding', false],
    ]);
  });

  it('gives each state its shape; one of an unknown chart is a diamond', () => {
    const keys = Object.fromEntries(drawingOf(layout, null, true).states.map(({ id, key }) => [id, key]));
    expect(keys).toMatchObject({ 'active.tooling': 'tool', unheardOf: 'decide' });
    // A person's own chart may call its states as Detent calls some.
    expect(new Set(drawingOf(layout, null, false).states.map(({ key }) => key))).toEqual(new Set(['decide']));
  });

  it('ends the line of an edge where its head begins, and rounds its corners', () => {
    const points = [
      { x: 0, y: 0 },
      { x: 50, y: 0 },
      { x: 50, y: 40 },
    ];
    const [drawn] = drawingOf({ ...layout, edges: [edge(points)] }, null, true).edges;
    expect(drawn?.line).toBe('M0 0L46 0Q50 0 50 4L50 33');
    expect(drawn?.head).toBe('M50 40L54 32L46 32z');
  });

  it('draws an edge of two equal points, or of none, without a fault', () => {
    const same = [
      { x: 5, y: 5 },
      { x: 5, y: 5 },
    ];
    const { edges } = drawingOf({ ...layout, edges: [edge(same), edge([])] }, null, true);
    expect(edges.map(({ line }) => line)).toEqual(['M5 5L5 5', '']);
    expect(edges[0]?.head).not.toContain('NaN');
  });

  it('knows the transitions of an edge, in the order in which they are tried', () => {
    const transitions = [
      { id: 'a#0', event: 'go', guard: 'isReady', targets: ['b'], actions: [] },
      { id: 'a#1', event: '', guard: null, targets: ['b'], actions: [] },
    ];
    const a = { id: 'a', key: 'a', type: 'atomic' as const, initial: null, states: [], transitions };
    const definition = { name: 'm', version: 1, hash: '', initial: 'a', states: [a], transitions: [] };
    const [drawn] = drawingOf({ ...layout, edges: [edge([])] }, definition, true).edges;
    expect(drawn?.transitions.map(wordsOf)).toEqual(['go [isReady]', 'always']);
  });
});

it('a state that holds lights those around it', () => {
  expect([...litStates(['a.b.c', 'a.d'])]).toEqual(['a', 'a.b', 'a.b.c', 'a.d']);
});
