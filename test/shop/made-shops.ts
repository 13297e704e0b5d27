import fc from 'fast-check';
import type { Json } from './interpreter.ts';

/** A shop of the shape of the fixture that no person has made, and what to do in it. */
export interface MadeShop {
  currency: string;
  data: Json;
  /** The text of its file. */
  json: string;
}

const digits: Readonly<Record<string, number>> = { USD: 2, EUR: 2, CNY: 2, JPY: 0, KWD: 3 };
const words = fc.constantFrom(
  'Lamp',
  'Desk Lamp',
  '台灯',
  '护眼台灯',
  'Écharpe en soie',
  'Straßenkarte',
  'Чайник',
  'やかん',
  '전기 주전자',
  'green tea',
  '茶',
  'T-Shirt',
  'USB-C Hub 3.0',
  'The It',
  "Levi's 501®",
  'ＵＳＢ',
  'constructor',
  'a',
  'قهوة',
  'Lamp ',
);
const people = fc.constantFrom(
  'Ann',
  'ann',
  '伟',
  '王',
  'José',
  'O’Brien',
  'İpek',
  'Mary Ann',
  '小明',
  'Null',
  'Ålund',
);
const keys = fc.constantFrom(
  'color',
  'Color',
  'size',
  '颜色',
  'bagged/bagless',
  'constructor',
  'screen size',
);
const values = fc.constantFrom(
  'red',
  'Red',
  'blue',
  '红色',
  '7-inch',
  '10-inch',
  'XL',
  '',
  ' 6mm',
  '6mm',
  'true',
  '0',
);

export const madeShop: fc.Arbitrary<MadeShop> = fc
  .record({
    currency: fc.constantFrom(...Object.keys(digits)),
    products: fc.array(
      fc.record({
        name: words,
        category: fc.constantFrom(undefined, null, 'home', '家居', ''),
        rating: fc.constantFrom(undefined, null, 0, 4.5),
        sales: fc.constantFrom(undefined, null, 0, 99),
        variants: fc.array(
          fc.record({
            options: fc.dictionary(keys, values, { maxKeys: 3 }),
            price: fc.integer({ min: 1, max: 400_000 }),
            available: fc.boolean(),
            stock: fc.constantFrom(undefined, null, 50),
          }),
          { minLength: 1, maxLength: 6 },
        ),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    users: fc.array(
      fc.record({
        first: people,
        last: people,
        zip: fc.constantFrom('0150', '19031', 'SW1A 1AA', '100000'),
        methods: fc.array(
          fc.record({
            kind: fc.constantFrom('credit_card', 'paypal', 'gift_card'),
            balance: fc.constantFrom(0, 100, 5_000_000),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        orders: fc.array(
          fc.record({
            status: fc.constantFrom('pending', 'delivered', 'processed', 'cancelled', 'pending', 'delivered'),
            hasAddress: fc.boolean(),
            items: fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }),
            paidMore: fc.constantFrom(0, 0, 17),
            method: fc.nat(10),
          }),
          { maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    hasNoise: fc.boolean(),
    idKind: fc.constantFrom('digits', 'words'),
  })
  .map(({ currency, products, users, hasNoise, idKind }) => {
    const amount = (n: number) => n / 10 ** (digits[currency] ?? 2);
    const data: Json = { products: {}, orders: {}, users: {} };
    const items: Json[] = [];
    for (const [p, { variants, name, category, rating, sales }] of products.entries()) {
      const product_id =
        idKind === 'words' ? (['constructor', 'toString', 'p 2', 'ü', '%'][p] ?? '') : `${7_000_000_000 + p}`;
      const all: Json = {};
      for (const [v, { options, price, available, stock }] of variants.entries()) {
        const item_id = idKind === 'words' ? `${product_id}/${v}` : `${1_000_000_000 + p * 100 + v}`;
        all[item_id] = {
          item_id,
          options,
          available,
          price: amount(price),
          ...(stock !== undefined && { stock }),
        };
        items.push({ name, product_id, item_id, price: amount(price), options });
      }
      data.products[product_id] = {
        name,
        product_id,
        variants: all,
        ...(category !== undefined && { category }),
        ...(rating !== undefined && { rating }),
        ...(sales !== undefined && { sales }),
      };
    }
    for (const [u, { first, last, zip, methods, orders }] of users.entries()) {
      const user_id = `user_${u}`;
      const address = { address1: `${u} Way`, address2: '', city: '北京', country: 'NO', state: '', zip };
      const ids = methods.map(({ kind }, m) => `${kind === 'gift_card' && m % 2 ? 'card' : kind}_${u}${m}`);
      data.users[user_id] = {
        user_id,
        name: { first_name: first, last_name: last },
        address,
        email: `user${u}@example.com`,
        payment_methods: Object.fromEntries(
          methods.map(({ kind, balance }, m) => [
            ids[m],
            {
              source: kind,
              id: ids[m],
              ...(kind === 'gift_card' && { balance: amount(balance) }),
              ...(kind === 'credit_card' && { brand: 'visa', last_four: '0042' }),
            },
          ]),
        ),
        orders: orders.map((_, o) => `#W${u}00${o}`),
      };
      for (const [o, { status, hasAddress, items: places, paidMore, method }] of orders.entries()) {
        const bought = places.map((at) => structuredClone(items[at % items.length] as Json));
        const total = bought.reduce((sum, { price }) => sum + Math.round(price * 1000), 0) / 1000;
        const pays = ids[method % ids.length];
        data.orders[`#W${u}00${o}`] = {
          order_id: `#W${u}00${o}`,
          user_id,
          address: hasAddress ? address : null,
          items: bought,
          status,
          fulfillments:
            status === 'delivered'
              ? [{ tracking_id: ['1'], item_ids: bought.map(({ item_id }) => item_id) }]
              : [],
          payment_history: [
            {
              transaction_type: 'payment',
              amount: Math.round((total + amount(paidMore)) * 1000) / 1000,
              payment_method_id: pays,
            },
            ...(status === 'cancelled'
              ? [{ transaction_type: 'refund', amount: total, payment_method_id: pays }]
              : []),
          ],
        };
      }
    }
    const noisy = (key: string, value: unknown) =>
      hasNoise && ['price', 'amount', 'balance'].includes(key) && typeof value === 'number'
        ? value * (1 + Number.EPSILON)
        : value;
    return { currency, data, json: JSON.stringify(data, noisy) };
  });

export interface Wish {
  kind: number;
  order: number;
  items: number[];
  news: number[];
  method: number;
  isForeign: boolean;
}

export const wishes: fc.Arbitrary<Wish[]> = fc.array(
  fc.record({
    kind: fc.nat(5),
    order: fc.nat(3),
    items: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
    news: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
    method: fc.nat(4),
    isForeign: fc.constantFrom(false, false, false, false, true),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The wish as an action of a task of the fixture. */
export function actionOf(data: Json, user_id: string, wish: Wish): { name: string; arguments: Json } | null {
  const own = data.users[user_id].orders as string[];
  const order_id = own[wish.order % own.length];
  if (order_id === undefined) return null;
  const { items } = data.orders[order_id];
  const item_ids = wish.items.map((at) => items[at % items.length].item_id);
  const new_item_ids = wish.news.slice(0, item_ids.length).map((at, n) => {
    const { product_id } = items[(wish.items[n] ?? 0) % items.length];
    const from = wish.isForeign ? Object.keys(data.products)[0] : product_id;
    const choice = Object.keys(data.products[from ?? '']?.variants ?? {});
    return choice[at % choice.length] ?? 'none';
  });
  const methods = Object.keys(data.users[user_id].payment_methods);
  const payment_method_id =
    wish.isForeign && wish.method === 0 ? 'paypal_none' : methods[wish.method % methods.length];
  const address = { address1: '5 Weg', address2: '', city: 'Wien', country: 'AT', state: '', zip: '1010' };
  switch (wish.kind) {
    case 0:
      return { name: 'cancel_pending_order', arguments: { order_id, reason: 'no longer needed' } };
    case 1:
      return { name: 'modify_pending_order_address', arguments: { order_id, ...address } };
    case 2:
      return { name: 'modify_pending_order_payment', arguments: { order_id, payment_method_id } };
    case 3:
      return {
        name: 'modify_pending_order_items',
        arguments: { order_id, item_ids, new_item_ids, payment_method_id },
      };
    case 4:
      return { name: 'return_delivered_order_items', arguments: { order_id, item_ids, payment_method_id } };
    default:
      return {
        name: 'exchange_delivered_order_items',
        arguments: { order_id, item_ids, new_item_ids, payment_method_id },
      };
  }
}
