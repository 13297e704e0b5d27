import { agent, ask, step, tool, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import * as z from 'zod';

const Claim = z.object({ order: z.string(), complaint: z.string() });
const Assessment = z.object({ amount: z.number(), risk: z.enum(['low', 'high']), why: z.string() });

type Claim = z.infer<typeof Claim>;
type Assessment = z.infer<typeof Assessment>;

interface Refund {
  outcome: 'refunded' | 'refused' | 'expired' | 'taken back' | 'owed';
  why: string;
}

const messageOf = (error: unknown) => (error as Error).message;

const refund = setup({
  types: {
    input: {} as Claim,
    context: {} as Claim & { amount: number; why: string; payment: string },
    events: {} as { type: 'order.recalled' },
    output: {} as Refund,
  },
  // Who does the work. An agent, a tool and a question are runs of their own; a step is a function of yours.
  actors: {
    assess: agent({
      prompt: ({ order, complaint }: Claim) =>
        `Assess the refund of order ${order}. The customer says: ${complaint}`,
      output: Assessment,
    }),
    approve: ask({
      question: ({ amount, why }: { amount: number; why: string }) => `Refund ${amount} EUR? ${why}`,
    }),
    pay: tool<{ order: string; amount: number }>('refund_payment'),
    tell: step({
      sideEffect: 'idempotent',
      run: async ({ order }: { order: string }) => `told the customer of ${order}`,
    }),
    takeBack: step({
      sideEffect: 'idempotent',
      retry: { attempts: 5, delayMs: 60_000 },
      run: async ({ payment }: { payment: string }) => `took back ${payment}`,
    }),
  },
  guards: {
    isSmall: (_, { risk, amount }: Assessment) => risk === 'low' && amount < 50,
    isApproved: (_, { approved }: { approved: boolean }) => approved,
  },
  actions: {
    noteClaim: assign((_, { amount, why }: Assessment) => ({ amount, why })),
    notePayment: assign((_, { payment }: { payment: string }) => ({ payment })),
    noteWhy: assign((_, { why }: { why: string }) => ({ why })),
  },
  delays: { patience: 7 * 86_400_000 },
}).createMachine({
  id: 'refund',
  version: '1',
  description: 'A refund that an agent assesses, a person approves, and a tool pays.',
  context: ({ input }) => ({ ...input, amount: 0, why: '', payment: '' }),
  // The state in which the chart ends says how, and the context why.
  output: ({ context, event }) => ({ outcome: event.output as Refund['outcome'], why: context.why }),
  initial: 'assessing',
  on: {
    'order.recalled': {
      target: '.refused',
      actions: { type: 'noteWhy', params: { why: 'the order was recalled' } },
    },
  },
  states: {
    assessing: {
      invoke: {
        id: 'assess',
        src: 'assess',
        input: ({ context: { order, complaint } }) => ({ order, complaint }),
        onDone: [
          {
            guard: { type: 'isSmall', params: ({ event }) => event.output },
            target: 'paying',
            actions: { type: 'noteClaim', params: ({ event }) => event.output },
          },
          { target: 'approving', actions: { type: 'noteClaim', params: ({ event }) => event.output } },
        ],
        onError: {
          target: 'refused',
          actions: { type: 'noteWhy', params: ({ event }) => ({ why: messageOf(event.error) }) },
        },
      },
    },
    approving: {
      description: 'A person decides within a week.',
      invoke: {
        id: 'approve',
        src: 'approve',
        input: ({ context: { amount, why } }) => ({ amount, why }),
        onDone: [
          { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'paying' },
          {
            target: 'refused',
            actions: { type: 'noteWhy', params: ({ event }) => ({ why: event.output.reason ?? 'rejected' }) },
          },
        ],
        onError: 'expired',
      },
      after: { patience: 'expired' },
    },
    paying: {
      invoke: {
        id: 'pay',
        src: 'pay',
        input: ({ context: { order, amount } }) => ({ order, amount }),
        onDone: {
          target: 'telling',
          actions: { type: 'notePayment', params: ({ event }) => ({ payment: event.output }) },
        },
        onError: {
          target: 'refused',
          actions: { type: 'noteWhy', params: ({ event }) => ({ why: messageOf(event.error) }) },
        },
      },
      // The money is on its way: nothing to stop here.
      on: { 'order.recalled': {} },
    },
    telling: {
      invoke: {
        id: 'tell',
        src: 'tell',
        input: ({ context: { order } }) => ({ order }),
        onDone: 'refunded',
        onError: {
          target: 'takingBack',
          actions: { type: 'noteWhy', params: ({ event }) => ({ why: messageOf(event.error) }) },
        },
      },
      on: {
        'order.recalled': {
          target: 'takingBack',
          actions: { type: 'noteWhy', params: { why: 'the order was recalled' } },
        },
      },
    },
    takingBack: {
      description: 'Compensation: what was paid is taken back.',
      invoke: {
        id: 'takeBack',
        src: 'takeBack',
        input: ({ context: { payment } }) => ({ payment }),
        onDone: 'takenBack',
        onError: {
          target: 'owed',
          actions: { type: 'noteWhy', params: ({ event }) => ({ why: messageOf(event.error) }) },
        },
      },
      on: { 'order.recalled': {} },
    },
    refunded: { type: 'final', output: 'refunded' },
    refused: { type: 'final', output: 'refused' },
    expired: {
      entry: { type: 'noteWhy', params: { why: 'nobody decided in time' } },
      type: 'final',
      output: 'expired',
    },
    takenBack: { type: 'final', output: 'taken back' },
    owed: { type: 'final', output: 'owed' },
  },
});

export default workflow(refund, { input: Claim });
