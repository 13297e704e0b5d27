import {
  type Address,
  type Customer,
  cancelReasons,
  type Order,
  type OrderChange,
  type OrderItem,
  type Payment,
  type PaymentMethod,
  type Product,
  type Variant,
} from '../models.ts';
import { type Money, minus, moneyText, plus, sumOf } from '../money.ts';
import { deny } from './denied.ts';

/** What a change makes of an order, and of what belongs to it. */
interface OrderPlan {
  order: Order;
  /** By gift card: what is added to its balance. */
  balances: ReadonlyMap<string, Money>;
  /** By item: pieces that come back to the shelves, or are taken from them when negative. */
  stock: ReadonlyMap<string, number>;
  /** What the change is about, in money: the whole order, or the price difference. */
  amount: Money;
}

/** What the rules look at. */
interface OrderFacts {
  order: Order;
  customer: Customer;
  /** The products of the items that are asked for. */
  products: readonly Product[];
}

/**
 * The rules for changes of orders, for every shop: what a change makes of the order.
 *
 * @throws ShopDenied `NOT_FOUND` for an order of someone else, and a code for each other rule.
 */
export function planOrderChange(change: OrderChange, facts: OrderFacts): OrderPlan {
  const { order, customer } = facts;
  if (order.customerId !== customer.id) return deny('NOT_FOUND', noSuchOrder(change.orderId));
  switch (change.action) {
    case 'cancel':
      return cancelled(order, customer, change.reason);
    case 'address':
      return moved(order, change.address);
    case 'payment':
      return paidOtherwise(order, customer, change.methodId);
    case 'items':
      return withOtherItems(change, facts);
    case 'return':
      return returned(change, order, customer);
    case 'exchange':
      return exchanged(change, facts);
  }
}

/** The same words for an order of another customer and for one that there is not. */
export function noSuchOrder(orderId: string): string {
  return `the customer has no order ${JSON.stringify(orderId)}`;
}

function cancelled(order: Order, customer: Customer, reason: string): OrderPlan {
  requirePending(order);
  if (!(cancelReasons as readonly string[]).includes(reason))
    deny('REASON_NOT_ACCEPTED', `the reason must be ${cancelReasons.map((it) => `"${it}"`).join(' or ')}`);
  const refunds = [...paidBy(order)].map(
    ([methodId, amount]): Payment => ({ kind: 'refund', amount, methodId }),
  );
  return {
    order: {
      ...order,
      status: 'cancelled',
      cancelReason: reason,
      payments: [...order.payments, ...refunds],
    },
    balances: ofGiftCards(
      customer,
      refunds.map(({ methodId, amount }) => [methodId, amount]),
    ),
    stock: countsOf(order.items.map(({ itemId }) => itemId)),
    amount: order.total,
  };
}

function moved(order: Order, address: Address): OrderPlan {
  requirePending(order);
  return {
    order: { ...order, address },
    balances: new Map(),
    stock: new Map(),
    amount: { ...order.total, minor: 0 },
  };
}

function paidOtherwise(order: Order, customer: Customer, methodId: string): OrderPlan {
  requirePending(order);
  const [paid, ...others] = order.payments;
  if (paid === undefined || paid.kind !== 'payment' || others.length > 0)
    return deny(
      'PAYMENT_ALREADY_CHANGED',
      'the payment of this order has changed before, or is not one payment',
    );
  const method = methodOf(customer, methodId);
  if (paid.methodId === methodId)
    deny('SAME_PAYMENT_METHOD', 'the new payment method must be another one than that of the order');
  requireBalance(method, paid.amount);
  const { amount } = paid;
  return {
    order: {
      ...order,
      payments: [
        ...order.payments,
        { kind: 'payment', amount, methodId },
        { kind: 'refund', amount, methodId: paid.methodId },
      ],
    },
    balances: ofGiftCards(customer, [
      [methodId, negative(amount)],
      [paid.methodId, amount],
    ]),
    stock: new Map(),
    amount,
  };
}

type Exchange = Extract<OrderChange, { action: 'items' | 'exchange' }>;

function withOtherItems(change: Exchange, facts: OrderFacts): OrderPlan {
  const { order, customer } = facts;
  requirePending(order);
  const { places, variants, difference } = replacements(change, facts);
  const method = methodOf(customer, change.methodId);
  requireBalance(method, difference);
  const items = order.items.map((item, at): OrderItem => {
    const to = variants[places.indexOf(at)];
    return to ? { ...item, itemId: to.id, options: to.options, price: to.price } : item;
  });
  const isMore = difference.minor > 0;
  const settled: Payment = {
    kind: isMore ? 'payment' : 'refund',
    amount: isMore ? difference : negative(difference),
    methodId: change.methodId,
  };
  return {
    order: {
      ...order,
      status: 'pending (items modifed)',
      items,
      total: plus(order.total, difference),
      payments: [...order.payments, settled],
    },
    balances: ofGiftCards(customer, [[change.methodId, negative(difference)]]),
    stock: countsOf(change.itemIds, change.newItemIds),
    amount: absolute(difference),
  };
}

function returned(
  change: Extract<OrderChange, { action: 'return' }>,
  order: Order,
  customer: Customer,
): OrderPlan {
  requireDelivered(order);
  const places = placesOf(order, change.itemIds);
  const method = methodOf(customer, change.methodId);
  if (method.kind !== 'gift_card' && order.payments[0]?.methodId !== change.methodId)
    deny('REFUND_METHOD', 'a refund goes to the original payment method, or to a gift card of the customer');
  return {
    order: {
      ...order,
      status: 'return requested',
      returned: { itemIds: change.itemIds.toSorted(), methodId: change.methodId },
    },
    balances: new Map(),
    stock: new Map(),
    amount: sumOf(
      places.flatMap((at) => order.items[at]?.price ?? []),
      order.total.currency,
    ),
  };
}

function exchanged(change: Exchange, facts: OrderFacts): OrderPlan {
  const { order, customer } = facts;
  requireDelivered(order);
  const { difference } = replacements(change, facts);
  requireBalance(methodOf(customer, change.methodId), difference);
  return {
    order: {
      ...order,
      status: 'exchange requested',
      exchanged: {
        itemIds: change.itemIds.toSorted(),
        newItemIds: change.newItemIds.toSorted(),
        methodId: change.methodId,
        difference,
      },
    },
    balances: new Map(),
    stock: countsOf([], change.newItemIds),
    amount: absolute(difference),
  };
}

/** Each item that is asked for, at its place in the order: an available other option of the same product. */
function replacements({ itemIds, newItemIds }: Exchange, { order, products }: OrderFacts) {
  if (itemIds.length !== newItemIds.length)
    deny(
      'ITEMS_DIFFER',
      `${itemIds.length} items cannot become ${newItemIds.length}: name one new item for each`,
    );
  const places = placesOf(order, itemIds);
  const variants = places.map((at, n): Variant => {
    const item = order.items[at] as OrderItem;
    const wanted = newItemIds[n] as string;
    const product = products.find(({ variants }) => variants.some(({ id }) => id === wanted));
    if (product?.id !== item.productId)
      return deny(
        'OTHER_PRODUCT',
        `${wanted} is not an item of the same product as ${item.itemId} (${item.productId})`,
      );
    if (wanted === item.itemId) deny('SAME_ITEM', `${wanted} is what was ordered: name another option`);
    const variant = product.variants.find(({ id }) => id === wanted) as Variant;
    const count = newItemIds.filter((id) => id === wanted).length;
    if (!variant.isAvailable || (variant.stock !== null && variant.stock < count))
      deny('NOT_AVAILABLE', `${wanted} is not available`);
    return variant;
  });
  const currency = order.total.currency;
  const before = sumOf(
    places.map((at) => (order.items[at] as OrderItem).price),
    currency,
  );
  const after = sumOf(
    variants.map(({ price }) => price),
    currency,
  );
  return { places, variants, difference: minus(after, before) };
}

/** The places of items in an order; an item that is named twice must be there twice. */
function placesOf(order: Order, itemIds: readonly string[]): number[] {
  const taken: number[] = [];
  for (const itemId of itemIds) {
    const at = order.items.findIndex((item, n) => item.itemId === itemId && !taken.includes(n));
    if (at < 0) deny('NOT_IN_ORDER', `${itemId} is not in the order ${order.id}, or not that often`);
    taken.push(at);
  }
  return taken;
}

function requirePending({ id, status }: Order): void {
  if (status === 'pending') return;
  if (status === 'pending (items modifed)')
    deny(
      'ALREADY_CHANGED',
      `the items of ${id} have changed once: it can be neither changed again nor cancelled`,
    );
  deny('NOT_PENDING', `${id} is ${status}: only pending orders can be cancelled or changed`);
}

function requireDelivered({ id, status }: Order): void {
  if (status === 'return requested' || status === 'exchange requested')
    deny('ALREADY_CHANGED', `${id} is ${status}: items of an order are returned or exchanged once`);
  if (status !== 'delivered')
    deny('NOT_DELIVERED', `${id} is ${status}: only delivered orders can be returned or exchanged`);
}

function methodOf({ paymentMethods }: Customer, methodId: string): PaymentMethod {
  const method = paymentMethods.find(({ id }) => id === methodId);
  return (
    method ??
    deny('NO_SUCH_PAYMENT_METHOD', `${JSON.stringify(methodId)} is not a payment method of the customer`)
  );
}

function requireBalance({ id, kind, balance }: PaymentMethod, amount: Money): void {
  if (kind !== 'gift_card' || amount.minor <= 0) return;
  if (balance === undefined || balance.currency !== amount.currency || balance.minor < amount.minor)
    deny('BALANCE_TOO_LOW', `the gift card ${id} must cover ${moneyText(amount)}`);
}

/** By payment method, what is paid and not refunded. */
function paidBy({ payments }: Order): Map<string, Money> {
  const paid = new Map<string, Money>();
  for (const { kind, amount, methodId } of payments) {
    const signed = kind === 'payment' ? amount : negative(amount);
    const before = paid.get(methodId);
    paid.set(methodId, before ? plus(before, signed) : signed);
  }
  return new Map([...paid].filter(([, { minor }]) => minor > 0));
}

function ofGiftCards({ paymentMethods }: Customer, changes: readonly [string, Money][]): Map<string, Money> {
  const cards = new Set(paymentMethods.flatMap(({ id, kind }) => (kind === 'gift_card' ? id : [])));
  return new Map(changes.filter(([id]) => cards.has(id)));
}

function countsOf(back: readonly string[], taken: readonly string[] = []): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of back) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const id of taken) counts.set(id, (counts.get(id) ?? 0) - 1);
  return counts;
}

const negative = ({ minor, currency }: Money): Money => ({ minor: minor === 0 ? 0 : -minor, currency });
const absolute = ({ minor, currency }: Money): Money => ({ minor: Math.abs(minor), currency });
