import { type Detent, defineTool, ToolFailure } from 'detent';
import type { Scheduler } from 'detent/schedule';
import type { DemoShop } from 'detent/shop';
import { z } from 'zod';

/** What the tools work with. It is there before the first call: the tools are named before Detent is made. */
export interface ToolParts {
  shop: DemoShop;
  deadlineMs: number;
  watchEvery: string;
  /** Where the shop hears what its jobs saw. */
  hook: string;
  detent(): Detent;
  scheduler(): Scheduler;
}

/** Tools of this shop, beside those of `detent/shop`. */
export function ownTools(parts: ToolParts) {
  return [refundTool(parts), watchTool(parts)];
}

function refundTool({ shop, deadlineMs, detent }: ToolParts) {
  return defineTool({
    name: 'request_refund',
    description:
      'Asks the shop to pay a delivered order back. A person of the shop decides; the customer sees on their screen what becomes of it. ' +
      'Only for a customer who is logged in.',
    parameters: z.strictObject({ orderId: z.string().max(40), reason: z.string().min(1).max(300) }),
    sideEffect: 'idempotent',
    confirm: 'user',
    async run({ orderId, reason }, { principal, sessionId, signal, idempotencyKey }) {
      const { userId } = principal;
      const id = orderId.startsWith('#') ? orderId : `#${orderId}`;
      const order = await shop.order(id, { principal, sessionId, signal });
      // The same words for an order of someone else and for one that does not exist.
      if (userId === null || order?.customerId !== userId)
        throw new ToolFailure('NOT_FOUND', 'the customer who is logged in has no such order');
      const paid = order.payments.find(({ kind }) => kind === 'payment');
      if (order.status !== 'delivered' || paid === undefined)
        throw new ToolFailure(
          'NOT_DELIVERED',
          `order ${id} is ${order.status}: only delivered orders are paid back`,
        );
      const claim = {
        orderId: id,
        customerId: userId,
        amount: `${(order.total.minor / 100).toFixed(2)} ${order.total.currency}`,
        reason,
        itemIds: order.items.map(({ itemId }) => itemId),
        methodId: paid.methodId,
      };
      const runId = await detent().workflows.start('refund', claim, { idempotencyKey, principal: { userId } })
        .started;
      const until = Date.now() + deadlineMs;
      return {
        content: [
          {
            type: 'text',
            text:
              `A person of the shop decides until ${new Date(until).toISOString()}. If nobody decides by then, nothing is paid ` +
              'back, the order stays as it is, and the customer may ask again. Tell the customer all of this.',
          },
        ],
        structuredContent: { refund: { runId, orderId: id, total: { ...order.total }, until } },
      };
    },
  });
}

function watchTool({ shop, watchEvery, hook, scheduler }: ToolParts) {
  return defineTool({
    name: 'watch_price',
    description: 'Watches the price of an item, and tells the customer when it is at most `below`.',
    parameters: z.strictObject({ itemId: z.string().max(200), below: z.number().positive().max(1e7) }),
    sideEffect: 'idempotent',
    confirm: 'user',
    async run({ itemId, below }, { principal, sessionId, signal }) {
      const { userId } = principal;
      const product = await shop.product(itemId, { principal, sessionId, signal });
      const found = product?.variants.find(({ id }) => id === itemId);
      if (userId === null || !product || !found)
        throw new ToolFailure('NOT_FOUND', `the shop has no item ${itemId}`);
      const limit = { minor: Math.round(below * 100), currency: found.price.currency };
      const job = {
        every: watchEvery,
        workflow: 'price',
        input: { itemId, below: limit.minor },
        delivery: { kind: 'webhook' as const, url: hook, secretEnv: 'SHOP_HOOK_SECRET' },
        keep: 5,
      };
      const jobId = `${userId}:price:${itemId}`;
      const isThere = (await scheduler().list({ userId, limit: 100 })).some((one) => one.jobId === jobId);
      if (isThere) await scheduler().update(jobId, job, { userId });
      else await scheduler().add({ jobId, ...job }, { userId });
      return {
        content: [{ type: 'text', text: `Watching ${product.name} (${itemId}) every ${watchEvery}.` }],
        structuredContent: { watch: { itemId, name: product.name, below: limit } },
      };
    },
  });
}
