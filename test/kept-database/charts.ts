import { assign, raise, setup } from 'xstate';
import * as z from 'zod';
import { agent, ask, model, step, tool, type Workflow, workflow } from '../../src/workflow/index.ts';

/** What the charts do outside of themselves: the process that makes the database keeps some of it from ending. */
export interface World {
  /** Resolves at once, or never where the database is made: the process dies first. */
  hold(signal?: AbortSignal): Promise<void>;
  /** Resolves when nothing is left that other processes have asked of a run. */
  untilTold(): Promise<void>;
  /** Whether the database is being made. */
  isMaking: boolean;
}

/** Of the kept database: never change these charts, whose hashes are in its rows. */
export function keptWorkflows(world: World): Workflow[] {
  return [services(world), child(world), times(), regions(world)];
}

const said = (prompt: string) => ({ prompt });

function held(world: World, sideEffect: 'readonly' | 'idempotent' | 'unsafe') {
  return step({ sideEffect, run: () => world.hold().then(() => `${sideEffect} done`) });
}

/** One state for each kind of service: the input says which. */
function services(world: World): Workflow {
  const invoked = (src: string, input: unknown) => ({
    invoke: {
      id: src,
      src,
      input,
      onDone: { target: 'done', actions: { type: 'note', params: noted } },
      onError: { target: 'done', actions: { type: 'note', params: noted } },
    },
  });
  const noted = ({ event }: { event: { output?: unknown; error?: unknown } }) => ({
    value: event.output ?? { failed: (event.error as { code?: string }).code ?? 'unknown' },
  });
  const kinds = {
    writing: invoked('writer', said('hold')),
    modelling: invoked('answerer', said('hold')),
    paying: invoked('sender', {}),
    noting: invoked('noter', { hold: true }),
    approving: invoked('approval', null),
    choosing: invoked('choice', null),
    filling: invoked('form', null),
    reading: invoked('readonly', null),
    stepping: invoked('idempotent', null),
    breaking: invoked('unsafe', null),
    looking: invoked('probe', null),
    retrying: invoked('failing', null),
    nesting: invoked('child', { state: 'asking' }),
  };
  const chart = setup({
    types: {
      input: {} as { state: string },
      context: {} as { state: string; got: unknown },
      output: {} as unknown,
    },
    actors: {
      writer: agent({ prompt: ({ prompt }: { prompt: string }) => prompt }),
      answerer: model({ prompt: ({ prompt }: { prompt: string }) => prompt }),
      sender: tool('send'),
      noter: tool('note'),
      approval: ask({ question: () => 'May it go on?' }),
      choice: ask<unknown, string>({ question: () => 'Which one?', options: ['left', 'right'] }),
      form: ask({ question: () => 'Which team?', form: z.object({ team: z.string(), size: z.number() }) }),
      readonly: held(world, 'readonly'),
      idempotent: held(world, 'idempotent'),
      unsafe: held(world, 'unsafe'),
      probe: step({
        sideEffect: 'probe',
        run: () => world.hold().then(() => 'probe done'),
        status: () => ({ unknown: true as const }),
      }),
      failing: step({
        sideEffect: 'idempotent',
        retry: { attempts: 3, delayMs: 3_600_000 },
        run: () => {
          if (world.isMaking) throw new Error('not yet');
          return 'at last';
        },
      }),
      throwing: step({
        sideEffect: 'readonly',
        run: () => {
          throw new Error('it is broken');
        },
      }),
      child: child(world).chart,
    },
    actions: {
      note: assign((_, { value }: { value: unknown }) => ({ got: value })),
      tell: async () => world.hold(),
    },
    guards: { is: ({ context }, { state }: { state: string }) => context.state === state },
  }).createMachine({
    id: 'kept-services',
    version: '1',
    context: ({ input }: { input: { state: string } }) => ({ state: input.state, got: null }),
    output: ({ context }: { context: { got: unknown } }) => context.got,
    initial: 'beginning',
    states: {
      beginning: {
        always: [...Object.keys(kinds), 'acting', 'broken'].map((state) => ({
          guard: { type: 'is' as const, params: { state } },
          target: state,
        })),
      },
      ...kinds,
      acting: { entry: 'tell', always: 'done' },
      // Its failure is nobody's, so the run fails.
      broken: { invoke: { id: 'broken', src: 'throwing' } },
      done: { type: 'final' },
    },
  } as never);
  return workflow(chart as never) as Workflow;
}

/** Below another chart, and by itself. */
function child(_: World): Workflow {
  const chart = setup({
    types: { input: {} as { state: string }, context: {} as { got: string }, output: {} as string },
    actors: { approval: ask({ question: () => 'May the child go on?' }) },
  }).createMachine({
    id: 'kept-child',
    version: '1',
    context: { got: '' },
    output: ({ context }) => context.got,
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          id: 'approval',
          src: 'approval',
          onDone: {
            target: 'done',
            actions: assign(({ event }) => ({ got: event.output.approved ? 'approved' : 'rejected' })),
          },
          onError: 'done',
        },
      },
      done: { type: 'final' },
    },
  });
  return workflow(chart) as Workflow;
}

/** Waits for the clock, or for an event from outside. */
function times(): Workflow {
  const chart = setup({
    types: {
      input: {} as { state: string },
      context: {} as { state: string; got: string },
      events: {} as { type: 'go'; with: string } | { type: 'late' },
      output: {} as string,
    },
    delays: { aWhile: 36_000_000 },
    guards: { is: ({ context }, { state }: { state: string }) => context.state === state },
  }).createMachine({
    id: 'kept-times',
    version: '1',
    context: ({ input }) => ({ state: input.state, got: '' }),
    output: ({ context }) => context.got,
    initial: 'beginning',
    states: {
      beginning: {
        always: [
          { guard: { type: 'is', params: { state: 'waiting' } }, target: 'waiting' },
          { guard: { type: 'is', params: { state: 'delaying' } }, target: 'delaying' },
          { guard: { type: 'is', params: { state: 'ended' } }, target: 'done' },
          { target: 'listening' },
        ],
      },
      waiting: { after: { aWhile: { target: 'done', actions: assign({ got: 'after' }) } } },
      delaying: {
        entry: raise({ type: 'late' }, { delay: 'aWhile', id: 'late' }),
        on: { late: { target: 'done', actions: assign({ got: 'late' }) } },
      },
      listening: { on: { go: { target: 'done', actions: assign({ got: ({ event }) => event.with }) } } },
      done: { type: 'final' },
    },
  });
  return workflow(chart) as Workflow;
}

/** Two regions at once, and the place where they stood. */
function regions(world: World): Workflow {
  const chart = setup({
    types: {
      context: {} as { steps: string; approved: boolean },
      events: {} as { type: 'pause' } | { type: 'resume' },
      output: {} as { steps: string; approved: boolean },
    },
    actors: {
      slow: held(world, 'idempotent'),
      danger: held(world, 'unsafe'),
      approval: ask({ question: () => 'Both?' }),
    },
  }).createMachine({
    id: 'kept-regions',
    version: '1',
    context: { steps: '', approved: false },
    output: ({ context }) => context,
    initial: 'both',
    states: {
      both: {
        type: 'parallel',
        on: { pause: 'paused' },
        onDone: 'done',
        states: {
          step: {
            initial: 'stepping',
            states: {
              stepping: {
                invoke: {
                  id: 'slow',
                  src: 'slow',
                  onDone: { target: 'stepped', actions: assign(({ event }) => ({ steps: event.output })) },
                  onError: 'stepped',
                },
              },
              stepped: { type: 'final' },
            },
          },
          danger: {
            initial: 'risking',
            states: {
              risking: { invoke: { id: 'danger', src: 'danger', onDone: 'risked', onError: 'risked' } },
              risked: { type: 'final' },
            },
          },
          person: {
            initial: 'asking',
            states: {
              asking: {
                invoke: {
                  id: 'approval',
                  src: 'approval',
                  onDone: {
                    target: 'asked',
                    actions: assign(({ event }) => ({ approved: event.output.approved })),
                  },
                  onError: 'asked',
                },
              },
              asked: { type: 'final' },
            },
          },
          before: { type: 'history', history: 'deep' },
        },
      },
      paused: { on: { resume: 'both.before' } },
      done: { type: 'final' },
    },
  });
  return workflow(chart) as Workflow;
}
