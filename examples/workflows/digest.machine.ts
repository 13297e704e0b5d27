import { model, step, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import * as z from 'zod';

const Order = z.object({ mail: z.url(), news: z.url(), deliverTo: z.url() });
const Review = z.object({ ok: z.boolean(), text: z.string() });

type Order = z.infer<typeof Order>;
type Review = z.infer<typeof Review>;

const messageOf = (error: unknown) => (error as Error).message;

/** The chart within the chart: its run has a log of its own, and ends with the text. */
export const proofread = setup({
  types: {
    input: {} as { text: string },
    context: {} as { text: string; rounds: number },
    output: {} as { text: string },
  },
  actors: {
    review: model({
      prompt: ({ text }: { text: string }) =>
        `Correct what is wrong, and say whether it was fine:\n\n${text}`,
      output: Review,
    }),
  },
  guards: { isFine: ({ context }, { ok }: Review) => ok || context.rounds >= 2 },
  actions: {
    noteText: assign(({ context }, { text }: Review) => ({ text, rounds: context.rounds + 1 })),
  },
}).createMachine({
  id: 'proofread',
  version: '1',
  context: ({ input }) => ({ text: input.text, rounds: 0 }),
  output: ({ context }) => ({ text: context.text }),
  initial: 'reviewing',
  states: {
    reviewing: {
      invoke: {
        id: 'review',
        src: 'review',
        input: ({ context: { text } }) => ({ text }),
        onDone: [
          {
            guard: { type: 'isFine', params: ({ event }) => event.output },
            target: 'fine',
            actions: { type: 'noteText', params: ({ event }) => event.output },
          },
          {
            target: 'reviewing',
            reenter: true,
            actions: { type: 'noteText', params: ({ event }) => event.output },
          },
        ],
        // A text with mistakes is better than none.
        onError: 'fine',
      },
    },
    fine: { type: 'final' },
  },
});

const digest = setup({
  types: {
    input: {} as Order,
    context: {} as Order & { items: string[]; text: string; failure: string },
    output: {} as { sent: boolean; text: string; failure: string },
  },
  actors: {
    read: step({
      sideEffect: 'readonly',
      retry: { attempts: 3, delayMs: 60_000 },
      limits: { timeoutMs: 30_000 },
      async run({ url }: { url: string }, { signal, untrusted }) {
        const response = await fetch(url, { signal });
        if (!response.ok) throw new Error(`${url} answered ${response.status}`);
        // Others wrote it: no agent that gets to read it may trust it.
        untrusted();
        return response.text();
      },
    }),
    write: model({
      prompt: ({ items }: { items: string[] }) => `Write a digest of:\n\n${items.join('\n\n')}`,
      retry: { attempts: 4, delayMs: 5 * 60_000, factor: 3 },
    }),
    proofread,
    deliver: step({
      sideEffect: 'idempotent',
      retry: { attempts: 10, delayMs: 60_000, maxDelayMs: 3_600_000 },
      async run({ to, text }: { to: string; text: string }, { signal, idempotencyKey }) {
        const headers = { 'idempotency-key': idempotencyKey };
        const response = await fetch(to, { method: 'POST', headers, body: text, signal });
        if (!response.ok) throw new Error(`${to} answered ${response.status}`);
      },
    }),
  },
  guards: { hasItems: ({ context }) => context.items.length > 0 },
  actions: {
    addItem: assign(({ context }, { item }: { item: string }) => ({ items: [...context.items, item] })),
    noteText: assign((_, { text }: { text: string }) => ({ text })),
    noteFailure: assign((_, { failure }: { failure: string }) => ({ failure })),
  },
}).createMachine({
  id: 'digest',
  version: '1',
  description: 'Reads mail and news, has a digest written and proofread, and delivers it. For a nightly job.',
  context: ({ input }) => ({ ...input, items: [], text: '', failure: '' }),
  output: ({ context: { text, failure }, event }) => ({ sent: event.output === true, text, failure }),
  initial: 'collecting',
  states: {
    collecting: {
      type: 'parallel',
      onDone: [
        { guard: 'hasItems', target: 'writing' },
        { target: 'lost', actions: { type: 'noteFailure', params: { failure: 'there is nothing to read' } } },
      ],
      states: {
        mail: {
          initial: 'reading',
          states: {
            reading: {
              invoke: {
                id: 'mail',
                src: 'read',
                input: ({ context }) => ({ url: context.mail }),
                onDone: {
                  target: 'over',
                  actions: { type: 'addItem', params: ({ event }) => ({ item: event.output }) },
                },
                // The digest goes without what cannot be read.
                onError: 'over',
              },
            },
            over: { type: 'final' },
          },
        },
        news: {
          initial: 'reading',
          states: {
            reading: {
              invoke: {
                id: 'news',
                src: 'read',
                input: ({ context }) => ({ url: context.news }),
                onDone: {
                  target: 'over',
                  actions: { type: 'addItem', params: ({ event }) => ({ item: event.output }) },
                },
                onError: 'over',
              },
            },
            over: { type: 'final' },
          },
        },
      },
    },
    writing: {
      invoke: {
        id: 'write',
        src: 'write',
        input: ({ context: { items } }) => ({ items }),
        onDone: {
          target: 'proofreading',
          actions: { type: 'noteText', params: ({ event }) => ({ text: event.output }) },
        },
        onError: {
          target: 'lost',
          actions: { type: 'noteFailure', params: ({ event }) => ({ failure: messageOf(event.error) }) },
        },
      },
    },
    proofreading: {
      invoke: {
        id: 'proofread',
        src: 'proofread',
        input: ({ context: { text } }) => ({ text }),
        onDone: { target: 'delivering', actions: { type: 'noteText', params: ({ event }) => event.output } },
        onError: 'delivering',
      },
    },
    delivering: {
      invoke: {
        id: 'deliver',
        src: 'deliver',
        input: ({ context: { deliverTo, text } }) => ({ to: deliverTo, text }),
        onDone: 'sent',
        onError: {
          target: 'lost',
          actions: { type: 'noteFailure', params: ({ event }) => ({ failure: messageOf(event.error) }) },
        },
      },
    },
    sent: { type: 'final', output: true },
    lost: { type: 'final', output: false },
  },
});

export default workflow(digest, { input: Order });
