import type { Address, Cart, Customer, FoundItem, Order, PaymentMethod } from '../models.ts';
import { moneyText } from '../money.ts';
import { named } from './shop-tool.ts';

export function itemLine({ productId, name, rating, variant }: FoundItem): string {
  const { id, options, price, isAvailable, stock } = variant;
  const there = isAvailable ? (stock === null ? 'available' : `${stock} available`) : 'not available';
  return `${id} ${named(name)} (${optionsText(options)}) ${moneyText(price)}, ${there}${rating === null ? '' : `, rated ${rating}`} [product ${productId}]`;
}

export function orderText(order: Order): string {
  const { id, status, total, items, address, payments, fulfillments, cancelReason, returned, exchanged } =
    order;
  return [
    `${id}: ${status}, total ${moneyText(total)}${cancelReason ? ` (${named(cancelReason)})` : ''}`,
    ...items.map(
      (it) =>
        `- ${it.itemId} ${named(it.name)} (${optionsText(it.options)}) ${moneyText(it.price)} [product ${it.productId}]`,
    ),
    ...(address ? [`to ${addressText(address)}`] : []),
    ...payments.map(({ kind, amount, methodId }) => `${kind} ${moneyText(amount)} by ${methodId}`),
    ...fulfillments.map(({ trackingIds }) => `tracking ${trackingIds.map(named).join(', ')}`),
    ...(returned ? [`return of ${returned.itemIds.join(', ')}, refund to ${returned.methodId}`] : []),
    ...(exchanged
      ? [
          `exchange of ${exchanged.itemIds.join(', ')} for ${exchanged.newItemIds.join(', ')}, difference ${moneyText(exchanged.difference)} by ${exchanged.methodId}`,
        ]
      : []),
  ].join('\n');
}

export function customerText({
  id,
  firstName,
  lastName,
  email,
  address,
  paymentMethods,
  orderIds,
}: Customer): string {
  return [
    `${named(firstName)} ${named(lastName)} (${id}), ${named(email)}`,
    addressText(address),
    `payment methods: ${paymentMethods.map(methodText).join('; ') || 'none'}`,
    `orders: ${orderIds.join(', ') || 'none'}`,
  ].join('\n');
}

function methodText({ id, kind, brand, lastFour, balance }: PaymentMethod): string {
  if (balance) return `${id} (gift card, balance ${moneyText(balance)})`;
  return brand ? `${id} (${named(brand)} ending in ${named(lastFour ?? '')})` : `${id} (${kind})`;
}

export function cartText({ lines, coupon, subtotal, discount, total, notes = [] }: Cart): string {
  const said = notes.map((note) => `The shop says: ${named(note)}`);
  if (lines.length === 0) return ['The cart is empty.', ...said].join('\n');
  const of = discount.minor === 0 ? '' : ` (${moneyText(subtotal)} less ${moneyText(discount)} by ${coupon})`;
  return [
    ...lines.map(
      (it) =>
        `- ${it.quantity} × ${it.itemId} ${named(it.name)} (${optionsText(it.options)}) ${moneyText(it.price)} = ${moneyText(it.total)}`,
    ),
    `total ${moneyText(total)}${of}`,
    ...said,
  ].join('\n');
}

function addressText({ address1, address2, city, state, zip, country }: Address): string {
  return [address1, address2, city, `${state} ${zip}`, country].filter(Boolean).map(named).join(', ');
}

function optionsText(options: Readonly<Record<string, string>>): string {
  return Object.entries(options)
    .map(([key, value]) => `${named(key)} ${named(value)}`)
    .join(', ');
}
