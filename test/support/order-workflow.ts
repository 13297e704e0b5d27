import { assign, setup } from 'xstate';
import * as z from 'zod';
import { ask, workflow } from '../../src/workflow/index.ts';

/** The chart of an order: of another version, or with another name for its invocation, as after an edit. */
export const orderChartOf = (version = '1', approval = 'approval') =>
  setup({
    types: {
      input: {} as { order: string },
      context: {} as { order: string; note: string },
      events: {} as { type: 'parcel.sent'; note?: string } | { type: 'order.recalled' },
      output: {} as { order: string; note: string },
    },
    actors: { approve: ask({ question: ({ order }: { order: string }) => `Send ${order}?` }) },
    guards: { isApproved: (_, answer: { approved: boolean }) => answer.approved },
    actions: { keep: assign((_, params: { note: string }) => params) },
  }).createMachine({
    id: 'order',
    version,
    description: 'An order that a person approves, and that waits for its parcel.',
    context: ({ input }) => ({ order: input.order, note: '' }),
    initial: 'approving',
    on: { 'order.recalled': '.recalled' },
    output: ({ context }) => ({ order: context.order, note: context.note }),
    states: {
      approving: {
        invoke: {
          id: approval,
          src: 'approve',
          input: ({ context }) => ({ order: context.order }),
          onDone: [
            { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'packing' },
            { target: 'recalled' },
          ],
          onError: 'recalled',
        },
      },
      packing: {
        on: {
          'parcel.sent': {
            target: 'sent',
            actions: { type: 'keep', params: ({ event }) => ({ note: event.note ?? '' }) },
          },
        },
        after: { 86400000: 'recalled' },
      },
      sent: { type: 'final' },
      recalled: { type: 'final' },
    },
  });

export const orderChart = orderChartOf();

/** A workflow that asks a person `Send ORDER?` (`approval`), and then waits for the event `parcel.sent`. */
export const orderWorkflow = workflow(orderChart, {
  input: z.strictObject({ order: z.string() }),
  events: { 'parcel.sent': z.strictObject({ type: z.literal('parcel.sent'), note: z.string().optional() }) },
});
