import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Cart } from '../../../src/shop/models.ts';
import { openUcpShop } from '../../../src/shop/open-shop.ts';
import type { UcpShopOptions } from '../../../src/shop/ucp/ucp-requests.ts';
import { inSizes } from '../../support/size.ts';
import { conversation, user } from '../support.ts';
import { type Answer, answers, problemOf, version } from './schemas.ts';
import { type Fault, type Profile, prices, ucpServer } from './server.ts';

const server = await ucpServer();
afterAll(() => server.close());
beforeEach(() => server.reset());

const profile = 'https://assistant.example/.well-known/ucp';
const as = (userId: string) => user(userId, { shopCredential: `secret-of-${userId}` });

function open(over: Partial<UcpShopOptions> = {}, file = ':memory:') {
  const shop = openUcpShop({ file, ucp: { url: server.url, profile, orders: true, ...over } });
  onTestFinished(() => shop.close());
  return shop;
}

/** A file of its own, which two devices open. */
function folderOfTwo() {
  const folder = mkdtempSync(join(tmpdir(), 'detent-ucp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'shop.db');
}

const linesOf = ({ lines }: Cart) => lines.map(({ itemId, quantity }) => [itemId, quantity]);
const cartAt = (owner: string | null) => {
  const [cart, ...others] = [...server.carts.values()].filter((it) => it.owner === owner);
  expect(others).toEqual([]);
  const found = new Map<string, number>();
  for (const { item, quantity } of cart?.lines ?? []) found.set(item, (found.get(item) ?? 0) + quantity);
  return Object.fromEntries(found);
};

describe('a shop that speaks the Universal Commerce Protocol', () => {
  it('is discovered at its address, without a credential, and asked as its schemas say', async () => {
    const talk = conversation(open(), as('ann'));
    const { text, data } = await talk('product_search', { words: 'lamp', available: true, sort: 'price' });
    expect(text.split('\n')).toEqual([
      'Items 1 to 2 of 2:',
      'red Lamp (Color red) 0.10 USD, available, rated 4 [product lamp]',
      'blue Lamp (Color blue) 19.99 USD, available, rated 4 [product lamp]',
    ]);
    expect(data.items[0]).toMatchObject({ category: 'Light', rating: 4 });
    expect((await talk('product_get', { id: 'few' })).text).toContain('Mug (product mug)');
    expect((await talk('product_get', { id: 'none' })).text).toMatch(/^NOT_FOUND: /);
    expect((await talk('product_search', { pageSize: 1, page: 2 })).data.items).toMatchObject([
      { productId: 'mug' },
      { productId: 'mug' },
    ]);
    expect((await talk('product_search', { pageSize: 1, page: 3 })).text).toContain('There is no page 3');
    expect(server.violations).toEqual([]);
  });

  it('offers what the protocol has: no customers, no changes of orders, and orders when they are configured', () => {
    const names = (orders: boolean) => open({ orders }).tools.map(({ name }) => name);
    expect(names(false)).toEqual([
      'product_search',
      'product_get',
      'cart_manager',
      'checkout_link',
      'transfer_to_human',
    ]);
    expect(names(true)).toContain('order_query');
  });

  it('keeps all of a cart that an update does not mean: other lines, what belongs to them, the buyer', async () => {
    const talk = conversation(open(), as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red', quantity: 2 });
    const [cart] = [...server.carts.values()];
    if (!cart) throw new Error('there is no cart');
    cart.buyer = { email: 'ann@example.com' };
    cart.lines.push({ id: 'parent', item: 'blue', quantity: 1 });
    cart.lines.push({ id: 'child', item: 'page', quantity: 1, parent: 'parent' });
    await talk('cart_manager', { action: 'coupon', code: 'TEN' });
    const { data } = await talk('cart_manager', { action: 'add', itemId: 'gold' });
    expect(linesOf(data.cart)).toEqual([
      ['red', 2],
      ['blue', 1],
      ['page', 1],
      ['gold', 1],
    ]);
    const subtotal = 20 + 1999 + 500 + 113_110;
    expect(data.cart).toMatchObject({
      coupon: 'TEN',
      subtotal: { minor: subtotal },
      total: { minor: subtotal - Math.floor(subtotal / 10) },
    });
    expect(cart).toMatchObject({ buyer: { email: 'ann@example.com' }, codes: ['TEN'] });
    expect(cart.lines.find(({ id }) => id === 'child')).toMatchObject({ parent: 'parent' });
    await talk('cart_manager', { action: 'remove', itemId: 'blue' });
    expect(cartAt('ann')).toEqual({ red: 2, gold: 1 });
    expect((await talk('cart_manager', { action: 'remove', itemId: 'blue' })).text).toMatch(/^NOT_IN_CART: /);
    await talk('cart_manager', { action: 'clear' });
    expect(cartAt('ann')).toEqual({});
    expect(server.violations).toEqual([]);
  });

  it('says what the shop made of it: fewer pieces, nothing of an item, no coupon', async () => {
    const talk = conversation(open(), as('ann'));
    const few = await talk('cart_manager', { action: 'add', itemId: 'few', quantity: 5 });
    expect(few.text).toContain('3 × few');
    expect(few.text).toContain('The shop says: it has 3 of few, not 5');
    const none = await talk('cart_manager', { action: 'add', itemId: 'none' });
    expect(none.text).toBe('NOT_AVAILABLE: no none');
    const coupon = await talk('cart_manager', { action: 'coupon', code: 'FREE' });
    expect(coupon.text).toMatch(/^COUPON_NOT_VALID: /);
    expect((await talk('cart_manager', { action: 'view' })).data.cart).toMatchObject({ coupon: null });
    expect(cartAt('ann')).toEqual({ few: 3 });
  });

  it('counts the orders of its links to pay: what it is asked about, what a customer looks up, what the host says', async () => {
    const shop = open();
    const orders = async () => (await shop.report(1, 0, Number.MAX_SAFE_INTEGER)).sums;
    const pays = async (who: ReturnType<typeof as> | object, order: string) => {
      const talk = conversation(shop, who);
      await talk('cart_manager', { action: 'add', itemId: 'red' });
      const { data } = await talk('checkout_link');
      const { id } = data.checkout as { id: string };
      const checkout = server.checkouts.get(id);
      if (checkout) checkout.order = order;
      return { talk, id };
    };
    await pays({}, 'order_of_guest');
    const { talk } = await pays(as('ann'), 'order_of_ann');
    // The shop tells Ann's order to Ann alone.
    expect(await orders()).toMatchObject({ cartAdds: 2, checkouts: 2, orders: 1 });
    await talk('order_query');
    await talk('order_query');
    expect(await orders()).toMatchObject({ orders: 2 });
    const { id } = await pays(as('bob'), 'order_of_bob');
    expect(shop.ordered(1, id, 'order_of_bob')).toBe(true);
    expect(shop.ordered(1, id, 'order_of_bob')).toBe(true);
    expect(shop.ordered(1, 'none', 'order')).toBe(false);
    expect(shop.ordered(2, id, 'order_of_bob')).toBe(false);
    expect(await orders()).toMatchObject({ checkouts: 3, orders: 3 });
    expect(server.violations.filter((one) => !one.includes('asked for what is'))).toEqual([]);
  });

  it('begins a new cart when the old one has expired', async () => {
    const talk = conversation(open(), as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    server.carts.clear();
    expect((await talk('cart_manager', { action: 'view' })).text).toBe('The cart is empty.');
    await talk('cart_manager', { action: 'add', itemId: 'blue' });
    expect(cartAt('ann')).toEqual({ blue: 1 });
  });

  it('makes a link where the customer pays what is in the cart now, once for its key', async () => {
    const talk = conversation(open(), as('ann'));
    expect((await talk('checkout_link')).text).toMatch(/^CART_EMPTY: /);
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    const first = await talk('checkout_link', {}, { idempotencyKey: 'pay' });
    expect(first.text).toMatch(
      /^The customer pays 0.10 USD here: https:\/\/shop.example\/pay\/checkout_\d+$/,
    );
    await talk('cart_manager', { action: 'add', itemId: 'blue' });
    const second = await talk('checkout_link');
    expect(second.text).toContain('20.09 USD');
    expect(server.checkouts.size).toBe(1);
    expect((await talk('checkout_link', {}, { idempotencyKey: 'pay' })).text).toBe(first.text);
    expect(server.violations).toEqual([]);
  });

  it('shows orders of own checkouts, and those of nobody else, though the shop would', async () => {
    const shop = open();
    const [ann, bob] = [conversation(shop, as('ann')), conversation(shop, as('bob'))];
    for (const talk of [ann, bob]) {
      await talk('cart_manager', { action: 'add', itemId: 'red', quantity: 2 });
      await talk('checkout_link');
    }
    expect((await ann('order_query')).text).toBe('The customer has no orders.');
    for (const checkout of server.checkouts.values()) checkout.order = `order_${checkout.owner}`;
    const { data } = await ann('order_query');
    expect(data.orders).toMatchObject([
      { id: 'order_ann', status: 'processed', items: [{ itemId: 'red' }, { itemId: 'red' }], address: null },
    ]);
    expect((await ann('order_query', { orderId: 'order_ann' })).text).toContain('tracking 1Z');
    expect((await ann('order_query', { orderId: 'order_bob' })).text).toMatch(/^NOT_FOUND: /);
    expect((await conversation(shop)('order_query', { orderId: 'order_ann' })).text).toMatch(/^NOT_FOUND: /);
    expect(server.violations).toEqual([]);
  });

  it("gives a guest's cart to the user who logs in, and reads it without anybody's credential", async () => {
    const shop = open();
    const guest = conversation(shop, { sessionId: 's' });
    await guest('cart_manager', { action: 'add', itemId: 'red', quantity: 2 });
    const other = conversation(shop, as('ann'));
    await other('cart_manager', { action: 'add', itemId: 'red' });
    const ann = conversation(shop, { sessionId: 's', ...as('ann') });
    expect(linesOf((await ann('cart_manager', { action: 'view' })).data.cart)).toEqual([['red', 3]]);
    expect((await guest('cart_manager', { action: 'view' })).text).toBe('The cart is empty.');
    expect(server.violations).toEqual([]);
  });

  it('goes along with the guest whom the host makes a user, and keeps nothing of one who is forgotten', async () => {
    const shop = open();
    await conversation(shop, user('guest'))('cart_manager', { action: 'add', itemId: 'red', quantity: 2 });
    shop.users.claim(1, 'guest', 'ann');
    shop.users.claim(1, 'guest', 'ann');
    const ann = conversation(shop, as('ann'));
    expect(linesOf((await ann('cart_manager', { action: 'view' })).data.cart)).toEqual([['red', 2]]);
    expect(linesOf((await ann('cart_manager', { action: 'view' })).data.cart)).toEqual([['red', 2]]);
    await ann('checkout_link');
    for (const checkout of server.checkouts.values()) checkout.order = 'order_ann';
    shop.users.forget(1, 'ann');
    expect((await ann('cart_manager', { action: 'view' })).text).toBe('The cart is empty.');
    expect((await ann('order_query', { orderId: 'order_ann' })).text).toMatch(/^NOT_FOUND: /);
    expect(server.violations).toEqual([]);
  });

  it('never uses a credential of one user for another, also at the same time, and keeps none', async () => {
    const file = folderOfTwo();
    const shop = open({}, file);
    const users = ['ann', 'bob', 'cleo'];
    await Promise.all(
      users.flatMap((name) => {
        const talk = conversation(shop, as(name));
        return ['red', 'blue', 'gold'].map((itemId) => talk('cart_manager', { action: 'add', itemId }));
      }),
    );
    for (const name of users) expect(cartAt(name)).toEqual({ red: 1, blue: 1, gold: 1 });
    expect(server.violations).toEqual([]);
    server.faults.push('none', 'cut', 'cut', 'cut');
    const talk = conversation(shop, as('ann'));
    expect((await talk('cart_manager', { action: 'add', itemId: 'page' })).code).not.toBeNull();
    for (const name of readdirSync(join(file, '..')))
      expect(readFileSync(join(file, '..', name)).includes('secret-of')).toBe(false);
  });

  it('makes a change that had no answer once, when the user comes back, and says so', async () => {
    const shop = open({ attempts: 1 });
    const talk = conversation(shop, as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    // Read; the update never arrives, as far as anybody knows.
    server.faults.push('none', 'delayed');
    const lost = await talk('cart_manager', { action: 'add', itemId: 'blue' }, { idempotencyKey: 'lost' });
    expect(lost.text).toContain('did not answer in time');
    const next = await talk('cart_manager', { action: 'add', itemId: 'gold' });
    expect(next.text).toContain('a change from before, or from another device, is in it, too');
    server.arrive();
    expect(cartAt('ann')).toEqual({ red: 1, blue: 1, gold: 1 });
    const again = await talk('cart_manager', { action: 'add', itemId: 'blue' }, { idempotencyKey: 'lost' });
    expect(linesOf(again.data.cart)).toEqual([
      ['red', 1],
      ['blue', 1],
    ]);
    expect(cartAt('ann')).toEqual({ red: 1, blue: 1, gold: 1 });
  });

  it('forgets a change that was refused at once, such as with a credential that is over', async () => {
    const talk = conversation(open(), as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    server.faults.push('none', 'refused');
    expect((await talk('cart_manager', { action: 'add', itemId: 'blue' })).text).toContain('401');
    await talk('cart_manager', { action: 'add', itemId: 'gold' });
    expect(cartAt('ann')).toEqual({ red: 1, gold: 1 });
  });

  it('loses nothing that the customer did on the page of the shop while an update had no answer', async () => {
    const talk = conversation(open({ attempts: 1 }), as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    server.faults.push('none', 'failsBefore');
    await talk('cart_manager', { action: 'add', itemId: 'blue' });
    const [cart] = [...server.carts.values()];
    cart?.lines.push({ id: 'li_page', item: 'page', quantity: 1 });
    await talk('cart_manager', { action: 'add', itemId: 'gold' });
    expect(cartAt('ann')).toEqual({ red: 1, blue: 1, page: 1, gold: 1 });
    // It takes one away, and the update had been made.
    server.faults.push('none', 'failsAfterWriting');
    await talk('cart_manager', { action: 'change', itemId: 'blue', quantity: 5 });
    if (cart) cart.lines = cart.lines.filter((line) => line.item !== 'gold');
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    expect(cartAt('ann')).toEqual({ red: 2, blue: 5, page: 1 });
  });

  it('makes no update on a cart that another device has changed since it was read', async () => {
    const file = folderOfTwo();
    const [phone, tablet] = [
      conversation(open({}, file), as('ann')),
      conversation(open({}, file), as('ann')),
    ];
    await phone('cart_manager', { action: 'add', itemId: 'red' });
    await tablet('cart_manager', { action: 'view' });
    server.faults.push('held');
    const slow = phone('cart_manager', { action: 'add', itemId: 'blue' });
    await expect.poll(() => server.faults).toEqual([]);
    await tablet('cart_manager', { action: 'add', itemId: 'gold' });
    server.release();
    expect((await slow).code).toBeNull();
    expect(cartAt('ann')).toEqual({ red: 1, blue: 1, gold: 1 });
  });

  it('fails a change that the shop always fails at, and then takes others', async () => {
    const talk = conversation(open({ attempts: 1 }), as('ann'));
    await talk('cart_manager', { action: 'add', itemId: 'red' });
    server.faults.push(...Array<Fault[]>(10).fill(['none', 'failsBefore']).flat());
    for (let n = 0; n < 10; n++)
      expect((await talk('cart_manager', { action: 'add', itemId: 'blue' })).code).not.toBeNull();
    await talk('cart_manager', { action: 'add', itemId: 'gold' });
    expect(cartAt('ann')).toEqual({ red: 1, gold: 1 });
  });
});

describe('the shop of these tests', () => {
  /** As another platform would ask it. */
  async function asked(method: string, path: string, body?: object) {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        'ucp-agent': `profile="${profile}"`,
        'request-id': crypto.randomUUID(),
        ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(method === 'POST' && !path.includes('catalog') ? 201 : 200);
    return response.json();
  }

  it('answers as the published schemas say, and is found out when it does not', async () => {
    const line = { item: { id: 'red' }, quantity: 2 };
    const cart = answers.cart.parse(await asked('POST', '/ucp/carts', { line_items: [line] }));
    const checkout = answers.checkout.parse(
      await asked('POST', '/ucp/checkout-sessions', { cart_id: cart.id, line_items: [] }),
    );
    for (const made of server.checkouts.values()) made.order = 'order_1';
    const order = answers.order.parse(await asked('GET', '/ucp/orders/order_1'));
    const found = answers.search.parse(await asked('POST', '/ucp/catalog/search', { query: 'mug' }));
    const { ucp } = answers.profile.parse(await asked('GET', '/.well-known/ucp'));
    expect(server.violations).toEqual([]);

    const wrong: [Answer, object][] = [
      ['cart', { ...cart, totals: cart.totals.slice(1) }],
      ['cart', { ...cart, line_items: [line] }],
      ['cart', { ...cart, messages: [{ type: 'warning', content: 'only two' }] }],
      ['cart', { ucp: { version, status: 'error' }, messages: [] }],
      ['checkout', { ...checkout, ucp: cart.ucp }],
      ['checkout', { ...checkout, status: 'open' }],
      ['order', { ...order, fulfillment: undefined }],
      ['search', { ...found, products: [{ ...found.products[0], variants: [] }] }],
      ['product', found],
      ['profile', { ucp: { ...ucp, payment_handlers: undefined } }],
    ];
    for (const [kind, json] of wrong) expect(problemOf(kind, json), JSON.stringify(json)).not.toBeNull();
  });

  it('takes no request that the schemas do not have', async () => {
    const line = { item: { id: 'red' }, quantity: 1, price: 1 };
    await expect(asked('POST', '/ucp/carts', { line_items: [line] })).rejects.toThrow();
    expect(server.violations.join()).toContain('price');
  });
});

describe('a shop that is not what it should be', () => {
  const check = async (said: Profile, over: Partial<UcpShopOptions> = {}) => {
    const other = await ucpServer(said);
    onTestFinished(() => other.close());
    return open({ url: other.url, ...over }).check();
  };

  it.each<[string, Profile, string]>([
    ['speaks another version', { version: '2026-01-11' }, 'it speaks version 2026-01-11'],
    [
      'has its API elsewhere',
      { endpoint: 'https://evil.example/ucp' },
      'its API is at https://evil.example/ucp',
    ],
    [
      'has that version on another host',
      { version: '2026-01-11', supported: { [version]: 'https://evil.example/profile' } },
      'it speaks version 2026-01-11',
    ],
    ['has no orders', { capabilities: ['catalog.search'] }, 'does not offer order'],
    ['has specifications of somebody else', { spec: 'https://evil.example/spec' }, 'does not offer order'],
  ])('is refused when it %s', async (_, said, why) => {
    await expect(check(said)).rejects.toMatchObject({
      code: 'SHOP_FAILED',
      message: expect.stringContaining(why),
    });
  });

  it('is checked: what it offers, and how much', async () => {
    expect(await check({ capabilities: ['catalog.search', 'cart', 'order'] })).toBe(
      'it answers, and offers cart, catalog.search, order',
    );
    const elsewhere = { endpoint: `${server.url}/ucp` };
    expect(await check(elsewhere, elsewhere)).toContain('it answers');
  });

  it('says what it does not offer', async () => {
    const other = await ucpServer({ capabilities: ['cart'] });
    onTestFinished(() => other.close());
    const talk = conversation(open({ url: other.url }), as('ann'));
    expect((await talk('product_search', {})).text).toMatch(/^NOT_OFFERED: /);
    expect((await talk('cart_manager', { action: 'coupon', code: 'TEN' })).text).toMatch(/^NOT_OFFERED: /);
  });
});

type Act =
  | { action: 'add' | 'change'; itemId: string; quantity: number }
  | { action: 'remove'; itemId: string }
  | { action: 'clear' | 'page' };

const item = fc.constantFrom('red', 'blue', 'gold');
const fault = fc.constantFrom<Fault>(
  'none',
  'none',
  'none',
  'cut',
  'failsAfterWriting',
  'failsBefore',
  'delayed',
);
const adds = fc.record({
  action: fc.constant('add' as const),
  itemId: item,
  quantity: fc.integer({ min: 1, max: 9 }),
});
/** At the same time, on two devices. */
const acts: fc.Arbitrary<Act[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array<Act>(adds, { minLength: 1, maxLength: 4 }) },
  fc
    .oneof(
      fc.record({
        action: fc.constant('change' as const),
        itemId: item,
        quantity: fc.integer({ min: 1, max: 9 }),
      }),
      fc.record({ action: fc.constant('remove' as const), itemId: item }),
      fc.constant({ action: 'clear' as const }),
      fc.record({ action: fc.constant('page' as const) }),
    )
    .map((act) => [act]),
);
const step = fc.record({
  acts,
  faults: fc.array(fault, { maxLength: 6 }),
  /** Requests that were delayed arrive now. */
  arrives: fc.boolean(),
  repeats: fc.constantFrom(0, 0, 1),
});

describe('carts of two devices at a shop where an update replaces all lines', () => {
  const numRuns = inSizes({ usual: 2, deep: 10, full: 1_000 });

  it(`lose no line in ${numRuns} random histories, whatever times out, is repeated or arrives late`, async () => {
    let keys = 0;
    let users = 0;
    const file = folderOfTwo();
    const shops = [0, 1].map(() => open({ orders: false, attempts: 1 }, file));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        server.reset();
        const ann = `ann${++users}`;
        const devices = shops.map((shop) => conversation(shop, as(ann)));
        const model = new Map<string, number>();
        for (const { acts, faults, arrives, repeats } of steps) {
          if (arrives) server.arrive();
          server.faults.push(...faults);
          await Promise.all(
            acts.map(async (act, n) => {
              if (act.action === 'page') {
                server.faults.length = 0;
                // The cart that the page shows has nothing under way: the protocol has no word for what was read.
                const before = await devices[0]?.('cart_manager', {
                  action: 'add',
                  itemId: 'red',
                  quantity: 1,
                });
                expect(before?.code).toBeNull();
                model.set('red', (model.get('red') ?? 0) + 1);
                const [cart] = [...server.carts.values()];
                cart?.lines.push({ id: `li_page_${keys++}`, item: 'page', quantity: 1 });
                model.set('page', (model.get('page') ?? 0) + 1);
                return;
              }
              const had = model.get('itemId' in act ? act.itemId : '') ?? 0;
              const key = `u${++keys}`;
              const texts = new Set<string>();
              for (let tries = 0, answered = 0; answered <= repeats; tries++) {
                expect(tries).toBeLessThan(60);
                const talk = devices[(n + tries) % 2];
                const { text, code } = (await talk?.('cart_manager', act, { idempotencyKey: key })) ?? {};
                if (code !== null) continue;
                texts.add((text ?? '').replace(/^The shop says: a change from before.*\n?/m, '').trim());
                answered++;
              }
              expect(texts.size).toBe(1);
              if (act.action === 'add') model.set(act.itemId, (model.get(act.itemId) ?? 0) + act.quantity);
              else if (act.action === 'clear') model.clear();
              else if (had > 0 && act.action === 'remove') model.delete(act.itemId);
              else if (had > 0 && act.action === 'change') model.set(act.itemId, act.quantity);
            }),
          );
        }
        server.arrive(true);
        server.faults.length = 0;
        expect(cartAt(ann)).toEqual(Object.fromEntries(model));
        const { data } = (await devices[1]?.('cart_manager', { action: 'view' })) ?? {};
        const total = [...model].reduce((sum, [id, pieces]) => sum + (prices[id] ?? 0) * pieces, 0);
        expect(data.cart.total.minor).toBe(total);
        expect(server.violations).toEqual([]);
      }),
      { numRuns, seed: Number(process.env.DETENT_TEST_SEED ?? 1) },
    );
  });
});
