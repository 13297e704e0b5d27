/** @import { Cart, FoundItem, Money, Order, Product } from 'detent/shop' */
import { button, el } from './dom.js';
import { lang, moment, price, t } from './words.js';

/** What the page can do, for the buttons of cards. @typedef {{ add: (id: string) => unknown, openCart: () => unknown, watchRefund: (runId: string, tell: (run: RefundRun) => void) => void }} Acts */
/** @typedef {{ workflow?: { state: unknown }, output?: unknown, status: string }} RefundRun */
/** What tools of the shop give for screens. @typedef {Partial<{ items: FoundItem[], compared: FoundItem[], recommended: { item: FoundItem }[], product: Product, cart: Cart, order: Order, orders: Order[], checkout: { url: string, cart: Cart }, refund: { runId: string, orderId: string, total: Money, until: number }, watch: { name: string, below: Money } }>} Data */

/** Two items of a product have the same name. @param {string} name @param {Record<string, string>} options */
export const titled = (name, options) => [name, ...Object.values(options)].join(' · ');

/** Names of items that were shown. @type {Map<string, string>} */
export const names = new Map();

/**
 * The cards of a result.
 *
 * @param {Data} data @param {Acts} acts @returns {HTMLElement[]}
 */
export function cards(data, acts) {
  const { product: p, compared } = data;
  const items =
    data.items ??
    compared ??
    data.recommended?.map(({ item }) => item) ??
    p?.variants.map((variant) => ({ ...p, productId: p.id, variant })) ??
    [];
  const list = data.orders ?? (data.order ? [data.order] : []);
  return [
    ...(items.length > 0 ? [el('div', 'row', ...items.map((item) => itemCard(item, acts, compared)))] : []),
    ...(data.cart ? [cartCard(data.cart, acts)] : []),
    ...list.map(orderCard),
    ...(data.checkout
      ? [
          el(
            'a',
            { className: 'main', href: data.checkout.url },
            `${t('pay')} · ${price(data.checkout.cart.total)}`,
          ),
        ]
      : []),
    ...(data.refund ? [refundCard(data.refund, acts)] : []),
    ...(data.watch ? [card(t('watch'), price(data.watch.below), el('span', '', data.watch.name))] : []),
  ];
}

/** @param {string} title @param {string} tag @param {...(Node | null)} more */
const card = (title, tag, ...more) =>
  el('div', 'card', line(el('b', '', title), el('span', 'tag', tag)), ...more);
/** @param {...(string | Node)} parts */
export const line = (...parts) =>
  el('div', 'line', ...parts.map((part) => (typeof part === 'string' ? el('span', '', part) : part)));

/** @param {FoundItem} item @param {Acts} acts @param {FoundItem[]} [others] */
function itemCard(
  { name, rating, sales, variant: { id, options, price: cost, isAvailable, stock } },
  { add },
  others = [],
) {
  names.set(id, titled(name.length > 90 ? `${name.slice(0, 90)}…` : name, options));
  const badge =
    others.length < 2
      ? null
      : others.every(({ variant }) => variant.price.minor >= cost.minor)
        ? 'cheapest'
        : others.every((other) => (other.rating ?? 0) <= (rating ?? 0))
          ? 'best'
          : null;
  const put = button(t(isAvailable ? 'add' : 'none'), () => add(id));
  put.disabled = !isAvailable;
  return el(
    'article',
    { className: 'item', title: name },
    el('i', { ariaHidden: 'true' }, [...name][0] ?? ''),
    el('h2', '', name),
    el('em', '', Object.values(options).join(' · ')),
    el(
      'em',
      '',
      [
        rating === null ? '' : `★ ${rating}`,
        sales === null ? '' : `${t('sold')} ${sales}`,
        stock ? (lang === 'zh' ? `${stock} ${t('stock')}` : `${stock} ${t('stock')}`) : '',
      ]
        .filter(Boolean)
        .join(' · '),
    ),
    badge && el('u', '', t(badge)),
    el('strong', '', price(cost)),
    put,
  );
}

/** @param {Cart} cart @param {Acts} acts */
const cartCard = ({ lines, total }, { openCart }) =>
  card(
    t('cart'),
    price(total),
    ...(lines.length === 0
      ? [el('span', '', t('empty'))]
      : lines.map(({ quantity, name, options, total: sum }) =>
          line(`${quantity} × ${titled(name, options)}`, price(sum)),
        )),
    button(t('open'), openCart),
  );

/** @param {Order} order */
const orderCard = ({ id, status, items, total }) =>
  card(
    `${t('order')} ${id}`,
    t(status),
    ...items.map(({ name, options, price: cost }) => line(titled(name, options), price(cost))),
    line(el('b', '', t('total')), el('b', '', price(total))),
  );

/** Follows the refund to its end. @param {NonNullable<Data['refund']>} refund @param {Acts} acts */
function refundCard({ runId, orderId, total, until }, { watchRefund }) {
  const says = el('span', '', `${t('approving')} ${moment(until)}`);
  const tag = el('span', 'tag wait', price(total));
  watchRefund(runId, ({ workflow, output }) => {
    const { outcome = String(workflow?.state ?? ''), why = '' } = Object(output);
    if (outcome === 'approving') return;
    says.textContent = [t(outcome === 'expired' ? 'lapsed' : outcome), why].filter(Boolean).join(' ');
    tag.className = outcome === 'refunded' || outcome === 'paying' ? 'tag' : 'tag no';
  });
  return el('div', 'card', line(el('b', '', `${t('refundOf')} ${orderId}`), tag), says);
}
