import * as z from 'zod/mini';
import { DetentError } from '../../protocol/error.ts';
import {
  address,
  type Coupon,
  type Customer,
  id,
  type Order,
  orderStatuses,
  type Product,
  name as text,
} from '../models.ts';
import { digitsOf, type Money, moneyOf, sumOf } from '../money.ts';

/** A whole shop, as it is imported. */
interface ShopData {
  currency: string;
  products: Product[];
  customers: Customer[];
  orders: Order[];
  coupons: Coupon[];
}

/** The digits of the file: {@link digits} keeps them. */
const amount = z.string('expected an amount');
const options = z.record(z.string(), z.string());

const variant = z.strictObject({
  item_id: id,
  options,
  available: z.boolean(),
  price: amount,
  stock: z.nullish(z.int().check(z.gte(0))),
});

const product = z.strictObject({
  product_id: id,
  name: text,
  variants: z.record(z.string(), variant),
  category: z.nullish(z.string()),
  rating: z.nullish(z.number().check(z.gte(0), z.lte(5))),
  sales: z.nullish(z.int().check(z.gte(0))),
  words: z.nullish(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(50))),
});

const method = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('credit_card'), id, brand: z.string(), last_four: z.string() }),
  z.strictObject({ source: z.literal('gift_card'), id, balance: amount }),
  z.strictObject({ source: z.literal('paypal'), id }),
]);

const user = z.strictObject({
  user_id: id,
  name: z.strictObject({ first_name: text, last_name: text }),
  address,
  email: z.string().check(z.maxLength(320)),
  payment_methods: z.record(z.string(), method),
  orders: z.array(id),
});

const order = z.strictObject({
  order_id: id,
  user_id: id,
  address: z.nullish(address),
  items: z.array(z.strictObject({ name: text, product_id: id, item_id: id, price: amount, options })),
  status: z.enum([...orderStatuses, 'pending (item modified)']),
  fulfillments: z.array(z.strictObject({ tracking_id: z.array(z.string()), item_ids: z.array(id) })),
  payment_history: z.array(
    z.strictObject({ transaction_type: z.enum(['payment', 'refund']), amount, payment_method_id: id }),
  ),
  ordered_at: z.nullish(z.string()),
  cancel_reason: z.nullish(z.string()),
  return_items: z.nullish(z.array(id)),
  return_payment_method_id: z.nullish(id),
  exchange_items: z.nullish(z.array(id)),
  exchange_new_items: z.nullish(z.array(id)),
  exchange_payment_method_id: z.nullish(id),
  exchange_price_difference: z.nullish(amount),
});

const coupon = z.strictObject({
  code: z.string().check(z.minLength(1), z.maxLength(50)),
  percent: z.nullish(z.int().check(z.gte(1), z.lte(100))),
  amount: z.nullish(amount),
  minimum: z.nullish(amount),
  valid_until: z.nullish(z.string()),
});

const shop = z.strictObject({
  products: z.record(z.string(), product),
  orders: z.record(z.string(), order),
  users: z.record(z.string(), user),
  coupons: z.nullish(z.array(coupon)),
});

const amounts = new Set(['price', 'amount', 'balance', 'minimum', 'exchange_price_difference']);

/**
 * Reads a shop of the shape of the tau2-bench retail domain: `products`, `orders` and `users` by id, and, of our own, `coupons`,
 * `stock`, `category`, `rating`, `sales` and `words`.
 *
 * @throws DetentError `INVALID_SHOP`, with up to 20 problems, each with its path.
 */
export function readShop(json: string, currency: string): ShopData {
  const parsed = shop.safeParse(parsedJson(json));
  if (!parsed.success)
    throw invalid(
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
    );
  const problems: string[] = [];
  const read = parsed.data;
  const wrongIds = (part: string, ids: Iterable<[string, string]>) => {
    for (const [key, id] of ids)
      if (key !== id)
        problems.push(`${part}.${key}: its id is ${JSON.stringify(id)}, but must be the same as its key`);
  };
  wrongIds(
    'products',
    Object.entries(read.products).map(([key, it]) => [key, it.product_id]),
  );
  wrongIds(
    'orders',
    Object.entries(read.orders).map(([key, it]) => [key, it.order_id]),
  );
  wrongIds(
    'users',
    Object.entries(read.users).map(([key, it]) => [key, it.user_id]),
  );
  const known = new Map<string, string>();
  for (const { product_id, variants } of Object.values(read.products)) {
    wrongIds(
      `products.${product_id}.variants`,
      Object.entries(variants).map(([key, it]) => [key, it.item_id]),
    );
    for (const item of Object.keys(variants)) {
      const other = known.get(item);
      if (other !== undefined)
        problems.push(`products.${product_id}.variants.${item}: ${other} has that item, too`);
      known.set(item, product_id);
    }
  }
  for (const it of Object.values(read.orders))
    if (!Object.hasOwn(read.users, it.user_id))
      problems.push(`orders.${it.order_id}.user_id: there is no user ${JSON.stringify(it.user_id)}`);
  const places = digitsOf(currency);
  const amountAt = (path: string, digits: string): Money => {
    try {
      const made = moneyOf(withoutNoise(digits, places), currency);
      if (made.minor < 0 && !path.endsWith('_difference')) problems.push(`${path}: it is negative`);
      return made;
    } catch (error) {
      problems.push(`${path}: ${DetentError.is(error) ? error.message : String(error)}`);
      return { minor: 0, currency };
    }
  };
  const data: ShopData = {
    currency,
    products: Object.values(read.products).map((it) => productOf(it, amountAt)),
    customers: Object.values(read.users).map((it) => customerOf(it, amountAt)),
    orders: Object.values(read.orders).map((it) => orderOf(it, currency, amountAt)),
    coupons: (read.coupons ?? []).map(({ code, percent, amount, minimum, valid_until }) => ({
      code,
      ...(percent && { percent }),
      ...(amount && { amount: amountAt(`coupons.${code}.amount`, amount) }),
      ...(minimum && { minimum: amountAt(`coupons.${code}.minimum`, minimum) }),
      ...(valid_until && { validUntil: valid_until }),
    })),
  };
  if (problems.length > 0) throw invalid(problems);
  return data;
}

type AmountAt = (path: string, digits: string) => Money;

function productOf(it: z.infer<typeof product>, amountAt: AmountAt): Product {
  return {
    id: it.product_id,
    name: it.name,
    category: it.category ?? null,
    rating: it.rating ?? null,
    sales: it.sales ?? null,
    words: it.words ?? [],
    variants: Object.values(it.variants).map(({ item_id, options, price, available, stock }) => ({
      id: item_id,
      options,
      price: amountAt(`products.${it.product_id}.variants.${item_id}.price`, price),
      isAvailable: available && stock !== 0,
      stock: stock ?? null,
    })),
  };
}

function customerOf(it: z.infer<typeof user>, amountAt: AmountAt): Customer {
  return {
    id: it.user_id,
    firstName: it.name.first_name,
    lastName: it.name.last_name,
    email: it.email,
    address: it.address,
    paymentMethods: Object.values(it.payment_methods).map((method) => {
      const { id, source: kind } = method;
      if (method.source === 'credit_card')
        return { id, kind, brand: method.brand, lastFour: method.last_four };
      if (method.source === 'paypal') return { id, kind };
      const path = `users.${it.user_id}.payment_methods.${id}.balance`;
      return { id, kind, balance: amountAt(path, method.balance) };
    }),
    orderIds: it.orders,
  };
}

function orderOf(it: z.infer<typeof order>, currency: string, amountAt: AmountAt): Order {
  const at = `orders.${it.order_id}`;
  const items = it.items.map(({ name, product_id, item_id, price, options }, n) => ({
    productId: product_id,
    itemId: item_id,
    name,
    options,
    price: amountAt(`${at}.items.${n}.price`, price),
  }));
  return {
    id: it.order_id,
    customerId: it.user_id,
    status: it.status === 'pending (item modified)' ? 'pending (items modifed)' : it.status,
    items,
    total: sumOf(
      items.map(({ price }) => price),
      currency,
    ),
    orderedAt: it.ordered_at ?? null,
    address: it.address ?? null,
    payments: it.payment_history.map(({ transaction_type: kind, amount, payment_method_id }, n) => ({
      kind,
      amount: amountAt(`${at}.payment_history.${n}.amount`, amount),
      methodId: payment_method_id,
    })),
    fulfillments: it.fulfillments.map(({ tracking_id, item_ids }) => ({
      trackingIds: tracking_id,
      itemIds: item_ids,
    })),
    ...(it.cancel_reason && { cancelReason: it.cancel_reason }),
    ...(it.return_items &&
      it.return_payment_method_id && {
        returned: { itemIds: it.return_items, methodId: it.return_payment_method_id },
      }),
    ...(it.exchange_items &&
      it.exchange_new_items &&
      it.exchange_payment_method_id && {
        exchanged: {
          itemIds: it.exchange_items,
          newItemIds: it.exchange_new_items,
          methodId: it.exchange_payment_method_id,
          difference: amountAt(`${at}.exchange_price_difference`, it.exchange_price_difference ?? '0'),
        },
      }),
  };
}

/** `1131.1000000000001` is what adding floating-point numbers makes of 1131.10: such files exist. */
function withoutNoise(digits: string, places: number): string {
  const [, fraction = ''] = digits.split('.');
  const isNoise = /^(?:0{6,}|9{6,})\d{1,3}$/.test(fraction.slice(places));
  return isNoise ? Number(digits).toFixed(places) : digits;
}

function parsedJson(json: string): unknown {
  try {
    // The digits of an amount, as they are written: a number may not be the decimal that it was read from.
    return JSON.parse(json.replace(/^\ufeff/, ''), (key, value, context?: { source?: string }) =>
      amounts.has(key) && typeof value === 'number' ? (context?.source ?? String(value)) : value,
    );
  } catch (error) {
    throw invalid([`the file is not JSON: ${error instanceof Error ? error.message : error}`]);
  }
}

const maxProblems = 20;

function invalid(problems: readonly string[]): DetentError {
  const more = problems.length > maxProblems ? `; and ${problems.length - maxProblems} more` : '';
  return new DetentError(
    'INVALID_SHOP',
    `this is not a shop: ${problems.slice(0, maxProblems).join('; ')}${more}`,
    { details: { problems: problems.slice(0, maxProblems) } },
  );
}
