import type { Tool } from '../../protocol/tool.ts';
import * as z from '../../text/schema-kinds.ts';
import type { Order } from '../models.ts';
import { deny } from '../rules/denied.ts';
import { noSuchOrder } from '../rules/order-rules.ts';
import type { ShopCall } from '../shop-api.ts';
import { identify, identityFields } from './identity.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';
import { orderLine, orderText } from './words.ts';

const maxOrders = 30;

const parameters = z.strictObject({
  orderId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Such as #W1234567; default: all orders of the customer'),
  ...identityFields,
});

/** `order_query`: orders of the customer of this conversation, and of nobody else. */
export function orderQueryTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'order_query',
    description:
      'Shows an order of the customer, or lists their orders. A guest must be identified: by customer_lookup before, or ' +
      'by e-mail or name and zip here.',
    parameters,
    sideEffect: 'readonly',
    async answer({ orderId, ...identity }, call) {
      const customer = await identify(parts, identity, call);
      if (orderId !== undefined) {
        const order = await ownOrder(parts, orderId, customer.id, call);
        return { text: orderText(order), data: { order } };
      }
      const all = await parts.api.orders(customer.id, call);
      const orders = all.filter(({ customerId }) => customerId === customer.id).slice(0, maxOrders);
      const text = orders.map(orderLine).join('\n') || 'The customer has no orders.';
      return { text, data: { orders, total: all.length } };
    },
  });
}

/** @throws ShopDenied `NOT_FOUND`: also for an order of another customer. */
export async function ownOrder(
  { api }: ShopParts,
  orderId: string,
  customerId: string,
  call: ShopCall,
): Promise<Order> {
  const order =
    (await api.order(orderId, call)) ??
    (orderId.startsWith('#') ? null : await api.order(`#${orderId}`, call));
  return order?.customerId === customerId ? order : deny('NOT_FOUND', noSuchOrder(orderId));
}
