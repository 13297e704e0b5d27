import * as z from 'zod/mini';
import { fields, textOf, textsOf } from './fields.ts';
import { money } from './money.ts';

export const id = textOf(fields.id);
export const name = textOf(fields.name);
const options = z.record(z.string(), z.string());

/** What a customer can buy: one choice of each option of a product. */
export const variant = z.strictObject({
  id,
  options,
  price: money,
  isAvailable: z.boolean(),
  /** How many are in stock; null if the shop does not count them. */
  stock: z.nullable(z.int().check(z.gte(0))),
});
export type Variant = z.infer<typeof variant>;

export const product = z.strictObject({
  id,
  name,
  category: z.nullable(z.string()),
  /** From 0 to 5. */
  rating: z.nullable(z.number().check(z.gte(0), z.lte(5))),
  /** Pieces sold. */
  sales: z.nullable(z.int().check(z.gte(0))),
  /** More words that people search for it by, such as its name in other languages. */
  words: z.array(z.string()),
  variants: z.array(variant),
});
export type Product = z.infer<typeof product>;

export const address = z.strictObject(textsOf(fields.address));
export type Address = z.infer<typeof address>;

/** `balance`: only of a gift card. `brand`, `lastFour`: only of a credit card. */
export const paymentMethod = z.strictObject({
  id,
  kind: z.enum(['credit_card', 'gift_card', 'paypal']),
  brand: z.optional(z.string()),
  lastFour: z.optional(z.string()),
  balance: z.optional(money),
});
export type PaymentMethod = z.infer<typeof paymentMethod>;

export const customer = z.strictObject({
  id,
  firstName: name,
  lastName: name,
  email: z.string().check(z.maxLength(320)),
  address,
  paymentMethods: z.array(paymentMethod),
  orderIds: z.array(id),
});
export type Customer = z.infer<typeof customer>;

/** `pending (items modifed)` is spelt as in the policy of the tau2 shop, whose data the demo shop reads. */
export const orderStatuses = [
  'pending',
  'pending (items modifed)',
  'processed',
  'delivered',
  'cancelled',
  'return requested',
  'exchange requested',
] as const;

export const orderItem = z.strictObject({ productId: id, itemId: id, name, options, price: money });
export type OrderItem = z.infer<typeof orderItem>;

export const payment = z.strictObject({
  kind: z.enum(['payment', 'refund']),
  amount: money,
  methodId: id,
});
export type Payment = z.infer<typeof payment>;

export const cancelReasons = ['no longer needed', 'ordered by mistake'] as const;

export const order = z.strictObject({
  id,
  customerId: id,
  status: z.enum(orderStatuses),
  items: z.array(orderItem),
  total: money,
  /** ISO 8601; null if the shop does not say. */
  orderedAt: z.nullable(z.string()),
  /** Null if the shop does not say. */
  address: z.nullable(address),
  payments: z.array(payment),
  fulfillments: z.array(z.strictObject({ trackingIds: z.array(z.string()), itemIds: z.array(id) })),
  cancelReason: z.optional(z.string()),
  returned: z.optional(z.strictObject({ itemIds: z.array(id), methodId: id })),
  exchanged: z.optional(
    z.strictObject({ itemIds: z.array(id), newItemIds: z.array(id), methodId: id, difference: money }),
  ),
});
export type Order = z.infer<typeof order>;

export const coupon = z.strictObject({
  code: z.string().check(z.minLength(1), z.maxLength(50)),
  /** Whole percent off; or an amount. */
  percent: z.optional(z.int().check(z.gte(1), z.lte(100))),
  amount: z.optional(money),
  minimum: z.optional(money),
  /** ISO 8601. */
  validUntil: z.optional(z.string()),
});
export type Coupon = z.infer<typeof coupon>;

export const cartLine = z.strictObject({
  itemId: id,
  productId: id,
  name,
  options,
  quantity: z.int().check(z.gte(1)),
  price: money,
  total: money,
});

export const cart = z.strictObject({
  lines: z.array(cartLine),
  coupon: z.nullable(z.string()),
  subtotal: money,
  discount: money,
  total: money,
  /** Notes of the shop: that pieces are missing, that it expires. */
  notes: z.optional(z.array(z.string().check(z.maxLength(500))).check(z.maxLength(50))),
});
export type Cart = z.infer<typeof cart>;

export const checkout = z.strictObject({ id, url: z.string(), cart });
export type Checkout = z.infer<typeof checkout>;

/** A search for products. Each field narrows it; `options` ignore case. */
export interface ProductQuery {
  words?: string | undefined;
  productId?: string | undefined;
  options?: Readonly<Record<string, string>> | undefined;
  isAvailable?: boolean | undefined;
  minPrice?: z.infer<typeof money> | undefined;
  maxPrice?: z.infer<typeof money> | undefined;
  minRating?: number | undefined;
  category?: string | undefined;
  sort: ProductSort;
  /** From 1. */
  page: number;
  pageSize: number;
}

export const productSorts = ['relevance', 'price', 'price_descending', 'rating', 'sales'] as const;
export type ProductSort = (typeof productSorts)[number];

/** A variant with the fields of its product. */
export const foundItem = z.strictObject({
  productId: id,
  name,
  category: z.nullable(z.string()),
  rating: z.nullable(z.number()),
  sales: z.nullable(z.int()),
  variant,
});
export type FoundItem = z.infer<typeof foundItem>;

export const productPage = z.strictObject({ items: z.array(foundItem), total: z.int().check(z.gte(0)) });
export type ProductPage = z.infer<typeof productPage>;

const quantity = z.int().check(z.gte(fields.quantity.minimum), z.lte(fields.quantity.maximum));

export const cartChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('add'), itemId: id, quantity }),
  z.strictObject({ action: z.literal('change'), itemId: id, quantity }),
  z.strictObject({ action: z.literal('remove'), itemId: id }),
  z.strictObject({ action: z.literal('clear') }),
  z.strictObject({
    action: z.literal('coupon'),
    code: z.nullable(z.string().check(z.minLength(1), z.maxLength(50))),
  }),
]);
export type CartChange = z.infer<typeof cartChange>;

const itemIds = z.array(id).check(z.minLength(fields.ids.minItems), z.maxLength(fields.ids.maxItems));

export const orderChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('cancel'), orderId: id, reason: z.enum(cancelReasons) }),
  z.strictObject({ action: z.literal('address'), orderId: id, address }),
  z.strictObject({ action: z.literal('payment'), orderId: id, methodId: id }),
  z.strictObject({ action: z.literal('items'), orderId: id, itemIds, newItemIds: itemIds, methodId: id }),
  z.strictObject({ action: z.literal('return'), orderId: id, itemIds, methodId: id }),
  z.strictObject({ action: z.literal('exchange'), orderId: id, itemIds, newItemIds: itemIds, methodId: id }),
]);
export type OrderChange = z.infer<typeof orderChange>;
