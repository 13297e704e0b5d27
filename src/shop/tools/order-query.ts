import { type ArgumentsOf, ownArguments, type Tool } from '../../protocol/tool.ts';
import { fields } from '../fields.ts';
import type { Order } from '../models.ts';
import { moneyText } from '../money.ts';
import { deny } from '../rules/denied.ts';
import { noSuchOrder } from '../rules/order-rules.ts';
import { callerOf, type ShopCall } from '../shop-api.ts';
import { identify, identityFields } from './identity.ts';
import { named, offers, type ShopParts, shopTool } from './shop-tool.ts';
import { orderText } from './words.ts';

const maxOrders = 30;

const which = {
  orderId: {
    ...fields.id,
    description: 'Such as #W1234567; default: all orders of the customer',
  },
} as const;
const parameters = ownArguments({}, { ...which, ...identityFields });

/** `order_query`: orders of the customer of this conversation, and of nobody else. */
export function orderQueryTool(parts: ShopParts): Tool {
  const findsCustomers = offers(parts, 'findCustomer');
  return shopTool<ArgumentsOf<typeof parameters>>(parts, {
    name: 'order_query',
    description: `Shows an order of the customer, or lists their orders.${findsCustomers ? ' A guest must be identified: by customer_lookup before, or by e-mail or name and zip here.' : ''}`,
    parameters: findsCustomers ? parameters : ownArguments({}, which),
    sideEffect: 'readonly',
    async answer({ orderId, ...identity }, call) {
      const customer = findsCustomers ? (await identify(parts, identity, call)).id : callerOf(call);
      if (orderId !== undefined) {
        const order = await ownOrder(parts, orderId, customer, call);
        return { text: orderText(order), data: { order } };
      }
      const all = await parts.api.orders(customer, call);
      const orders = all.filter(({ customerId }) => customerId === customer).slice(0, maxOrders);
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

/** One line, for lists. */
function orderLine({ id, status, total, items }: Order): string {
  return `${id}: ${status}, ${moneyText(total)}, ${items.map(({ name }) => named(name)).join(', ')}`;
}
