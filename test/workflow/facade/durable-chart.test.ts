import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, cancel, emit, raise, sendTo, setup } from 'xstate';
import type { FlowContext } from '../../../src/store/stored-run.ts';
import { DurableChart } from '../../../src/workflow/facade/durable-chart.ts';
import type { FlowEvent } from '../../../src/workflow/facade/flow-events.ts';
import type { Asked } from '../../../src/workflow/facade/turn.ts';
import { step } from '../../../src/workflow/services.ts';

/** A chart as the engine drives it: out of its row before each event. */
class Driven {
  readonly #machine: DurableChart;
  #snapshot;
  /** Of the last event. */
  asked: Asked[] = [];

  constructor(chart: AnyStateMachine, input: unknown = null) {
    this.#machine = new DurableChart(chart);
    [this.#snapshot] = this.#machine.initialTransition(input);
    this.send({ type: 'run.start' });
  }

  /** Whether the run took the event. */
  send(event: FlowEvent): boolean {
    const { value, context } = this.#snapshot;
    const before = this.#machine.resolveState(JSON.parse(JSON.stringify({ value, context })));
    const [next, asked] = this.#machine.transition(before, event);
    this.asked = asked as Asked[];
    if (next === before && asked.length === 0) return false;
    this.#snapshot = next;
    return true;
  }

  get flow(): FlowContext {
    return this.#snapshot.context as FlowContext;
  }

  get value() {
    return this.#snapshot.value;
  }

  get status() {
    return this.#snapshot.status;
  }

  get names(): string[] {
    return this.asked.map(
      ({ type, params }) =>
        `${type} ${JSON.stringify(params.effectId ?? params.id ?? params.ids ?? params.n ?? '')}`,
    );
  }

  can(type: string): boolean {
    return this.#snapshot.can({ type });
  }
}

const work = step({ sideEffect: 'idempotent', run: (input: unknown) => input });
const stubborn = step({
  sideEffect: 'idempotent',
  run: (input: unknown) => input,
  retry: { attempts: 3, delayMs: 100, factor: 3 },
});

const charts = setup({
  types: {
    context: {} as { seen: string[]; input?: unknown },
    events: {} as { type: 'go' | 'back' | 'out' | 'run.cancel' | 'late'; note?: string },
  },
  actors: { work, stubborn },
  actions: {
    note: () => {},
    see: assign({ seen: ({ context, event }) => [...context.seen, event.type] }),
  },
});

const working = (more: object = {}) =>
  charts.createMachine({
    id: 'job',
    context: { seen: [] },
    initial: 'working',
    states: {
      working: {
        invoke: {
          id: 'work',
          src: 'work',
          input: { a: 1 },
          onDone: 'done',
          onError: { target: 'failed', actions: 'see' },
        },
        on: { out: 'waiting' },
        after: { 5000: 'failed' },
        ...more,
      },
      waiting: { on: { back: 'working' } },
      done: { type: 'final' },
      failed: { type: 'final' },
    },
  });

describe('what a chart under the facade asks of the engine', () => {
  it('is an effect for an invocation, and a timer row for an after', () => {
    const run = new Driven(working());
    expect(run.asked).toEqual([
      {
        type: 'timer.set',
        params: {
          id: 'xstate.after.5000.job.working',
          event: 'xstate.after.5000.job.working',
          delayMs: 5_000,
        },
      },
      { type: 'effect.hold', params: { ids: [1] } },
      { type: 'effect.step', params: { effectId: 1, id: 'work', src: 'work', first: 1, input: { a: 1 } } },
    ]);
    expect(run.flow.open).toEqual([{ kind: 'step', id: 'work', n: 1, src: 'work', first: 1, attempt: 1 }]);
  });

  it('is the end of both when the state is left', () => {
    const run = new Driven(working());
    run.send({ type: 'out' });
    expect(run.names).toEqual(['timer.clear "xstate.after.5000.job.working"', 'effect.abort [1]']);
    expect(run.flow.open).toEqual([]);
  });

  it('drops what an invocation says that was left, and one of the same id has begun', () => {
    const run = new Driven(working());
    run.send({ type: 'out' });
    run.send({ type: 'back' });
    expect(run.send({ type: 'service.done', effectId: 1, output: 'old' })).toBe(false);
    expect(run.value).toBe('working');
    run.send({ type: 'service.done', effectId: 2, output: 'new' });
    expect([run.value, run.status]).toEqual(['done', 'done']);
  });

  it('is nothing for a service that is entered and left at once', () => {
    const run = new Driven(working({ always: 'waiting' }));
    expect(run.value).toBe('waiting');
    expect(run.asked.filter(({ type }) => type.startsWith('effect.'))).toEqual([]);
  });

  it('keeps what a delayed raise says until then, and takes it back when it is cancelled', () => {
    const chart = charts.createMachine({
      id: 'late',
      context: { seen: [] },
      entry: raise({ type: 'late', note: 'kept' }, { delay: 50, id: 'later' }),
      on: {
        out: { actions: cancel('later') },
        late: { actions: assign({ seen: ({ event }) => [String(event.note)] }) },
      },
    });
    const run = new Driven(chart);
    expect(run.asked).toEqual([
      { type: 'timer.set', params: { id: 'later', event: 'flow.raise.later', delayMs: 50 } },
    ]);
    run.send({ type: 'flow.raise.later' });
    expect([run.flow.user, run.flow.delayed]).toEqual([{ seen: ['kept'] }, {}]);
    expect(run.send({ type: 'flow.raise.later' })).toBe(false);
    const other = new Driven(chart);
    other.send({ type: 'out' });
    expect([other.names, other.flow.delayed]).toEqual([['timer.clear "later"'], {}]);
  });

  it('forgets what a delayed raise said when its time has come, even if no state takes it', () => {
    const run = new Driven(working({ entry: raise({ type: 'late' }, { id: 'l', delay: 10 }) }));
    expect(run.send({ type: 'flow.raise.l' })).toBe(true);
    expect(run.flow.delayed).toEqual({});
  });

  it('ends the run only when the named actions of its last transition are done', () => {
    const chart = charts.createMachine({
      id: 'acts',
      context: { seen: [] },
      initial: 'a',
      states: {
        a: { on: { go: 'b' } },
        b: { type: 'final', entry: { type: 'note', params: { x: 1 } as never } },
      },
    });
    const run = new Driven(chart);
    run.send({ type: 'go' });
    expect([run.value, run.status, run.can('go')]).toEqual(['b', 'active', false]);
    expect(run.asked).toEqual([
      { type: 'effect.act', params: { effectId: 1, name: 'note', params: { x: 1 } } },
    ]);
    run.send({ type: 'action.done', effectId: 1 });
    expect([run.status, run.flow.end]).toEqual(['done', { outcome: 'done', error: null }]);
  });

  it('is a signal for what the chart emits', () => {
    const chart = setup({ types: { emitted: {} as { type: 'told'; what: string } } }).createMachine({
      id: 'emits',
      entry: emit({ type: 'told', what: 'hi' }),
    });
    expect(new Driven(chart).asked).toEqual([
      { type: 'flow.emit', params: { event: { type: 'told', what: 'hi' } } },
    ]);
  });
});

describe('a service that fails', () => {
  const retried = () =>
    new Driven(
      charts.createMachine({
        id: 'again',
        context: { seen: [] },
        initial: 'working',
        states: {
          working: {
            invoke: { id: 'w', src: 'stubborn', onDone: 'done', onError: 'failed' },
            on: { out: 'done' },
          },
          done: { type: 'final' },
          failed: { type: 'final' },
        },
      }),
    );
  const failure = (effectId: number, more: object = {}) => ({
    type: 'service.failed',
    effectId,
    error: { code: 'NETWORK_ERROR', message: 'no network', ...more },
  });

  it('begins again by its policy, each time later, with the key of its first attempt', () => {
    const run = retried();
    run.send(failure(1));
    expect(run.asked).toEqual([
      { type: 'timer.set', params: { id: 'retry.1', event: 'flow.retry.1', delayMs: 100 } },
    ]);
    expect(run.flow.open).toMatchObject([{ kind: 'retry', n: 1 }]);
    run.send({ type: 'flow.retry.1' });
    expect(run.asked.at(-1)).toEqual({
      type: 'effect.step',
      params: { effectId: 2, id: 'w', src: 'stubborn', first: 1 },
    });
    run.send(failure(2));
    expect(run.asked).toMatchObject([{ params: { id: 'retry.2', delayMs: 300 } }]);
    run.send({ type: 'flow.retry.2' });
    run.send(failure(3));
    expect(run.value).toBe('failed');
  });

  it('does not begin again after a failure that no repetition changes', () => {
    for (const more of [{ code: 'REJECTED_BY_USER' }, { retryable: false }]) {
      const run = retried();
      run.send(failure(1, more));
      expect(run.value).toBe('failed');
    }
  });

  it('leaves no timer behind when the state is left meanwhile', () => {
    const run = retried();
    run.send(failure(1));
    run.send({ type: 'out' });
    expect(run.names).toEqual(['timer.clear "retry.1"']);
    expect(run.send({ type: 'flow.retry.1' })).toBe(false);
  });

  it('ends a chart without onError, and clears its timers', () => {
    const run = new Driven(
      charts.createMachine({
        id: 'bare',
        context: { seen: [] },
        invoke: { id: 'w', src: 'work' },
        after: { 1000: { actions: 'see' } },
      }),
    );
    run.send(failure(1));
    expect(run.names).toEqual(['timer.clear "xstate.after.1000.bare"']);
    expect([run.status, run.flow.end]).toEqual([
      'done',
      { outcome: 'failed', error: { code: 'NETWORK_ERROR', message: 'no network' } },
    ]);
  });

  it('tells onError of one that killed its process three times', () => {
    const run = new Driven(working());
    run.send({ type: 'effect.poisoned', effectId: 1 });
    expect(run.value).toBe('failed');
  });
});

describe('a step of which it is not known whether it ran', () => {
  const uncertain = () => {
    const run = new Driven(working());
    run.send({ type: 'service.uncertain', effectId: 1 });
    return run;
  };

  it('is a question to a person', () => {
    const run = uncertain();
    expect(run.names).toEqual(['reconcile.ask "work"', 'timer.set "reconcile.1"']);
    expect(run.flow.open).toMatchObject([{ kind: 'uncertain', n: 1 }]);
  });

  it('ran, and its output is what the person says', () => {
    const run = uncertain();
    run.send({ type: 'tool.reconcile', callId: 1, verdict: 'ran', result: 'r' });
    expect(run.value).toBe('done');
    expect(run.names).toContain('effect.abort [1]');
  });

  it.each([
    ['payment 7', 'payment 7'],
    ['{"payment":7}', { payment: 7 }],
    ['12', 12],
    ['"12"', '12'],
    ['4711000000000000000001', '4711000000000000000001'],
    [undefined, null],
  ])('ran, and %o is its output as JSON where it is that', (result, output) => {
    const chart = setup({ actors: { work: step({ sideEffect: 'unsafe', run: () => null as unknown }) } });
    const run = new Driven(
      chart.createMachine({
        id: 'unsure',
        initial: 'working',
        output: ({ event }) => event.output,
        states: {
          working: { invoke: { id: 'work', src: 'work', onDone: 'over' } },
          over: { type: 'final', output: ({ event }) => event.output },
        },
      }),
    );
    run.send({ type: 'service.uncertain', effectId: 1 });
    run.send({ type: 'tool.reconcile', callId: 1, verdict: 'ran', ...(result !== undefined && { result }) });
    expect(run.flow.end).toMatchObject({ outcome: 'done', output });
  });

  it('runs again under its number', () => {
    const run = uncertain();
    run.send({ type: 'tool.reconcile', callId: 1, verdict: 'retry' });
    expect(run.flow.open).toMatchObject([{ kind: 'step', n: 1 }]);
    expect(run.asked.at(-1)).toEqual({
      type: 'effect.step',
      params: { effectId: 1, id: 'work', src: 'work', first: 1 },
    });
  });

  it.each([
    { type: 'tool.reconcile', callId: 1, verdict: 'skip' },
    { type: 'flow.unknown.1' },
    { type: 'tool.reconcile', callId: 1, verdict: 'anything else' },
  ])('counts as failed after $type $verdict', (event) => {
    const run = uncertain();
    run.send(event);
    expect(run.value).toBe('failed');
  });
});

describe('a cancellation', () => {
  it('goes to a chart that takes it, so that it can compensate; the second one ends it', () => {
    const run = new Driven(working({ on: { 'run.cancel': 'waiting' } }));
    run.send({ type: 'run.cancel', reason: 'enough' });
    expect([run.value, run.status]).toEqual(['waiting', 'active']);
    run.send({ type: 'run.cancel', reason: 'now' });
    expect([run.value, run.flow.end]).toEqual([
      '(cancelled)',
      { outcome: 'cancelled', error: { code: 'CANCELLED', message: 'now' } },
    ]);
  });

  it('ends a run whose chart has ended, and whose last action does not return', () => {
    const run = new Driven(working({ exit: 'note', on: { 'run.cancel': 'waiting' } }));
    run.send({ type: 'service.done', effectId: 1 });
    expect([run.value, run.status, run.can('run.cancel')]).toEqual(['done', 'active', true]);
    run.send({ type: 'run.cancel' });
    expect([run.value, run.status, run.names]).toEqual(['(cancelled)', 'done', ['effect.abort [2]']]);
  });

  it('ends any other, a wildcard of it notwithstanding, and aborts what is open', () => {
    const run = new Driven(working({ on: { '*': { actions: 'see' } } }));
    run.send({ type: 'run.cancel' });
    expect(run.value).toBe('(cancelled)');
    expect(run.names).toEqual(['effect.abort [1]', 'timer.clear "xstate.after.5000.job.working"']);
  });
});

describe('what no restart would find again', () => {
  it.each([
    {
      what: 'a Date in the context',
      chart: setup({}).createMachine({ context: { since: new Date(0) } }),
      why: 'context.since is a Date',
    },
    {
      what: 'an actor that an assignment spawns',
      chart: setup({ types: { context: {} as { ref?: unknown } }, actors: { work } }).createMachine({
        context: {},
        entry: assign(({ spawn }) => ({ ref: spawn('work', { id: 'x' }) })),
      }),
      why: 'was made by spawn()',
    },
    {
      what: 'an event for another actor',
      chart: setup({ actors: { work } }).createMachine({
        invoke: { id: 'w', src: 'work' },
        entry: sendTo('w', { type: 'x' }),
      }),
      why: 'xstate.sendTo',
    },
    {
      what: 'a chart that goes round for ever',
      chart: setup({}).createMachine({ initial: 'a', states: { a: { always: 'b' }, b: { always: 'a' } } }),
      why: 'Infinite loop',
    },
  ])('is refused: $what', ({ chart, why }) => {
    const begin = () => new Driven(chart as never).flow.end?.error?.message ?? '';
    let said: string;
    try {
      said = begin();
    } catch (error) {
      said = String(error);
    }
    expect(said).toContain(why);
  });
});

describe('states that a chart remembers', () => {
  const side = (name: string) => ({
    initial: 'a',
    states: { a: { on: { [name]: 'b' } }, b: { on: { [name]: 'a' } } },
  });
  const chart = setup({}).createMachine({
    id: 'both',
    initial: 'working',
    states: {
      working: {
        type: 'parallel',
        states: { left: side('left'), right: side('right'), before: { type: 'history', history: 'deep' } },
        on: { pause: 'paused' },
      },
      paused: { on: { resume: 'working.before' } },
    },
  });

  it('are written in the order of the chart, whichever was entered last, in memory or out of a row', () => {
    const machine = new DurableChart(chart);
    const drive = (isRestored: boolean) => {
      let [snapshot] = machine.initialTransition(null);
      for (const type of ['run.start', 'left', 'right', 'left', 'pause']) {
        const { value, context } = snapshot;
        const before = isRestored ? machine.resolveState({ value, context }) : snapshot;
        [snapshot] = machine.transition(before, { type });
      }
      return (snapshot.context as FlowContext).history;
    };
    const remembered = { 'both.working.before': ['both.working.left.a', 'both.working.right.b'] };
    expect(drive(false)).toEqual(remembered);
    expect(drive(true)).toEqual(remembered);
  });
});

describe('a row that a hand or a migration has changed', () => {
  const machine = new DurableChart(working());
  const run = new Driven(working());
  const restored = (more: object) =>
    machine.resolveState({ value: 'working', context: { ...run.flow, ...more } });
  const [open] = run.flow.open;

  it.each([
    [
      { open: [{ ...open, src: 'gone' }] },
      'its open service "work" is "gone", which the chart does not have',
    ],
    [{ open: [{ ...open, n: '1' }] }, 'its open services are not readable'],
    [{ open: null }, 'its open services are not readable'],
  ])('leads no run on: %o', (more, why) => {
    expect(() => restored(more)).toThrow(why);
  });

  it('leads no run on without all of its fields', () => {
    const { tainted: _, ...context } = run.flow;
    expect(() => machine.resolveState({ value: 'working', context })).toThrow('its context lacks tainted');
  });

  it('forgets what a history state remembers, if one of its states is gone', () => {
    const known = { 'job.memory': ['job.working'], 'job.other': ['job.renamed'] };
    expect(Object.keys(restored({ history: known }).historyValue)).toEqual(['job.memory']);
  });
});
