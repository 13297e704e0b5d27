import { assign, setup } from 'xstate';

/** An errand: it is done by the person who got it, or passed on to another one, and waits for that one's answer. */
export interface ErrandContext {
  effects: number;
  awaiting: number | null;
  /** Whether the errand that it has passed on has begun. */
  hasBegun: boolean;
  /** How often it is passed on yet. */
  passes: number;
  answer: string | null;
}

type ErrandEvent = { at: number } & (
  | { type: 'errand.start' | 'run.cancel' | 'errand.leave' }
  | { type: 'service.began' | 'service.uncertain' | 'effect.poisoned'; effectId: number }
  | { type: 'service.done'; effectId: number; answer: string }
  | { type: 'service.failed'; effectId: number; error: { code: string } }
  | { type: 'run.resumed'; lastAt: number }
  | { type: 'run.faulted'; code: string; message: string }
);

const abortAwaited = {
  type: 'effect.abort',
  params: ({ context }: { context: ErrandContext }) => ({
    ids: context.awaiting === null ? [] : [context.awaiting],
  }),
} as const;

export const errandMachine = setup({
  types: {
    context: {} as ErrandContext,
    events: {} as ErrandEvent,
    input: {} as { passes: number },
    output: {} as { answer: string | null },
  },
  actions: {
    'effect.run': (_, _params: { effectId: number; passes: number }) => {},
    'effect.walk': (_, _params: { effectId: number }) => {},
    'effect.abort': (_, _params: { ids: number[] }) => {},
    mint: assign({
      effects: ({ context }) => context.effects + 1,
      awaiting: ({ context }) => context.effects + 1,
      hasBegun: false,
    }),
    note: assign({ hasBegun: true }),
    settle: assign({
      awaiting: null,
      answer: ({ event }) =>
        event.type === 'service.done' ? event.answer : 'error' in event ? event.error.code : null,
    }),
    leave: assign({ awaiting: null }),
  },
  guards: {
    isPassedOn: ({ context }) => context.passes > 0,
    isAwaited: ({ context, event }) => 'effectId' in event && event.effectId === context.awaiting,
  },
}).createMachine({
  id: 'errand',
  context: ({ input }) => ({
    effects: 0,
    awaiting: null,
    hasBegun: false,
    passes: input.passes,
    answer: null,
  }),
  output: ({ context }) => ({ answer: context.answer }),
  initial: 'queued',
  states: {
    queued: {
      on: {
        'errand.start': [{ guard: 'isPassedOn', target: 'passedOn' }, { target: 'walking' }],
        'run.cancel': 'cancelled',
      },
    },
    passedOn: {
      entry: [
        'mint',
        {
          type: 'effect.run',
          params: ({ context }) => ({ effectId: context.effects, passes: context.passes - 1 }),
        },
      ],
      on: {
        'service.began': { guard: 'isAwaited', actions: 'note' },
        'service.done': { guard: 'isAwaited', target: 'done', actions: 'settle' },
        'service.failed': { guard: 'isAwaited', target: 'failed', actions: 'settle' },
        'effect.poisoned': { guard: 'isAwaited', target: 'failed', actions: 'leave' },
        'run.cancel': { target: 'cancelled', actions: [abortAwaited, 'leave'] },
        'errand.leave': { target: 'walking', actions: abortAwaited },
      },
    },
    walking: {
      entry: ['mint', { type: 'effect.walk', params: ({ context }) => ({ effectId: context.effects }) }],
      on: {
        'service.done': { guard: 'isAwaited', target: 'done', actions: 'settle' },
        'effect.poisoned': { guard: 'isAwaited', target: 'failed', actions: 'leave' },
        'run.cancel': { target: 'cancelled', actions: [abortAwaited, 'leave'] },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});
