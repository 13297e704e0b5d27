import type { Customer, Order } from '../../src/shop/models.ts';
import type { Money } from '../../src/shop/money.ts';
import type { OpenShop } from '../../src/shop/open-shop.ts';
import { toolContext } from '../tools/helpers.ts';
import type { Json } from './interpreter.ts';

/** An action of the tau2 shop as a call of our tools; null for what has no tool of the shop, such as calculating. */
export function mapped(name: string, args: Json): { tool: string; args: object } | null {
  const {
    order_id: orderId,
    item_ids: itemIds,
    new_item_ids: newItemIds,
    payment_method_id: paymentMethodId,
  } = args;
  const change = (action: string, more: object) => ({
    tool: 'order_change',
    args: { action, orderId, ...more },
  });
  const { address1, address2, city, country, state, zip } = args;
  const address = { address1, address2, city, country, state, zip };
  switch (name) {
    case 'find_user_id_by_email':
      return { tool: 'customer_lookup', args: { email: args.email } };
    case 'find_user_id_by_name_zip':
      return { tool: 'customer_lookup', args: { firstName: args.first_name, lastName: args.last_name, zip } };
    case 'get_user_details':
      return { tool: 'customer_lookup', args: {} };
    case 'get_order_details':
      return { tool: 'order_query', args: { orderId } };
    case 'get_product_details':
      return { tool: 'product_get', args: { id: args.product_id } };
    case 'modify_user_address':
      return { tool: 'order_change', args: { action: 'default_address', address } };
    case 'cancel_pending_order':
      return change('cancel', { reason: args.reason });
    case 'modify_pending_order_address':
      return change('address', { address });
    case 'modify_pending_order_payment':
      return change('payment', { paymentMethodId });
    case 'modify_pending_order_items':
      return change('items', { itemIds, newItemIds, paymentMethodId });
    case 'return_delivered_order_items':
      return change('return', { itemIds, paymentMethodId });
    case 'exchange_delivered_order_items':
      return change('exchange', { itemIds, newItemIds, paymentMethodId });
    default:
      return null;
  }
}

const amountOf = ({ minor, currency }: Money) => minor / 10 ** (digits[currency] ?? 2);
const digits: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

/** What the shop has of the orders and users of a fixture, in its shape. */
export async function contentOf({ api }: OpenShop, { orders, users, products }: Json): Promise<Json> {
  const { principal, sessionId, signal } = toolContext();
  const call = { principal, sessionId, signal };
  const content: Json = { products: {}, orders: {}, users: {} };
  for (const id of Object.keys(orders)) content.orders[id] = orderOf((await api.order(id, call)) as Order);
  for (const customerId of Object.keys(users))
    content.users[customerId] = userOf((await api.findCustomer({ by: 'id', customerId }, call)) as Customer);
  for (const id of Object.keys(products)) {
    const product = await api.product(id, call);
    const variants = product?.variants.map((it) => [
      it.id,
      { item_id: it.id, options: it.options, available: it.isAvailable, price: amountOf(it.price) },
    ]);
    content.products[id] = {
      name: product?.name,
      product_id: id,
      variants: Object.fromEntries(variants ?? []),
    };
  }
  return content;
}

function orderOf(it: Order): Json {
  return {
    order_id: it.id,
    user_id: it.customerId,
    address: it.address,
    items: it.items.map(({ name, productId, itemId, price, options }) => ({
      name,
      product_id: productId,
      item_id: itemId,
      price: amountOf(price),
      options,
    })),
    status: it.status,
    fulfillments: it.fulfillments.map(({ trackingIds, itemIds }) => ({
      tracking_id: trackingIds,
      item_ids: itemIds,
    })),
    payment_history: it.payments.map(({ kind, amount, methodId }) => ({
      transaction_type: kind,
      amount: amountOf(amount),
      payment_method_id: methodId,
    })),
    ...(it.cancelReason && { cancel_reason: it.cancelReason }),
    ...(it.returned && { return_items: it.returned.itemIds, return_payment_method_id: it.returned.methodId }),
    ...(it.exchanged && {
      exchange_items: it.exchanged.itemIds,
      exchange_new_items: it.exchanged.newItemIds,
      exchange_payment_method_id: it.exchanged.methodId,
      exchange_price_difference: amountOf(it.exchanged.difference),
    }),
  };
}

function userOf(it: Customer): Json {
  return {
    user_id: it.id,
    name: { first_name: it.firstName, last_name: it.lastName },
    address: it.address,
    email: it.email,
    payment_methods: Object.fromEntries(
      it.paymentMethods.map(({ id, kind, brand, lastFour, balance }) => [
        id,
        {
          source: kind,
          id,
          ...(brand && { brand, last_four: lastFour }),
          ...(balance && { balance: amountOf(balance) }),
        },
      ]),
    ),
    orders: it.orderIds,
  };
}
