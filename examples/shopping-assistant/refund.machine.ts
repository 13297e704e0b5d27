import type { DemoShop } from 'detent/shop';
import { ask, step, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';
import { z } from 'zod';

const Claim = z.object({
  orderId: z.string(),
  customerId: z.string(),
  /** For people: `168.00 CNY`. */
  amount: z.string(),
  reason: z.string(),
  /** What comes back, and where the money goes. */
  itemIds: z.array(z.string()),
  methodId: z.string(),
});
export type Claim = z.infer<typeof Claim>;

export type RefundOutcome = 'refunded' | 'refused' | 'expired' | 'failed';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'it failed');

/**
 * A refund that a person of the shop approves. When nobody decides in time it lapses: nothing is paid, the order stays as it is, and the
 * customer is told so and may ask again.
 */
export function refundWorkflow(shop: DemoShop, deadlineMs: number) {
  const chart = setup({
    types: {
      input: {} as Claim,
      context: {} as Claim & { why: string },
      output: {} as { outcome: RefundOutcome; why: string },
    },
    actors: {
      approve: ask({
        question: ({ orderId, amount, reason }: Claim) =>
          `Refund ${amount} for order ${orderId}? The customer says: ${reason}`,
        expiresMs: deadlineMs * 2,
      }),
      pay: step({
        // The shop knows the key: after a crash it answers as it did the first time.
        sideEffect: 'idempotent',
        retry: { attempts: 3, delayMs: 10_000 },
        async run({ orderId, customerId, itemIds, methodId }: Claim, { idempotencyKey: key, signal, runId }) {
          const principal = { tenantId: 1, userId: customerId, claims: {} };
          const write = { principal, sessionId: '', signal, key, runId, callId: '' };
          await shop.changeOrder({ action: 'return', orderId, itemIds, methodId }, customerId, write);
          return 'paid';
        },
      }),
    },
    guards: { isApproved: (_, { approved }: { approved: boolean }) => approved },
    actions: { noteWhy: assign((_, { why }: { why: string }) => ({ why })) },
    delays: { deadline: deadlineMs },
  }).createMachine({
    id: 'refund',
    version: '1',
    description: 'A refund that a person of the shop approves before the deadline.',
    context: ({ input }) => ({ ...input, why: '' }),
    output: ({ context, event }) => ({ outcome: event.output as RefundOutcome, why: context.why }),
    initial: 'approving',
    states: {
      approving: {
        invoke: {
          id: 'approve',
          src: 'approve',
          input: ({ context }) => context,
          onDone: [
            { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'paying' },
            {
              target: 'refused',
              actions: { type: 'noteWhy', params: ({ event }) => ({ why: event.output.reason ?? '' }) },
            },
          ],
          onError: 'expired',
        },
        after: { deadline: 'expired' },
      },
      paying: {
        invoke: {
          id: 'pay',
          src: 'pay',
          input: ({ context }) => context,
          onDone: 'refunded',
          onError: {
            target: 'failed',
            actions: { type: 'noteWhy', params: ({ event }) => ({ why: messageOf(event.error) }) },
          },
        },
      },
      refunded: { type: 'final', output: 'refunded' },
      refused: { type: 'final', output: 'refused' },
      expired: { type: 'final', output: 'expired' },
      failed: { type: 'final', output: 'failed' },
    },
  });
  return workflow(chart, { input: Claim });
}
