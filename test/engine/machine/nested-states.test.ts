import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createMachine,
  enqueueActions,
  initialTransition,
  raise,
  setup,
  transition,
} from 'xstate';
import { owning } from '../../../machines/own-action.ts';
import { NestedStates } from '../../../src/engine/machine/nested-states.ts';
import { PureMachine } from '../../../src/engine/machine/pure-machine.ts';
import { inSizes } from '../../support/size.ts';

const events = ['a', 'b', 'c'] as const;

/** A tree of states: each with its transitions, which name their targets by number in document order. */
interface State {
  inner: State[];
  on: { event: number; target: number | null; reenter: boolean; guard: boolean; actions: number }[];
  always: { target: number; reenter: boolean; actions: number } | null;
  acts: boolean;
}

const actions = fc.nat(3);

function stateOf(depth: number): fc.Arbitrary<State> {
  const change = { target: fc.nat(20), reenter: fc.boolean(), actions };
  return fc.record({
    inner: depth === 0 ? fc.constant([]) : fc.array(stateOf(depth - 1), { maxLength: 3 }),
    on: fc.array(
      fc.record({
        ...change,
        event: fc.nat(events.length - 1),
        target: fc.option(fc.nat(20)),
        guard: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    always: fc.option(fc.record(change), { freq: 4 }),
    acts: fc.boolean(),
  });
}

interface Numbers {
  n: number;
  m: number;
}

const numbers = setup({ types: { context: {} as Numbers }, actions: { say: () => {}, count: () => {} } });
const own = owning(numbers);

const implementations = {
  actions: {
    count: own.assign({ n: ({ context }) => context.n + 1 }),
    both: own.enqueueActions(({ context, event, enqueue }) => {
      enqueue.assign({ m: context.n });
      enqueue({ type: 'say', params: { type: event.type } });
      if (context.m % 2 === 1) enqueue.assign(({ context: now }) => ({ m: now.n + 2 }));
      enqueue('count');
    }),
  },
  guards: {
    isEven: ({ context }: { context: Numbers }) => context.n % 2 === 0,
    isFew: ({ context }: { context: Numbers }) => context.n < 30,
  },
};

const say = { type: 'say', params: ({ context }: { context: Numbers }) => ({ n: context.n }) };
const lists = [[], [say], ['count', say], ['both', say]];

function machineOf(root: State): AnyStateMachine {
  let count = 0;
  /** The last one is final. */
  const ids = numbered(root) + 1;
  const targetOf = (n: number) => `#s${n % ids}`;
  const config = ({ inner, on, always, acts }: State): object => {
    const id = `s${count++}`;
    const states = Object.fromEntries(inner.map((child, i) => [`k${i}`, config(child)]));
    return {
      id,
      ...(inner.length > 0 && { initial: 'k0', states }),
      ...(acts && { entry: ['count', say], exit: [say] }),
      on: Object.fromEntries(
        events.map((event, i) => [
          event,
          on.flatMap(({ event: of, target, reenter, guard, actions }) =>
            of !== i
              ? []
              : [
                  {
                    ...(target !== null && { target: targetOf(target) }),
                    ...(guard && { guard: 'isEven' }),
                    reenter,
                    actions: lists[actions],
                  },
                ],
          ),
        ]),
      ),
      // Each round counts, so that it comes to an end.
      ...(always && {
        always: {
          target: targetOf(always.target),
          reenter: always.reenter,
          guard: 'isFew',
          actions: ['count', ...(lists[always.actions] ?? [])],
        },
      }),
    };
  };
  const { states, ...rest } = config(root) as { states: object };
  const whole = {
    ...rest,
    states: { ...states, end: { id: `s${count}`, type: 'final', entry: 'count', exit: [say] } },
    exit: ['count', say],
    output: ({ context, event }: { context: Numbers; event: { type: string } }) => [context.n, event.type],
    context: { n: 0, m: 0 },
  };
  return createMachine(whole as never, implementations as never) as AnyStateMachine;
}

function numbered({ inner }: State): number {
  return inner.reduce((sum, child) => sum + numbered(child), 1);
}

const plain = (actions: readonly unknown[]) =>
  (actions as { type: string; params: unknown }[]).map(({ type, params }) => ({ type, params }));

function seen(
  before: AnyMachineSnapshot,
  [after, actions]: readonly [AnyMachineSnapshot, readonly unknown[]],
) {
  const { value, context, status, output } = after;
  return {
    value,
    context,
    status,
    output,
    same: after === before,
    tags: [...after.tags],
    actions: plain(actions),
  };
}

/** Sends the same events to both. Returns how many xstate had to do. */
function compare(machine: AnyStateMachine, sent: readonly { type: string; at: number }[]): number {
  const nested = NestedStates.of(machine);
  const ours = new PureMachine(machine);
  let [theirs] = initialTransition(machine, {}) as [AnyMachineSnapshot, unknown];
  let [mine] = ours.initialTransition({});
  let left = 0;
  for (const event of sent) {
    if (theirs.status !== 'active') break;
    if (!nested?.transition(mine, event)) left++;
    const expected = transition(machine, theirs, event as never);
    const made = ours.transition(mine, event);
    expect(seen(mine, made)).toEqual(seen(theirs, expected));
    expect(made[0].can(event as never)).toBe(expected[0].can(event as never));
    [theirs, mine] = [expected[0], made[0]];
  }
  return left;
}

const someEvents = fc.array(fc.record({ type: fc.constantFrom(...events, 'unknown'), at: fc.nat(9) }), {
  minLength: 1,
  maxLength: 12,
});

describe('nested states', () => {
  it('move as xstate’s own do, in machines made at random', () => {
    const roots = stateOf(3).filter(({ inner, always }) => inner.length > 0 && always === null);
    let [sent, left] = [0, 0];
    fc.assert(
      fc.property(roots, someEvents, (root, list) => {
        sent += list.length;
        left += compare(machineOf(root), list);
      }),
      { numRuns: inSizes({ usual: 150, deep: 500, full: 10_000 }) },
    );
    // Those that enter the root anew.
    expect(left).toBeLessThan(sent / 5);
  });

  it('throw what the machine throws, as xstate words it', () => {
    const config = {
      id: 'broken',
      initial: 'a',
      states: {
        a: { on: { guarded: { target: 'b', guard: 'explodes' }, acted: { target: 'b', actions: 'breaks' } } },
        b: {},
      },
    };
    const breaks = own.assign(() => {
      throw new Error('bang');
    });
    const explodes = () => {
      throw new Error('boom');
    };
    const machine = createMachine(
      config as never,
      { actions: { breaks }, guards: { explodes } } as never,
    ) as AnyStateMachine;
    expect(NestedStates.of(machine)).not.toBeNull();
    const ours = new PureMachine(machine);
    const [start] = ours.initialTransition({});
    for (const type of ['guarded', 'acted'])
      expect(() => ours.transition(start, { type })).toThrow(
        thrownBy(() => transition(machine, start, { type } as never)),
      );
  });

  it.each([
    [
      'a final state within another',
      { initial: 'a', states: { a: { on: { go: 'z' } }, z: { type: 'final' } } },
    ],
    ['an event that the machine raises', { on: { go: { actions: raise({ type: 'a' }) }, a: 'two' } }],
    [
      'an action that asks for the actor',
      {
        on: {
          go: { target: 'two', actions: enqueueActions(({ self, enqueue }) => enqueue(self ? 'x' : 'y')) },
        },
      },
    ],
    [
      'a guard with parameters',
      { always: { target: 'two', guard: { type: 'is', params: { n: 1 } } }, on: { go: { actions: 'x' } } },
    ],
  ])('leave %s to xstate', (_, one) => {
    const machine = createMachine(
      { id: 'm', initial: 'one', states: { one, two: {} } } as never,
      { actions: implementations.actions, guards: { is: () => false } } as never,
    ) as AnyStateMachine;
    expect(compare(machine, [{ type: 'go', at: 1 }])).toBe(1);
  });

  it.each([
    ['parallel states', { type: 'parallel', states: { one: { on: { go: { actions: 'x' } } }, two: {} } }],
    ['a history', { initial: 'one', states: { one: { on: { go: 'past' } }, past: { type: 'history' } } }],
    [
      'a delayed transition',
      { initial: 'one', states: { one: { after: { 5: 'two' }, on: { go: 'two' } }, two: {} } },
    ],
  ])('are not those of a machine with %s', (_, config) => {
    const machine = createMachine(
      { id: 'm', ...config } as never,
      implementations as never,
    ) as AnyStateMachine;
    expect(NestedStates.of(machine)).toBeNull();
    expect(compare(machine, [{ type: 'go', at: 1 }])).toBe(1);
  });
});

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
