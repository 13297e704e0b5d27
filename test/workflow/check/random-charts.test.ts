import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  and,
  assign,
  enqueueActions,
  fromCallback,
  fromPromise,
  log,
  not,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stateIn,
} from 'xstate';
import { checkWorkflow } from '../../../src/workflow/check/check-workflow.ts';
import { checkCodes } from '../../../src/workflow/check/findings.ts';
import { workflow } from '../../../src/workflow/workflow.ts';
import { inSizes } from '../../support/size.ts';
import { chartOf, pay } from './support.ts';

const boom = () => {
  throw new Error('boom');
};
const keys = ['a', 'b', '(c', 'toString', 'é'] as const;
const key = fc.constantFrom(...keys);
const event = fc.constantFrom(
  'go',
  'order.*',
  '*',
  'run.x',
  'run.cancel',
  'xstate.done.actor.x',
  'constructor',
);
/** A number among the states, of which {@link placed} makes a name. */
const target = fc.option(fc.nat({ max: 60 }), { nil: undefined });
const guard = fc.constantFrom<unknown>(
  undefined,
  'isSmall',
  'gone',
  'boom',
  { type: 'isSmall', params: boom },
  () => Math.random() < 0.5,
  ({ event }: { event: { of: { deep: number } } }) => event.of.deep > 1,
  and(['isSmall', not('gone')]),
  stateIn('a'),
);
const action = fc.constantFrom<unknown>(
  'note',
  'gone',
  'boom',
  { type: 'note', params: { at: new Date(0) } },
  null,
  7,
  () => {},
  boom,
  assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 } as never),
  assign({ at: () => Date.now() } as never),
  assign({ list: ({ event }: { event: { list: number[] } }) => [...event.list] } as never),
  assign(boom as never),
  assign({ made: ({ spawn }: { spawn: (name: string) => unknown }) => spawn('pay') } as never),
  raise({ type: 'go' }),
  raise({ type: 'go' }, { delay: 10 }),
  raise({ type: 'go' }, { delay: 'gone' } as never),
  raise(boom as never),
  sendTo('x', { type: 'go' }),
  sendParent({ type: 'go' }),
  spawnChild('pay', { id: 'x' }),
  spawnChild('gone'),
  log(boom as never),
  enqueueActions(({ enqueue }) => {
    enqueue('gone' as never);
    enqueue((() => {}) as never);
    enqueue.raise({ type: 'go' } as never, { delay: 1 } as never);
  }),
  enqueueActions(boom as never),
);
const actions = fc.array(action, { maxLength: 2 });
const way = fc.record({ target, guard, actions, reenter: fc.boolean() });
const ways = fc.oneof(way, fc.array(way, { maxLength: 2 }));
const invoke = fc.record(
  {
    id: fc.constantFrom('x', 'y'),
    src: fc.constantFrom<unknown>(
      'pay',
      'gone',
      'promise',
      'callback',
      'inner',
      fromPromise(async () => 1),
      pay,
    ),
    input: fc.constantFrom<unknown>(1, new Map(), boom, () => ({ at: new Date() })),
    onDone: ways,
    onError: ways,
  },
  { requiredKeys: ['src'] },
);
const { state } = fc.letrec<{ state: object }>((tie) => ({
  state: fc.record(
    {
      type: fc.constantFrom('parallel', 'final', 'history', undefined),
      initial: key,
      states: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constant({}),
        fc.dictionary(key, tie('state')),
      ),
      on: fc.dictionary(event, ways, { maxKeys: 3 }),
      after: fc.dictionary(fc.constantFrom('10', 'soon', 'gone', 'boom'), ways, { maxKeys: 2 }),
      always: ways,
      onDone: ways,
      entry: actions,
      exit: actions,
      invoke: fc.oneof(invoke, fc.array(invoke, { maxLength: 2 })),
      output: fc.constantFrom<unknown>(1, boom, () => new Set()),
    },
    { requiredKeys: [] },
  ),
}));
const context = fc.constantFrom<unknown>(
  undefined,
  { n: 0 },
  { at: new Date(0) },
  boom,
  ({ input }: { input: { n: number } }) => ({
    n: input.n,
  }),
);
const input = fc.constantFrom<unknown>(undefined, { n: 1 }, null, 'text');

describe('random charts', () => {
  it('are checked without an error, and each thing is said once', () => {
    const counted = { charts: 0, refused: 0, codes: new Set<string>() };
    fc.assert(
      fc.property(state, context, input, (root, ofChart, given) => {
        const chart = made(root, ofChart);
        if (!chart) return;
        const samples = { input: given, outputs: { pay: [1, null] }, events: [{ type: 'go' }] };
        const found = checkWorkflow(chart, samples);
        counted.charts++;
        if (found.some(({ level }) => level === 'error')) counted.refused++;
        for (const { code, level, state, message, remedy } of found) {
          counted.codes.add(code);
          expect(checkCodes[code]).toBe(level);
          expect([state, message, remedy]).toEqual([
            expect.stringMatching(/^chart/),
            expect.stringMatching(/./),
            expect.stringMatching(/./),
          ]);
        }
        expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(found.length);
      }),
      { numRuns: inSizes({ usual: 120, deep: 200, full: 20_000 }) },
    );
    // XState itself refuses many of them.
    expect(counted.charts).toBeGreaterThan(50);
    expect(counted.codes.size).toBeGreaterThan(12);
    const { charts, refused, codes } = counted;
    console.log(`random charts checked: ${charts}, ${refused} of them refused; ${codes.size} codes`);
    expect([Date.name, Object.getOwnPropertyNames(performance)]).toEqual(['Date', []]);
  });
});

function made(root: object, context: unknown) {
  const inner = chartOf({ id: 'inner', type: 'final' });
  const paths: string[] = [];
  listStates(root, 'chart', paths);
  try {
    const chart = chartOf(
      { ...(placed(root, paths) as object), id: 'chart', context },
      {
        actors: { promise: fromPromise(async () => 1), callback: fromCallback(() => {}), inner },
        actions: { boom },
        guards: { isSmall: ({ context }: { context: { n: number } }) => context.n < 3, boom },
        delays: { soon: 5, boom },
      },
    );
    return workflow(chart);
  } catch {
    return null;
  }
}

type State = { states?: Record<string, State>; type?: string };

function listStates({ states = {} }: State, path: string, paths: string[]): void {
  for (const [key, state] of Object.entries(states)) {
    paths.push(`#${path}.${key}`);
    listStates(state, `${path}.${key}`, paths);
  }
}

/** The config with targets that are there, and types that fit. */
function placed(written: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(written)) return written.map((one) => placed(one, paths));
  if (typeof written !== 'object' || written === null) return written;
  if (Object.getPrototypeOf(written) !== Object.prototype && Object.getPrototypeOf(written) !== null)
    return written;
  const fields = Object.fromEntries(
    Object.entries(written).map(([name, value]) => [name, placed(value, paths)]),
  );
  if ('reenter' in fields && typeof fields.target === 'number')
    return { ...fields, target: paths[fields.target % paths.length] };
  if (!('states' in fields)) return fields.type === 'parallel' ? { ...fields, type: undefined } : fields;
  const [initial] = Object.keys(fields.states as object);
  if (initial === undefined)
    return { ...fields, initial: undefined, type: fields.type === 'final' ? 'final' : undefined };
  return { ...fields, initial, type: fields.type === 'parallel' ? 'parallel' : undefined };
}
