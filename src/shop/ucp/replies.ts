import { oneLine } from '../../text/wording.ts';
import { checked } from '../http/exchange.ts';
import { type Cart, cart, type Order, order, type Product, product, type Variant } from '../models.ts';
import type { CartReply, OrderReply, ProductReply, VariantReply } from './wire.ts';

/** What the protocol answers, as the models of a shop have it. */
export function cartOf(reply: CartReply, differences: readonly string[] = []): Cart {
  const { currency, line_items, totals, discounts, messages = [] } = reply;
  const money = (minor: number) => ({ minor, currency });
  const sum = (...types: string[]) =>
    totals.reduce((sum, { type, amount }) => (types.includes(type) ? sum + amount : sum), 0);
  const notes = [...differences, ...messages.map(({ content }) => oneLine(content, 300))];
  return checked('cart', cart, {
    lines: line_items.map(({ item, quantity, totals }) => ({
      itemId: item.id,
      // An item is found by its own id, too: the protocol does not say of which product it is.
      productId: item.id,
      name: item.title,
      options: {},
      quantity,
      price: money(item.price),
      total: money(totals.find(({ type }) => type === 'total')?.amount ?? item.price * quantity),
    })),
    coupon: discounts?.applied?.find(({ code }) => code !== undefined)?.code ?? null,
    subtotal: money(sum('subtotal')),
    discount: money(Math.abs(sum('discount', 'items_discount'))),
    total: money(sum('total')),
    ...(notes.length > 0 && { notes }),
  });
}

export function productOf({ id, title, brand, tags, categories, rating, variants }: ProductReply): Product {
  const category = categories?.find(({ taxonomy }) => taxonomy === 'merchant') ?? categories?.[0];
  return checked('product', product, {
    id,
    name: title,
    category: category?.value ?? null,
    rating: rating ? fiveStars(rating) : null,
    sales: null,
    words: [...(brand === undefined ? [] : [brand]), ...(tags ?? [])],
    variants: variants.map(variantOf),
  });
}

function variantOf({ id, price, availability, selected_options = [] }: VariantReply): Variant {
  const { available, status = '' } = availability ?? {};
  return {
    id,
    options: Object.fromEntries(selected_options.map(({ name, label }) => [name, label])),
    price: { minor: price.amount, currency: price.currency },
    isAvailable: available ?? !['out_of_stock', 'discontinued'].includes(status),
    stock: null,
  };
}

function fiveStars({ value, scale_max, scale_min = 0 }: NonNullable<ProductReply['rating']>): number | null {
  const share = (value - scale_min) / (scale_max - scale_min);
  return Number.isFinite(share) ? Math.min(5, Math.max(0, Math.round(share * 50) / 10)) : null;
}

export function orderOf(reply: OrderReply, customerId: string): Order {
  const { id, line_items, totals, currency, fulfillment } = reply;
  const itemIds = new Map(line_items.map(({ id, item }) => [id, item.id]));
  return checked('order', order, {
    id,
    customerId,
    status: statusOf(reply),
    items: line_items.flatMap(({ item, quantity }) =>
      Array.from({ length: Math.min(quantity.total, 1_000) }, () => ({
        productId: item.id,
        itemId: item.id,
        name: item.title,
        options: {},
        price: { minor: item.price, currency },
      })),
    ),
    total: { minor: totals.find(({ type }) => type === 'total')?.amount ?? 0, currency },
    orderedAt: null,
    address: null,
    payments: [],
    fulfillments: (fulfillment.events ?? []).map(({ tracking_number, line_items }) => ({
      trackingIds: tracking_number === undefined ? [] : [tracking_number],
      itemIds: line_items.flatMap(({ id }) => itemIds.get(id) ?? []),
    })),
  });
}

/** Only what its events call delivered is: "fulfilled" may still be on its way. */
function statusOf({ line_items, fulfillment }: OrderReply): Order['status'] {
  const kept = line_items.filter(({ status }) => status !== 'removed');
  if (kept.length === 0) return 'cancelled';
  const latest = new Map<string, string>();
  const events = (fulfillment.events ?? []).toSorted((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1));
  for (const { type, line_items } of events) for (const { id } of line_items) latest.set(id, type);
  return kept.every(({ id, status }) => status === 'fulfilled' && latest.get(id) === 'delivered')
    ? 'delivered'
    : 'processed';
}
