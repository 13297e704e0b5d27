import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, raise, setup } from 'xstate';
import { nodesOf } from '../../../src/workflow/check/written.ts';
import { step } from '../../../src/workflow/services.ts';
import { inSizes } from '../../support/size.ts';
import { BothWays, type Happening } from './against-xstate.ts';

/** A state of a random chart. Targets are numbers, taken modulo the number of states. */
interface Shape {
  type: 'atomic' | 'compound' | 'parallel' | 'final';
  children: Shape[];
  history: 'none' | 'shallow' | 'deep';
  on: { event: number; target: number; guarded: boolean; reenter: boolean; counts: boolean }[];
  invoke: { done: number | null; error: number | null } | null;
  after: { delay: number; target: number }[];
  always: number | null;
  raises: number | null;
  raisesLater: number | null;
  acts: boolean;
}

const target = fc.nat({ max: 60 });
const { state } = fc.letrec<{ state: Shape }>((tie) => ({
  state: fc.record({
    type: fc.constantFrom<Shape['type']>('atomic', 'atomic', 'compound', 'compound', 'parallel', 'final'),
    children: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constant<Shape[]>([]),
      fc.array(tie('state'), { minLength: 2, maxLength: 3 }),
    ),
    history: fc.constantFrom<Shape['history']>('none', 'none', 'shallow', 'deep'),
    on: fc.array(
      fc.record({
        event: fc.nat({ max: 3 }),
        target,
        guarded: fc.boolean(),
        reenter: fc.boolean(),
        counts: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    invoke: fc.option(fc.record({ done: fc.option(target), error: fc.option(target) })),
    after: fc.array(fc.record({ delay: fc.constantFrom(10, 1_000), target }), { maxLength: 1 }),
    always: fc.option(target, { freq: 6 }),
    raises: fc.option(fc.nat({ max: 3 }), { freq: 4 }),
    raisesLater: fc.option(fc.nat({ max: 3 }), { freq: 4 }),
    acts: fc.boolean(),
  }),
}));

const chartSetup = setup({
  types: { context: {} as { count: number }, events: {} as { type: 'e0' | 'e1' | 'e2' | 'e3' } },
  actors: { work: step({ sideEffect: 'idempotent', run: () => null }) },
  actions: {
    count: assign({ count: ({ context }) => context.count + 1 }),
    note: () => {},
  },
  guards: { isEven: ({ context }) => context.count % 2 === 0, isSmall: ({ context }) => context.count < 12 },
});

/** The chart of a shape. One that would go round in transient transitions for ever throws, under xstate as under the facade. */
function chartOf(root: Shape): AnyStateMachine {
  const paths: string[] = [];
  const name = (shape: Shape, path: string) => {
    for (const [i, child] of childrenOf(shape).entries()) {
      paths.push(`${path}.s${i}`);
      name(child, `${path}.s${i}`);
    }
  };
  name(root, 'chart');
  const goal = (n: number) => `#${paths[n % paths.length]}`;
  const config = (shape: Shape, path: string): Record<string, unknown> => {
    const children = childrenOf(shape);
    const type =
      children.length === 0
        ? shape.type === 'final'
          ? 'final'
          : 'atomic'
        : shape.type === 'parallel'
          ? 'parallel'
          : 'compound';
    if (type === 'final') return { id: path, type: 'final' };
    const states: Record<string, unknown> = Object.fromEntries(
      children.map((child, i) => [`s${i}`, config(child, `${path}.s${i}`)]),
    );
    if (type === 'compound' && shape.history !== 'none')
      states.h = { id: `${path}.h`, type: 'history', history: shape.history };
    const on: Record<string, unknown[]> = {};
    for (const { event, target, guarded, reenter, counts } of shape.on) {
      const guard = guarded && { guard: 'isEven' };
      const actions = counts && { actions: 'count' };
      on[`e${event}`] = [...(on[`e${event}`] ?? []), { target: goal(target), reenter, ...guard, ...actions }];
    }
    return {
      id: path,
      ...(children.length > 0 && { states, ...(type === 'parallel' ? { type } : { initial: 's0' }) }),
      on,
      entry: [
        ...(shape.acts ? ['note'] : []),
        ...(shape.raises === null ? [] : ['count', { type: 'raised', event: shape.raises }]),
        ...(shape.raisesLater === null
          ? []
          : [raise({ type: `e${shape.raisesLater}` } as never, { delay: 500, id: `${path}.later` })]),
      ].map((action) =>
        typeof action === 'object' && 'event' in action
          ? raise({ type: `e${String(action.event)}` } as never)
          : action,
      ),
      ...(shape.invoke && {
        invoke: {
          id: `${path}.work`,
          src: 'work',
          ...(shape.invoke.done !== null && {
            onDone: { target: goal(shape.invoke.done), actions: 'count' },
          }),
          ...(shape.invoke.error !== null && { onError: { target: goal(shape.invoke.error) } }),
        },
      }),
      after: Object.fromEntries(shape.after.map(({ delay, target }) => [delay, { target: goal(target) }])),
      ...(shape.always !== null && {
        always: { guard: 'isSmall', target: goal(shape.always), actions: 'count' },
      }),
    };
  };
  return chartSetup.createMachine({
    ...config(root, 'chart'),
    id: 'chart',
    context: { count: 0 },
    options: { maxIterations: 60 },
  } as never) as unknown as AnyStateMachine;
}

const childrenOf = ({ children, type }: Shape) => (type === 'atomic' || type === 'final' ? [] : children);

/** What can happen now; `pick` chooses. */
function happeningOf(both: BothWays, pick: number): Happening {
  const services = both.flow.open.filter(({ kind }) => kind !== 'action').map(({ id }) => id);
  const possible: Happening[] = [
    ...['e0', 'e1', 'e2', 'e3'].map((type) => ({ type: 'event' as const, event: { type } })),
    ...services.map((id) => ({ type: 'done' as const, id, output: { n: pick } })),
    ...services.map((id) => ({ type: 'error' as const, id, error: { code: 'X', message: 'x' } })),
    ...[...both.timers.keys()].map((id) => ({ type: 'timer' as const, id })),
  ];
  return possible[pick % possible.length] as Happening;
}

/** What the charts have, and what happened to them. */
class Counted {
  readonly #charts: Record<string, number> = { all: 0 };
  readonly #moves: Record<string, number> = {};

  add({ root }: AnyStateMachine): void {
    const nodes = [...nodesOf(root)];
    const kinds = {
      nested: nodes.some(({ type, parent }) => type === 'compound' && parent),
      parallel: nodes.some(({ type }) => type === 'parallel'),
      history: nodes.some(({ type }) => type === 'history'),
      invoke: nodes.some(({ invoke }) => invoke.length > 0),
      after: nodes.some(({ after }) => after.length > 0),
      always: nodes.some(({ always }) => always && always.length > 0),
    };
    for (const [kind, has] of [['all', true] as const, ...Object.entries(kinds)])
      this.#charts[kind] = (this.#charts[kind] ?? 0) + Number(has);
  }

  move({ type }: Happening): void {
    this.#moves[type] = (this.#moves[type] ?? 0) + 1;
  }

  get moves(): number {
    return Object.values(this.#moves).reduce((sum, n) => sum + n, 0);
  }

  toString(): string {
    const { all, ...kinds } = this.#charts;
    const words = (counts: Record<string, number>) =>
      Object.entries(counts)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', ');
    return `${all} charts (${words(kinds)}), ${this.moves} moves (${words(this.#moves)})`;
  }
}

describe('a chart under the facade', () => {
  const numRuns = inSizes({ usual: 15, deep: 50, full: 10_000 });

  it.each([
    { isRestored: false, how: 'in memory' },
    { isRestored: true, how: 'out of its row before each event' },
  ])('does what xstate does with it, $how', ({ isRestored, how }) => {
    const counted = new Counted();
    fc.assert(
      fc.property(
        state,
        fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 12 }),
        (shape, picks) => {
          const root = {
            ...shape,
            type: shape.type === 'parallel' ? ('parallel' as const) : ('compound' as const),
          };
          fc.pre(root.children.length > 0);
          const chart = chartOf(root);
          const both = new BothWays(chart, undefined, isRestored);
          counted.add(chart);
          expect(both.standing.durable).toBe(both.standing.plain);
          for (const pick of picks) {
            if (both.isOver) break;
            const happening = happeningOf(both, pick);
            both.take(happening);
            counted.move(happening);
            expect(both.standing.durable).toBe(both.standing.plain);
            expect(both.agrees).toBe(true);
          }
        },
      ),
      { numRuns },
    );
    expect(counted.moves).toBeGreaterThan(numRuns);
    console.log(`random charts, ${how}: ${counted}, 0 differences`);
  });
});
