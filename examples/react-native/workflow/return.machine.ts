import { agent, ask, step, workflow } from 'detent/core/workflows';
import { assign, setup } from 'xstate';

/** Your backend. It knows the key, so a second try registers nothing more. */
export interface Returns {
  register(order: string, reason: string, key: string): Promise<string>;
}

interface Wish {
  order: string;
  complaint: string;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'it failed');

/** Sends an order back: the model on the phone sums the reason up, the customer confirms, and the backend is told, also hours later. */
export function returnWorkflow(returns: Returns) {
  const chart = setup({
    types: {
      input: {} as Wish,
      context: {} as Wish & { words: string },
      output: {} as { outcome: 'registered' | 'kept' | 'failed'; words: string },
    },
    actors: {
      sumUp: agent({
        prompt: ({ order, complaint }: Wish) =>
          `Say in one sentence why order ${order} comes back. The customer says: ${complaint}`,
      }),
      confirm: ask({
        question: ({ order, words }: { order: string; words: string }) => `Send ${order} back? ${words}`,
      }),
      register: step({
        sideEffect: 'idempotent',
        // A phone is often without a network: the last of these attempts is a day later.
        retry: { attempts: 12, delayMs: 60_000, maxDelayMs: 4 * 3_600_000 },
        run: ({ order, words }: { order: string; words: string }, { idempotencyKey }) =>
          returns.register(order, words, idempotencyKey),
      }),
    },
    guards: { isApproved: (_, { approved }: { approved: boolean }) => approved },
    actions: { note: assign((_, { words }: { words: string }) => ({ words })) },
    delays: { patience: 3 * 86_400_000 },
  }).createMachine({
    id: 'return',
    version: '1',
    description: 'An order that the customer sends back.',
    context: ({ input }) => ({ ...input, words: input.complaint }),
    output: ({ context, event }) => ({
      outcome: event.output as 'registered' | 'kept' | 'failed',
      words: context.words,
    }),
    initial: 'summingUp',
    states: {
      summingUp: {
        invoke: {
          id: 'sumUp',
          src: 'sumUp',
          input: ({ context: { order, complaint } }) => ({ order, complaint }),
          onDone: {
            target: 'confirming',
            actions: { type: 'note', params: ({ event }) => ({ words: event.output }) },
          },
          // Without the model the customer's own words do.
          onError: 'confirming',
        },
      },
      confirming: {
        invoke: {
          id: 'confirm',
          src: 'confirm',
          input: ({ context: { order, words } }) => ({ order, words }),
          onDone: [
            { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'registering' },
            { target: 'kept' },
          ],
          onError: 'kept',
        },
        after: { patience: 'kept' },
      },
      registering: {
        invoke: {
          id: 'register',
          src: 'register',
          input: ({ context: { order, words } }) => ({ order, words }),
          onDone: {
            target: 'registered',
            actions: { type: 'note', params: ({ event }) => ({ words: event.output }) },
          },
          onError: {
            target: 'failed',
            actions: { type: 'note', params: ({ event }) => ({ words: messageOf(event.error) }) },
          },
        },
      },
      registered: { type: 'final', output: 'registered' },
      kept: { type: 'final', output: 'kept' },
      failed: { type: 'final', output: 'failed' },
    },
  });
  return workflow(chart);
}
