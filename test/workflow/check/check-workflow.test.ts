import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { assign, raise, sendParent } from 'xstate';
import { DetentError } from '../../../src/protocol/error.ts';
import { checkWorkflow, refuseFaulty } from '../../../src/workflow/check/check-workflow.ts';
import { workflow } from '../../../src/workflow/workflow.ts';
import { chartOf, codesOf, paying, stateA } from './support.ts';

const over = { type: 'final' };
const now = assign({ at: () => Date.now() } as never);

describe('what is found', () => {
  it('says the level, the place, what is wrong and what to do', () => {
    expect(checkWorkflow(workflow(stateA({ entry: 'tell' })))).toEqual([
      {
        level: 'error',
        code: 'UNKNOWN_ACTION',
        state: 'chart.a',
        message: 'the action "tell" is not in setup({ actions }), so nothing would be done',
        remedy: 'implement "tell" in setup({ actions })',
      },
    ]);
  });

  it('stands in the order of the states, errors first', () => {
    const states = {
      z: { after: { 1: 'b' }, on: { go: { guard: () => true, target: 'b' } } },
      b: { entry: 'own', on: { go: { guard: () => true, target: 'z' } }, after: { 1: 'a' } },
      a: { ...over, entry: 'own' },
    };
    expect(codesOf(chartOf({ version: undefined, initial: 'z', states }))).toEqual([
      'NO_VERSION chart',
      'INLINE_GUARD chart.z',
      'UNKNOWN_ACTION chart.b',
      'INLINE_GUARD chart.b',
      'UNKNOWN_ACTION chart.a',
    ]);
  });

  it('is said once', () => {
    const bad = { src: 'own', onDone: 'over', onError: 'over' };
    const states = {
      a: { invoke: { ...bad, id: 'p' }, entry: ['tell', 'tell'] },
      b: { invoke: { ...bad, id: 'q' } },
      over,
    };
    expect(codesOf(chartOf({ initial: 'a', states }))).toEqual([
      'NOT_DURABLE chart.a',
      'UNKNOWN_ACTION chart.a',
    ]);
    const context = { days: [new Date(0), new Date(1)], of: { days: [new Date(0)] } };
    expect(checkWorkflow(workflow(stateA({}, {}, { context }))).map(({ message }) => message)).toEqual([
      'context.days[0] is a Date',
      'context.of.days[0] is a Date',
    ]);
  });
});

describe('a machine in a machine', () => {
  const collect = chartOf({
    id: 'inner',
    initial: 'a',
    states: { a: { entry: 'own', after: { 1: 'b' } }, b: over },
  });
  const outer = stateA({ invoke: { ...paying, src: 'collect' } }, { actors: { collect } });

  it('is checked under its name, once', () => {
    expect(codesOf(outer)).toEqual(['UNKNOWN_ACTION chart/collect.a']);
    const again = stateA({ invoke: { ...paying, src: 'outer' } }, { actors: { outer, also: collect } });
    expect(codesOf(again)).toEqual(['UNKNOWN_ACTION chart/outer/collect.a']);
  });

  it('may contain itself', () => {
    const actors: Record<string, unknown> = {};
    const self = stateA({ invoke: { ...paying, src: 'self' } }, { actors });
    Object.assign(self.implementations.actors, { self });
    expect(codesOf(self)).toEqual([]);
  });
});

describe('a chart of an earlier version', () => {
  it('is checked for what would end its runs alone', () => {
    const earlier = stateA({ entry: ['own', now], invoke: { src: 'gone' } }, {}, { version: '1' });
    const chart = stateA({}, {}, { version: '2' });
    const found = checkWorkflow(workflow(chart, { earlier: [earlier] }));
    expect(found.map(({ code, state }) => `${code} ${state}`)).toEqual([
      'NOT_DURABLE chart@1.a',
      'UNKNOWN_ACTION chart@1.a',
    ]);
  });
});

describe('a workflow that is refused', () => {
  const thrownBy = (chart: Parameters<typeof workflow>[0]) => {
    try {
      refuseFaulty(workflow(chart));
      return null;
    } catch (error) {
      return DetentError.is(error) ? error : null;
    }
  };

  it('is refused by workflow() when its initial state does not exist', () => {
    expect(() => workflow(chartOf({ initial: 'ask', states: { asked: over } }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_WORKFLOW',
        message: 'chart "chart": Initial state node "ask" not found on parent state node #chart',
      }),
    );
  });

  it('is refused by one error that lists all', () => {
    const error = thrownBy(
      stateA({ entry: 'tell', exit: sendParent({ type: 'x' }), on: { 'run.x': 'over' } }),
    );
    expect(error?.code).toBe('INVALID_WORKFLOW');
    expect(error?.message.split('\n')).toEqual([
      'chart "chart" cannot be run durably; "detent workflow check" says the same:',
      expect.stringMatching(/^ {2}RESERVED_EVENT chart\.a takes "run\.x": .*; give it another name/),
      '  UNKNOWN_ACTION chart.a the action "tell" is not in setup({ actions }), so nothing would be done; implement "tell" in setup({ actions })',
      expect.stringMatching(/^ {2}SEND_TO chart\.a /),
    ]);
    expect(inspect(error)).toContain("code: 'UNKNOWN_ACTION'");
    expect(inspect(error)).not.toContain('[Object]');
    expect(error?.details).toMatchObject({ id: 'chart', findings: [{}, {}, {}] });
  });

  it('is not refused for warnings', () => {
    expect(
      thrownBy(stateA({ invoke: { src: 'pay', onDone: 'over' } }, {}, { version: undefined })),
    ).toBeNull();
  });
});

describe('the walk', () => {
  interface Given {
    context: { amount: number };
    event: { output: { paid: boolean } };
  }
  const isLarge = ({ context }: Given) => context.amount > 100;
  const isPaid = ({ event }: Given) => event.output.paid === true;
  const order = (guard: object) =>
    chartOf(
      {
        initial: 'a',
        context: ({ input }: { input: { amount: number } }) => ({ amount: input.amount }),
        states: {
          a: { invoke: { ...paying, onDone: [{ guard, target: 'b' }, { target: 'over' }] } },
          b: { entry: now, after: { 1: 'over' } },
          over,
        },
      },
      { guards: { isLarge, isPaid } },
    );

  it('takes samples where a guard wants a real value', () => {
    expect(codesOf(order({ type: 'isLarge' }))).toEqual([]);
    expect(codesOf(order({ type: 'isLarge' }), { input: { amount: 200 } })).toEqual(['IMPURE chart.a']);
    expect(codesOf(order({ type: 'isPaid' }), { outputs: { pay: [{ paid: false }] } })).toEqual([]);
    expect(
      codesOf(order({ type: 'isPaid' }), { outputs: { pay: [{ paid: false }, { paid: true }] } }),
    ).toEqual(['IMPURE chart.a']);
  });

  it('takes sample events', () => {
    const chart = stateA({
      on: { paid: { guard: 'isLarge', target: 'over', actions: now } },
    }).provide({
      guards: { isLarge: ({ event }: { event: { amount?: number } }) => (event.amount ?? 0) > 9 },
    } as never);
    expect(codesOf(chart)).toEqual(['UNCHECKED_EVENT chart.a']);
    expect(codesOf(chart, { events: [{ type: 'paid', amount: 10 } as never] })).toEqual(['IMPURE chart.a']);
  });

  it('makes up what is missing, and does not blame the chart for it', () => {
    interface Paid {
      context: { total: number };
      event: { output: { lines: { amount: number }[]; names: string[]; by: { name: string } } };
    }
    const sum = assign({
      total: ({ context, event }: Paid) => context.total + (event.output.lines.at(-1)?.amount ?? 0),
      names: ({ event }: Paid) => [...event.output.names.map((name) => name.trim())],
      text: ({ event }: Paid) => `paid by ${event.output.by.name}`,
    } as never);
    const invoke = { ...paying, onDone: { target: 'over', actions: sum } };
    expect(codesOf(stateA({ invoke }, {}, { context: { total: 0, names: [], text: '' } }))).toEqual([]);
  });

  it('comes to states that no move reaches', () => {
    const states = {
      a: { after: { 1: 'over' } },
      b: { after: { 1: { target: 'over', actions: now } } },
      over,
    };
    expect(codesOf(chartOf({ initial: 'a', context: {}, states }))).toEqual(['IMPURE chart.b']);
  });

  it('goes on where a guard or an assign throws', () => {
    const broken = () => {
      throw new Error('no such field');
    };
    const states = {
      a: { entry: assign(broken as never), after: { 1: { target: 'over', actions: now } } },
      over,
    };
    expect(codesOf(chartOf({ initial: 'a', context: broken, states }))).toEqual(['IMPURE chart.a']);
  });

  it('ends although code waits for the clock, the dice or a real value', () => {
    const wait = () => {
      const end = Date.now() + 3_000;
      while (Date.now() < end);
      while (Math.random() < 0.9);
      return {};
    };
    expect(codesOf(stateA({}, {}, { context: wait }))).toEqual(['IMPURE chart']);
    const last = ({ input }: { input: { next?: unknown } }) => {
      let at = input;
      while (at.next) at = at.next as { next?: unknown };
      return { at };
    };
    expect(codesOf(stateA({}, {}, { context: last }))).toEqual([]);
  });

  it('ends although a chart counts for ever', () => {
    const add = assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 } as never);
    const on = { go: { actions: add }, more: { actions: [add, raise({ type: 'go' })] } };
    expect(codesOf(stateA({ on }, {}, { context: { n: 0 } }))).toEqual([]);
  });

  it('does not take the loop of a made-up value for one without an end', () => {
    const states = {
      a: { always: { guard: 'hasNext', target: 'b' }, after: { 1: 'over' } },
      b: { always: 'a' },
      over,
    };
    const context = ({ input }: { input: { next?: unknown } }) => ({ next: input.next });
    const guards = { hasNext: ({ context }: { context: { next?: unknown } }) => context.next !== undefined };
    const chart = chartOf({ initial: 'a', context, states }, { guards });
    expect(codesOf(chart)).toEqual([]);
    expect(codesOf(chart, { input: { next: 'x' } })).toEqual(['ENDLESS_LOOP chart']);
  });
});
