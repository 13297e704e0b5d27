import { describe, expect, it } from 'vitest';
import { assign, raise, setup, spawnChild } from 'xstate';
import * as z from 'zod';
import { workflowPaths } from '../../src/testing/index.ts';
import { ask, model, step, tool, workflow } from '../../src/workflow/index.ts';

const never = (): never => {
  throw new Error('a service was performed');
};

const charts = setup({
  types: {
    context: {} as { seen: string[]; count: number },
    events: {} as { type: 'go' | 'back' | 'late'; to?: string },
  },
  actors: {
    work: step({ sideEffect: 'unsafe', run: never }),
    stubborn: step({ sideEffect: 'idempotent', run: never, retry: { attempts: 3, delayMs: 100 } }),
    approve: ask({ question: () => 'Well?' }),
    choose: ask<null, string>({ question: () => 'Which?', options: ['red', 'green', 'blue'] }),
    judge: model({ prompt: () => 'Judge', output: z.object({ good: z.boolean(), n: z.coerce.number() }) }),
    pay: tool('pay'),
  },
  guards: {
    isGood: (_, params: { good: boolean }) => params.good,
    isFar: ({ context }) => context.count >= 2,
    isThere: (_, params: { to: string | undefined }) => params.to === 'there',
  },
  actions: {
    notify: never,
    count: assign({ count: ({ context }) => context.count + 1 }),
    see: assign({ seen: ({ context, event }) => [...context.seen, event.type] }),
  },
});
type Config = Parameters<typeof charts.createMachine>[0];
const made = (config: object) =>
  workflow(
    charts.createMachine({ id: 'chart', version: '1', context: { seen: [], count: 0 }, ...config } as Config),
  );

const judging = made({
  initial: 'judging',
  states: {
    judging: {
      invoke: {
        id: 'judge',
        src: 'judge',
        onDone: [
          {
            guard: {
              type: 'isGood',
              params: (given: never) => (given as { event: { output: unknown } }).event.output,
            },
            target: 'good',
          },
          { target: 'bad' },
        ],
        onError: 'bad',
      },
    },
    good: { type: 'final' },
    bad: { type: 'final' },
  },
});

describe('the paths of a workflow', () => {
  it('take each answer of a service, and a failure that no sample has', async () => {
    const report = await workflowPaths(judging, {
      samples: {
        judge: [
          { good: true, n: 1 },
          { good: false, n: 2 },
        ],
      },
    });
    expect(report).toMatchObject({
      paths: 3,
      pathsLeft: 0,
      steps: 3,
      isWhole: true,
      differences: [],
      transitions: { total: 3, taken: 3, missing: [] },
    });
  });

  it('say which transition no sample takes, and what would take it', async () => {
    const report = await workflowPaths(judging, { samples: { judge: [{ good: false, n: 2 }] } });
    expect(report.transitions.missing).toEqual([
      {
        state: 'judging',
        event: 'judge done',
        guard: 'isGood',
        target: 'good',
        remedy: 'give samples.judge an answer for which "isGood" holds',
      },
    ]);
    expect(`${report}`.split('\n')).toEqual([
      'chart: 2 paths, 2 steps, 0 differences; 2 of 3 transitions taken',
      'not taken: judging on judge done [isGood] to good; give samples.judge an answer for which "isGood" holds',
      'state    event         guard   target  paths',
      'judging  judge done    isGood  good    0',
      'judging  judge done            bad     1',
      'judging  judge failed          bad     1',
    ]);
  });

  it('end with an expectation of the chart, which names the path on which it fails', async () => {
    const samples = { judge: [{ good: true, n: 1 }] };
    const ends: unknown[] = [];
    await workflowPaths(judging, { samples, check: ({ path, state }) => ends.push([...path, state]) });
    expect(ends).toEqual([
      ['judge done {"good":true,"n":1}', 'good'],
      ['judge failed SAMPLE', 'bad'],
    ]);
    const failing = workflowPaths(judging, { samples, check: ({ state }) => expect(state).toBe('good') });
    await expect(failing).rejects.toThrow(/expected 'bad' to be 'good'.*\non the path judge failed SAMPLE$/s);
  });

  it('answer a question by each of its options, and approve and reject one without', async () => {
    const asking = made({
      initial: 'approving',
      states: {
        approving: { invoke: { id: 'approve', src: 'approve', onDone: 'choosing', onError: 'over' } },
        choosing: { invoke: { id: 'choose', src: 'choose', onDone: 'over', onError: 'over' } },
        over: { type: 'final' },
      },
    });
    // Approved it goes on to three options and a failure; rejected it gets to where it was; and it fails itself.
    expect(await workflowPaths(asking)).toMatchObject({ paths: 6, steps: 10, differences: [] });
  });

  it('end a workflow that takes no failure, and have a service that is begun again fail twice', async () => {
    const failing = made({
      initial: 'first',
      states: {
        first: { invoke: { id: 'a', src: 'stubborn', onDone: 'second' }, after: { 50000: 'over' } },
        second: { invoke: { id: 'b', src: 'work', onDone: 'over' } },
        over: { type: 'final' },
      },
    });
    const samples = { stubborn: ['a', { error: { code: 'DOWN', message: 'it is down' } }], work: [null] };
    expect(await workflowPaths(failing, { samples })).toMatchObject({
      paths: 4,
      steps: 6,
      differences: [],
      transitions: { missing: [] },
    });
  });

  it('fire timers and delayed events in every order, perform no action, and let a chart compensate', async () => {
    const waiting = made({
      initial: 'waiting',
      states: {
        waiting: {
          entry: ['notify', raise({ type: 'late' }, { delay: 5_000 })],
          on: { late: { actions: 'see' }, 'run.cancel': 'undoing' },
          after: { 1000: { actions: 'count' }, 9000: 'over' },
        },
        undoing: { invoke: { id: 'undo', src: 'work', onDone: 'over', onError: 'over' } },
        over: { type: 'final' },
      },
    });
    const report = await workflowPaths(waiting, { samples: { work: [null] }, events: [] });
    expect(report).toMatchObject({ differences: [], transitions: { total: 6, taken: 6 } });
    expect(report.paths).toBeGreaterThan(8);
  });

  it('take what comes from outside with the payload that guards want', async () => {
    const far = made({
      initial: 'here',
      states: {
        here: {
          on: {
            go: {
              guard: {
                type: 'isThere',
                params: (given: never) => (given as { event: { to?: string } }).event,
              },
              target: 'there',
            },
          },
          after: { 1000: 'there' },
        },
        there: { type: 'final' },
      },
    });
    const bare = await workflowPaths(far);
    expect(bare.transitions.missing).toMatchObject([
      { event: 'go', remedy: 'give events one of type "go" for which "isThere" holds' },
    ]);
    const given = await workflowPaths(far, { events: [{ type: 'go', to: 'there' }] });
    expect(given.transitions.missing).toEqual([]);
    expect(given.differences).toEqual([]);
  });

  it('demand answers of a service that is spawned, too', async () => {
    const spawning = made({
      initial: 'asking',
      states: {
        asking: {
          entry: spawnChild('judge', { id: 'judge.1' } as never),
          on: { 'xstate.done.actor.*': 'over', 'xstate.error.actor.*': 'over' },
        },
        over: { type: 'final' },
      },
    });
    await expect(workflowPaths(spawning)).rejects.toMatchObject({
      code: 'INVALID_SAMPLE',
      message:
        'workflow "chart": samples have no answers of "judge"; give each a list: samples: { judge: [null] }',
    });
    const { transitions } = await workflowPaths(spawning, { samples: { judge: [{ good: true, n: 1 }] } });
    expect(transitions.missing).toEqual([]);
  });

  it('take the events that the chart takes, and ask for one whose schema needs a payload', async () => {
    const chart = setup({
      types: { events: {} as { type: 'go'; to: string } | { type: 'back' } },
    }).createMachine({
      id: 'chart',
      version: '1',
      initial: 'here',
      states: { here: { on: { go: 'there', back: 'there' } }, there: { type: 'final' } },
    });
    const checked = workflow(chart, { events: { go: z.object({ type: z.literal('go'), to: z.string() }) } });
    await expect(workflowPaths(checked)).rejects.toMatchObject({
      code: 'INVALID_SAMPLE',
      message: expect.stringContaining(
        `the event "go" has a payload, and its schema refuses one without: give events: [{ type: 'go', … }]`,
      ),
    });
    await expect(workflowPaths(checked, { events: [{ type: 'gone' as never }] })).rejects.toMatchObject({
      code: 'INVALID_SAMPLE',
      message: 'workflow "chart": it takes no event "gone"; it takes back, go',
    });
    const report = await workflowPaths(checked, { events: [{ type: 'go', to: 'there' }, { type: 'back' }] });
    expect(report.transitions.missing).toEqual([]);
  });

  it('go from each input, as its schema makes it', async () => {
    const chart = setup({
      types: { input: {} as { n: number }, context: {} as { n: number } },
      guards: { isOne: ({ context }) => context.n === 1 },
    }).createMachine({
      id: 'inputs',
      version: '1',
      context: ({ input }) => ({ n: input.n }),
      initial: 'at',
      states: {
        at: { always: [{ guard: 'isOne', target: 'one' }, { target: 'other' }] },
        one: { type: 'final' },
        other: { type: 'final' },
      },
    });
    const counted = workflow(chart, { input: z.object({ n: z.coerce.number() }) });
    const report = await workflowPaths(counted, { inputs: [{ n: '1' as never }, { n: 2 }] });
    expect(report).toMatchObject({ paths: 2, steps: 0, differences: [], transitions: { missing: [] } });
    await expect(workflowPaths(counted, { input: { n: 'x' as never } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  describe('of a chart that counts without an end', () => {
    const counting = made({
      initial: 'at',
      states: {
        at: {
          on: { go: [{ guard: 'isFar', target: 'over' }, { actions: 'count' }], back: { actions: 'count' } },
          after: { 1000: 'over' },
        },
        over: { type: 'final' },
      },
    });

    it('are bounded by a key', async () => {
      const report = await workflowPaths(counting, {
        key: ({ context }) => String(Math.min((context as { count: number }).count, 2)),
      });
      expect(report).toMatchObject({ isWhole: true, pathsLeft: 0, differences: [] });
      expect(report.transitions.missing).toEqual([]);
    });

    it('are bounded by their number, and those go first that take another transition', async () => {
      const report = await workflowPaths(counting, { maxMoves: 200, maxPaths: 5 });
      expect(report).toMatchObject({ paths: 5, isWhole: false, transitions: { missing: [] } });
      expect(report.pathsLeft).toBeGreaterThan(5);
      expect(`${report}`).toContain('raise maxMoves, or give a key');
    });
  });

  it('show where a durable run differs: a value that no row can hold', async () => {
    const dated = workflow(
      setup({
        types: { context: {} as { since: unknown } },
        actors: { work: step({ sideEffect: 'readonly', run: (): string => never() }) },
        actions: {
          // The check makes up its samples, and so does not get here.
          note: assign((_, { output }: { output: string }) => ({
            since: output === 'now' ? new Date(0) : null,
          })),
        },
      }).createMachine({
        id: 'dated',
        version: '1',
        context: { since: null },
        initial: 'a',
        states: {
          a: {
            invoke: {
              id: 'work',
              src: 'work',
              onDone: { target: 'b', actions: { type: 'note', params: ({ event }) => event } },
              onError: 'b',
            },
          },
          b: { after: { 1000: 'c' } },
          c: { type: 'final' },
        },
      }),
    );
    const { differences } = await workflowPaths(dated, { samples: { work: ['now'] } });
    expect(differences).toMatchObject([
      { path: ['work done "now"'], what: 'state', plain: 'b', durable: 'a' },
    ]);
  });
});

describe('samples', () => {
  const refused = (samples: Record<string, readonly unknown[]>, more = {}) =>
    workflowPaths(judging, { samples, ...more }).then(
      () => 'taken',
      ({ code, message }) => `${code} ${message}`,
    );

  it('are refused when a service has none', async () => {
    expect(await refused({})).toMatch(/^INVALID_SAMPLE .*no answers of "judge"/);
  });

  it('are refused when there is no such service', async () => {
    expect(await refused({ judg: [] })).toMatch(/^INVALID_SAMPLE .*no service "judg"; it has work, /);
  });

  it('are refused when they do not fit the schema of their service', async () => {
    expect(await refused({ judge: [{ good: 'yes', n: 1 }] })).toMatch(
      /^INVALID_SAMPLE answer 1 of "judge" .*does not fit its schema: .*good/,
    );
  });

  it('are refused when the chart throws on them', async () => {
    const reading = made({
      initial: 'a',
      states: {
        a: {
          invoke: {
            id: 'pay',
            src: 'pay',
            onDone: {
              target: 'b',
              guard: {
                type: 'isGood',
                params: (given: never) => (given as { event: { output: { x: object } } }).event.output.x,
              },
            },
            onError: 'b',
          },
        },
        b: { type: 'final' },
      },
    });
    await expect(workflowPaths(reading, { samples: { pay: ['text'] } })).rejects.toMatchObject({
      code: 'CHART_THREW',
      message: expect.stringContaining('on "pay done "text"" in "a"'),
    });
  });
});

describe('the paths of a chart that reads the clock or random numbers', () => {
  const weighing = (isLate: () => boolean) =>
    workflow(
      setup({
        types: { context: {} as { kilos: number }, input: {} as { kilos: number } },
        guards: { isHeavy: ({ context }) => context.kilos > 20 && isLate() },
      }).createMachine({
        id: 'weighing',
        version: '1',
        context: ({ input }) => ({ kilos: input.kilos }),
        initial: 'open',
        states: {
          open: { on: { weigh: [{ guard: 'isHeavy', target: 'heavy' }, { target: 'light' }] } },
          heavy: { type: 'final' },
          light: { type: 'final' },
        },
      }),
    );
  let calls = 0;

  it.each([
    ['random numbers', () => Math.random() > 0.5],
    ['the day of the week', () => new Date().getDay() > 0],
    ['the clock', () => Date.now() % 2 === 0],
    ['what it counts itself', () => ++calls % 2 === 0],
  ])('are refused once a sample leads there: %s', async (_, isLate) => {
    await expect(workflowPaths(weighing(isLate), { input: { kilos: 30 } })).rejects.toMatchObject({
      code: 'INVALID_WORKFLOW',
      message: expect.stringMatching(/IMPURE weighing\.open on "weigh".*reads the clock or random numbers/s),
    });
    await expect(workflowPaths(weighing(isLate), { input: { kilos: 3 } })).resolves.toMatchObject({
      differences: [],
    });
  });
});
