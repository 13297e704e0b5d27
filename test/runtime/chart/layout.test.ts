import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { jobMachine } from '../../../machines/job.machine.ts';
import { runMachine } from '../../../machines/run.machine.ts';
import type { Box, MachineDefinition, MachineLayout } from '../../../src/protocol/views.ts';
import { definitionOf } from '../../../src/runtime/chart/definition.ts';
import { allStates, edgesOf } from '../../../src/runtime/chart/edges.ts';
import { isNearest } from '../../../src/runtime/chart/labels.ts';
import { layoutOf } from '../../../src/runtime/chart/layout.ts';
import { scripted } from '../../support/detent.ts';
import { sized } from '../../support/size.ts';

const run = definitionOf('run', 3, runMachine);

const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const areApart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

function onBorder(point: { x: number; y: number } | undefined, box: Box | undefined): boolean {
  if (!point || !box) return false;
  const { x, y, width, height } = box;
  const isWithin =
    point.x >= x - 1 && point.x <= x + width + 1 && point.y >= y - 1 && point.y <= y + height + 1;
  const sides = [point.x - x, point.x - x - width, point.y - y, point.y - y - height];
  return isWithin && sides.some((away) => Math.abs(away) <= 1);
}

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

  it('draws each edge from the border of its state to that of the one that is entered', async () => {
    const layout = await layoutOf(run);
    expect(layout.edges.map(({ id }) => id)).toEqual(edgesOf(run).map(({ id }) => id));
    const enters = (id: string) => layout.edges.find((edge) => edge.id === id)?.enters;
    expect(enters('idle->active')).toBe('active.working.thinking.requesting');
    expect(enters('active.working.deciding->active.working.tooling')).toBe(
      'active.working.tooling.executing',
    );
    expect(problemsOf(run, layout)).toEqual([]);
  });

  it('has what everything passes through as a tall box between all else', async () => {
    const { states, width, height } = await layoutOf(run);
    const deciding = states['active.working.deciding'];
    expect(deciding).toMatchObject({ orientation: 'vertical', width: 30 });
    expect(deciding?.height).toBeGreaterThan(400);
    for (const left of ['thinking', 'tooling', 'compacting'])
      expect(isLeftOf(states[`active.working.${left}`], deciding)).toBe(true);
    for (const right of ['active.awaitingConfirm', 'active.reconciling', 'done', 'failed', 'cancelled'])
      expect(isLeftOf(deciding, states[right])).toBe(true);
    // It fits into a page beside others.
    expect(width).toBeLessThan(1_100);
    expect(width / height).toBeLessThan(1.7);
  });

  it.each([run, definitionOf('job', 1, jobMachine)])(
    'has no label of $name nearer to another line than to its own',
    async (definition) => {
      const { edges } = await layoutOf(definition);
      const strays = edges.filter(({ id, label, points }) => {
        const others = edges.filter((one) => one.id !== id).map((one) => one.points);
        return !isNearest(label, points, others);
      });
      expect(strays.map(({ id }) => id)).toEqual([]);
    },
  );

  it('breaks a long title into two lines', async () => {
    const { states } = await layoutOf(run);
    expect(states['active.awaitingConfirm']).toMatchObject({ title: ['awaiting', 'Confirm'], height: 60 });
    expect(states['active.reconciling']?.title).toEqual(['reconciling']);
  });

  it('draws a transition of the machine itself as a short line from nowhere', async () => {
    const { edges, states } = await layoutOf(definitionOf('job', 1, jobMachine));
    const removed = edges.find(({ id }) => id === '->removed');
    expect(removed).toMatchObject({ from: '', enters: 'removed', label: { text: 'job.remove' } });
    expect(touches(removed?.points.at(-1), states.removed)).toBe(true);
  });

  it('keeps labels apart, and lines out of states, whatever the machine is', async () => {
    await fc.assert(
      fc.asyncProperty(machines, async (config) => {
        const definition = definitionOf('m', 1, createMachine(config as never));
        expect(problemsOf(definition, await layoutOf(definition))).toEqual([]);
      }),
      { numRuns: sized(60, 2_000) },
    );
  });

  it.each([
    ['run', run],
    ['job', definitionOf('job', 1, jobMachine)],
  ])('keeps labels apart in the chart of a %s', async (_, definition) => {
    expect(problemsOf(definition, await layoutOf(definition))).toEqual([]);
  });

  it('reads along its spine from left to right', async () => {
    const { states, edges } = await layoutOf(run);
    expect(edges.filter(({ isOnSpine }) => isOnSpine)).toHaveLength(3);
    const spine = ['idle', 'active.working.thinking.requesting', 'active.working.deciding', 'done'];
    const places = spine.map((id) => states[id]?.x ?? 0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(spine.length);
    // What follows in the same state is below.
    expect(states['active.working.thinking.requesting']?.y).toBeLessThan(
      states['active.working.thinking.backingOff']?.y ?? 0,
    );
  });

  it('draws straight lines where no way or no time is left, and lets other work go on', async () => {
    const states = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `s${i}`,
        { on: Object.fromEntries([7, 11, 17, 23].map((n) => [`go${n}`, `s${(i * n) % 60}`])) },
      ]),
    );
    const dense = definitionOf('m', 1, createMachine({ initial: 's0', states }));
    let hadTurn = false;
    setImmediate(() => {
      hadTurn = true;
    });
    const { edges, states: boxes } = await layoutOf(dense, 100);
    expect(edges).toHaveLength(edgesOf(dense).length);
    for (const { points, from, enters } of edges) {
      expect(onBorder(points[0], boxes[from]), from).toBe(true);
      expect(onBorder(points.at(-1), boxes[enters]), enters).toBe(true);
    }
    expect(hadTurn).toBe(true);
  });

  it('draws a state that has more edges than spots on its border', async () => {
    const others = Array.from({ length: 40 }, (_, i) => `s${i}`);
    const on = Object.fromEntries(others.map((name) => [`to ${name}`, name]));
    const back = { on: { back: 'hub' } };
    const states = { hub: { on }, ...Object.fromEntries(others.map((name) => [name, back])) };
    const hub = definitionOf('m', 1, createMachine({ initial: 'hub', states }));
    expect((await layoutOf(hub)).edges).toHaveLength(80);
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
      'two ways above a state, below a title',
      createMachine({
        id: 'm',
        initial: 'parent',
        states: {
          parent: {
            initial: 'inside',
            on: { go: { target: '.inside', reenter: true } },
            states: {
              inside: { on: { go: { target: '#m.parent', reenter: true } } },
              after: { type: 'final' },
            },
          },
        },
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
    expect(problemsOf(definition, { ...(await layoutOf(definition)) })).toEqual([]);
  });
});

describe('detent.machine', () => {
  it('gives the chart of runs, and its layout with the same hash', async () => {
    const { detent } = await scripted([]);
    const definition = await detent.machine.get();
    expect(definition).toMatchObject({ name: 'run', version: 4, hash: run.hash });
    const layout = await detent.machine.layout();
    expect(layout).toMatchObject({ name: 'run', version: 4, hash: run.hash });
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

/** A machine of states within states, with transitions between any of them. */
const machines = fc
  .record({
    parents: fc.array(fc.nat(30), { minLength: 2, maxLength: 16 }),
    kinds: fc.array(fc.constantFrom('', '', '', 'parallel', 'final'), { minLength: 16, maxLength: 16 }),
    edges: fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.constantFrom('go', 'model.switched', 'done')), {
      maxLength: 40,
    }),
  })
  .map(({ parents, kinds, edges }) => {
    interface Node {
      id: string;
      type?: string;
      initial?: string;
      states: Record<string, Node>;
      on: Record<string, object[]>;
    }
    const all: Node[] = [];
    const root: Node = { id: 'root', states: {}, on: {} };
    for (const [i, parent] of parents.entries()) {
      const around = all[parent % (2 * (i + 1))] ?? root;
      const node: Node = { id: `s${i}`, states: {}, on: {} };
      around.states[`state${i}`] = node;
      around.initial ??= `state${i}`;
      all.push(node);
    }
    for (const [i, node] of all.entries()) {
      const isLeaf = Object.keys(node.states).length === 0;
      if (kinds[i] === 'final' && isLeaf) node.type = 'final';
      if (kinds[i] === 'parallel' && !isLeaf) {
        node.type = 'parallel';
        delete node.initial;
      }
    }
    for (const [from, to, event] of edges) {
      const source = all[from % all.length] as Node;
      if (source.type !== 'final')
        source.on[event] = [...(source.on[event] ?? []), { target: `#s${to % all.length}`, reenter: true }];
    }
    return root;
  });

/** What a reader would stumble over. */
function problemsOf(
  { states: top }: Pick<MachineDefinition, 'states'>,
  { states, edges }: MachineLayout,
): string[] {
  const problems: string[] = [];
  const all = allStates(top);
  const leaves = all.filter((state) => state.states.length === 0).map(({ id }) => id);
  for (const [i, { id, from, enters, points, label }] of edges.entries()) {
    const [first, last] = [points[0], points.at(-1)];
    if (from !== '' && !touches(first, states[from])) problems.push(`${id} does not begin at its state`);
    if (!touches(last, states[enters])) problems.push(`${id} does not end at its state`);
    for (const leaf of leaves) {
      const box = states[leaf] as Box;
      if (!areApart(label, box)) problems.push(`the label of ${id} lies upon ${leaf}`);
      for (const [n, to] of points.entries()) {
        const before = points[n - 1] ?? to;
        if (before.x !== to.x && before.y !== to.y) problems.push(`${id} is not at right angles`);
        if (goesThrough(before, to, box)) problems.push(`${id} goes through ${leaf}`);
      }
    }
    for (const other of edges.slice(i + 1))
      if (!areApart(label, other.label))
        problems.push(`the labels of ${id} and ${other.id} lie upon each other`);
  }
  for (const state of all)
    for (const inner of state.states)
      if (!isWithin(states[inner.id] as Box, states[state.id] as Box))
        problems.push(`${inner.id} is outside`);
  return problems;
}

type Point = { x: number; y: number };

function goesThrough(a: Point, b: Point, { x, y, width, height }: Box): boolean {
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  return left < x + width && x < right && top < y + height && y < bottom
    ? true
    : left === right
      ? left > x && left < x + width && top < y + height && y < bottom
      : top > y && top < y + height && left < x + width && x < right;
}

function isLeftOf(a: Box | undefined, b: Box | undefined): boolean {
  return a !== undefined && b !== undefined && a.x + a.width <= b.x;
}

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
