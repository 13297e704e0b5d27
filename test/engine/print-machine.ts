import { assign, setup } from 'xstate';

/** A job of a printing press: it prints its pages one by one, each an effect, and a jam waits for a person. */
export interface PrintContext {
  effects: number;
  awaiting: number | null;
  page: number;
  pages: number;
  notes: number;
}

type PrintEvent = { at: number } & (
  | {
      type:
        | 'job.start'
        | 'job.cancel'
        | 'job.clear'
        | 'job.note'
        | 'job.break'
        | 'job.mystery'
        | 'job.rush'
        | 'job.hold';
    }
  | { type: 'job.say'; words: string }
  | { type: 'print.done' | 'print.jam' | 'print.lost' | 'effect.poisoned'; effectId: number }
  | { type: 'job.resumed'; lastAt: number }
  | { type: 'job.faulted'; code: string; message: string }
  | { type: 'timer.queue' | 'timer.patience' | 'timer.help' }
);

export const press = setup({
  types: {
    context: {} as PrintContext,
    events: {} as PrintEvent,
    input: {} as { pages: number },
    output: {} as object,
  },
  actions: {
    'effect.print': (_, _params: { effectId: number; page: number }) => {},
    'effect.abort': (_, _params: { ids: number[] }) => {},
    'timer.set': (_, _params: { id: string; event: string; delayMs: number }) => {},
    'timer.clear': (_, _params: { id: string }) => {},
    'note.write': (_, _params: { text: string }) => {},
    'what.is.this': () => {},
    mint: assign({
      effects: ({ context }) => context.effects + 1,
      awaiting: ({ context }) => context.effects + 1,
    }),
    settle: assign({ awaiting: null }),
    turn: assign({ page: ({ context }) => context.page + 1 }),
    countNote: assign({ notes: ({ context }) => context.notes + 1 }),
  },
  guards: {
    isAwaited: ({ context, event }) => 'effectId' in event && event.effectId === context.awaiting,
    isLast: ({ context, event }) =>
      'effectId' in event && event.effectId === context.awaiting && context.page >= context.pages,
    breaks: () => {
      throw new Error('the guard is broken');
    },
  },
});

const abortAwaited = {
  type: 'effect.abort',
  params: ({ context }: { context: PrintContext }) => ({
    ids: context.awaiting === null ? [] : [context.awaiting],
  }),
} as const;

export const printMachine = press.createMachine({
  id: 'print',
  context: ({ input }) => ({ effects: 0, awaiting: null, page: 1, pages: input.pages, notes: 0 }),
  output: ({ context }) => ({ printed: context.page }),
  initial: 'queued',
  states: {
    queued: {
      entry: { type: 'timer.set', params: { id: 'queue', event: 'timer.queue', delayMs: 60_000 } },
      exit: { type: 'timer.clear', params: { id: 'queue' } },
      on: { 'job.start': 'printing', 'job.cancel': 'cancelled', 'timer.queue': 'failed' },
    },
    printing: {
      entry: [
        'mint',
        {
          type: 'effect.print',
          params: ({ context }) => ({ effectId: context.effects, page: context.page }),
        },
        { type: 'timer.set', params: { id: 'patience', event: 'timer.patience', delayMs: 30_000 } },
      ],
      exit: { type: 'timer.clear', params: { id: 'patience' } },
      on: {
        'print.done': [
          { guard: 'isLast', target: 'done', actions: 'settle' },
          { guard: 'isAwaited', target: 'printing', reenter: true, actions: ['settle', 'turn'] },
        ],
        'print.jam': { guard: 'isAwaited', target: 'jammed', actions: 'settle' },
        'print.lost': { guard: 'isAwaited', target: 'jammed', actions: 'settle' },
        'effect.poisoned': { guard: 'isAwaited', target: 'failed', actions: 'settle' },
        'job.resumed': { actions: { type: 'note.write', params: { text: 'resumed' } } },
        'job.note': { actions: ['countNote', { type: 'note.write', params: { text: 'noted' } }] },
        'job.say': { actions: { type: 'note.write', params: ({ event }) => ({ text: event.words }) } },
        'job.break': { guard: 'breaks', target: 'failed' },
        'job.mystery': { actions: 'what.is.this' },
        'job.rush': {
          actions: [
            { type: 'timer.clear', params: { id: 'patience' } },
            { type: 'timer.set', params: { id: 'patience', event: 'timer.patience', delayMs: 1_000 } },
          ],
        },
        'job.faulted': { target: 'failed', actions: abortAwaited },
        'job.hold': { target: 'jammed', actions: [abortAwaited, 'settle'] },
        'job.cancel': { target: 'cancelled', actions: [abortAwaited, 'settle'] },
        'timer.patience': { target: 'failed', actions: [abortAwaited, 'settle'] },
      },
    },
    jammed: {
      tags: 'waiting',
      entry: { type: 'timer.set', params: { id: 'help', event: 'timer.help', delayMs: 86_400_000 } },
      exit: { type: 'timer.clear', params: { id: 'help' } },
      on: { 'job.clear': 'printing', 'job.cancel': 'cancelled', 'timer.help': 'failed' },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});
