import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { runMachine } from '../../../machines/run.machine.ts';
import { definitionOf } from '../../../src/runtime/chart/definition.ts';
import { allStates, edgesOf } from '../../../src/runtime/chart/edges.ts';
import { type Box, layoutOf } from '../../../src/runtime/chart/layout.ts';
import { scripted } from '../../support/detent.ts';

const run = definitionOf('run', 3, runMachine);

const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const areApart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

describe('the layout of a machine', () => {
  it('has a box for each state: within its parent, apart from its siblings', async () => {
    const { states, width, height } = await layoutOf(run);
    const paper = { x: 0, y: 0, width, height };
    const boxOf = (id: string) => states[id] ?? paper;
    for (const { id, states: inner } of [{ id: '', states: run.states }, ...allStates(run.states)])
      for (const [i, state] of inner.entries()) {
        expect([state.id, isWithin(boxOf(state.id), boxOf(id))]).toEqual([state.id, true]);
        for (const other of inner.slice(i + 1))
          expect([state.id, other.id, areApart(boxOf(state.id), boxOf(other.id))]).toEqual([
            state.id,
            other.id,
            true,
          ]);
      }
    expect(Object.keys(states).sort()).toEqual(
      allStates(run.states)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('draws each edge from the border of its state to that of the other, at right angles', async () => {
    const { states, edges } = await layoutOf(run);
    expect(edges.map(({ id }) => id)).toEqual(edgesOf(run).map(({ id }) => id));
    for (const { id, from, to, points, label } of edges) {
      const turns = points.slice(1).filter(({ x, y }, i) => {
        const before = points[i] ?? { x, y };
        return Math.abs(x - before.x) > 0.01 && Math.abs(y - before.y) > 0.01;
      });
      expect([id, turns]).toEqual([id, []]);
      expect([id, touches(points[0], states[from]), touches(points.at(-1), states[to])]).toEqual([
        id,
        true,
        true,
      ]);
      expect(label.text).not.toBe('');
    }
  });

  it('reads along its spine from left to right', async () => {
    const { states, edges } = await layoutOf(run);
    expect(edges.filter(({ isOnSpine }) => isOnSpine)).toHaveLength(3);
    const spine = ['idle', 'active.working.thinking.requesting', 'active.working.deciding', 'done'];
    const places = spine.map((id) => states[id]?.x ?? 0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(spine.length);
    // A state begins on the left.
    expect(states['active.working.thinking.requesting']?.x).toBeLessThan(
      states['active.working.thinking.backingOff']?.x ?? 0,
    );
  });

  it('is the same each time', async () => {
    expect(await layoutOf(run)).toEqual(await layoutOf(run));
  });

  it.each([
    ['a state alone', createMachine({ initial: 'a', states: { a: {} } })],
    ['no state', createMachine({})],
    [
      'states at once',
      createMachine({
        type: 'parallel',
        states: { a: { initial: 'x', states: { x: { on: { go: 'y' } }, y: {} } }, b: {} },
      }),
    ],
    [
      'a way into itself and into what it holds',
      createMachine({
        id: 'm',
        initial: 'a',
        states: {
          a: {
            initial: 'x',
            on: { again: '#m.a', into: '.y' },
            states: { x: {}, y: { on: { out: '#m.a' } } },
          },
        },
      }),
    ],
  ])('is made of %s', async (_, machine) => {
    const definition = definitionOf('m', 1, machine);
    const { states, edges } = await layoutOf(definition);
    expect(Object.keys(states)).toHaveLength(allStates(definition.states).length);
    for (const { id, points } of edges) expect([id, points.length > 1]).toEqual([id, true]);
  });
});

describe('detent.machine', () => {
  it('gives the chart of runs, and its layout with the same hash', async () => {
    const { detent } = await scripted([]);
    const definition = await detent.machine.get();
    expect(definition).toMatchObject({ name: 'run', version: 3, hash: run.hash });
    const layout = await detent.machine.layout();
    expect(layout).toMatchObject({ name: 'run', version: 3, hash: run.hash });
    layout.states = {};
    expect((await detent.machine.layout('run', 3)).states).not.toEqual({});
  });

  it('knows the chart of jobs, too', async () => {
    const { detent } = await scripted([]);
    const states = Object.keys((await detent.machine.layout('job')).states);
    expect(states).toEqual(expect.arrayContaining(['scheduled', 'due', 'running', 'delivering', 'paused']));
  });

  it.each([['moon'], ['run', 99], ['__proto__']] as [string, number?][])(
    'has no %s %s',
    async (name, version) => {
      const { detent } = await scripted([]);
      await expect(detent.machine.get(name, version)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(detent.machine.layout(name, version)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  );
});

function touches(point: { x: number; y: number } | undefined, box: Box | undefined): boolean {
  if (!point || !box) return false;
  const { x, y, width, height } = box;
  const near = (a: number, b: number) => Math.abs(a - b) < 1.5;
  const isBeside = near(point.x, x) || near(point.x, x + width);
  const isAbove = near(point.y, y) || near(point.y, y + height);
  return (
    (isBeside && point.y >= y - 1 && point.y <= y + height + 1) ||
    (isAbove && point.x >= x - 1 && point.x <= x + width + 1)
  );
}
