import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openShop } from '../../src/shop/open-shop.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';
import { conversation, lampShop, user } from './support.ts';

const email = 'ann.zqxmailwvk@example.com';
const json = lampShop({ red: ['1.00', 3], blue: ['1.00', 200] }, email);

async function shopIn(folder?: string) {
  const file = join(folder ?? (await temporaryWorkspace()), 'shop.db');
  const shop = openShop({ file });
  onTestFinished(() => shop.close());
  shop.import(json, { tenantId: 1 });
  return { file, shop };
}

const add = (itemId: string, quantity: number) => ({ action: 'add', itemId, quantity });

describe('a shop whose guest becomes a user', () => {
  it('adds the carts up to what there is, and asks again whom the conversation is about', async () => {
    const { shop } = await shopIn();
    const guest = conversation(shop, { sessionId: 'g', ...user('guest:7') });
    const zoe = conversation(shop, { sessionId: 'a', ...user('zoe') });
    await guest('cart_manager', add('red', 2));
    await guest('cart_manager', add('blue', 60));
    await guest('customer_lookup', { email });
    await zoe('cart_manager', add('red', 2));
    await zoe('cart_manager', add('blue', 50));
    expect(shop.users.export(1, 'guest:7')).toMatchObject({
      cart: { lines: [{ quantity: 2 }, { quantity: 60 }] },
      identities: [{ sessionId: 'g', customerId: 'ann' }],
    });
    for (const _ of ['once', 'again']) shop.users.claim(1, 'guest:7', 'zoe');
    expect(shop.users.export(1, 'zoe')).toMatchObject({
      cart: {
        lines: [
          { itemId: 'red', quantity: 3 },
          { itemId: 'blue', quantity: 99 },
        ],
      },
      identities: [],
    });
    expect(shop.users.export(1, 'guest:7')).toEqual({ cart: null, identities: [] });
    // The guest's conversation is the user's now, with the cart.
    const later = conversation(shop, { sessionId: 'g', ...user('zoe') });
    expect((await later('cart_manager', { action: 'view' })).data.cart.lines).toHaveLength(2);
    await later('order_query', {});
    expect(shop.users.export(1, 'zoe').identities).toEqual([]);
  });

  it('gives nothing to a user of another tenant', async () => {
    const { shop } = await shopIn();
    await conversation(shop, { sessionId: 'g', ...user('guest:7') })('cart_manager', add('red', 2));
    shop.users.claim(2, 'guest:7', 'ann');
    shop.users.forget(2, 'guest:7');
    expect(shop.users.export(1, 'guest:7').cart?.lines).toHaveLength(1);
    expect(shop.users.export(2, 'ann').cart).toBe(null);
  });
});

describe('a shop whose user is forgotten', () => {
  it('has no byte of the user’s conversations in its file, and counts on', async () => {
    const { file, shop } = await shopIn();
    const session = 'zqxsessionwvk';
    const ann = conversation(shop, { sessionId: session, ...user('zqxannwvk') });
    await ann('cart_manager', add('red', 2));
    await ann('checkout_link');
    await ann('customer_lookup', { email });
    const bytes = () => ['', '-wal'].map((end) => readFileSync(`${file}${end}`, 'latin1')).join('');
    expect(bytes()).toMatch(/zqxannwvk/);
    const before = await shop.report(1, 0, Number.MAX_SAFE_INTEGER);
    shop.users.forget(1, 'zqxannwvk');
    expect(bytes()).not.toMatch(/zqxannwvk|zqxsessionwvk/);
    expect((await shop.report(1, 0, Number.MAX_SAFE_INTEGER)).sums).toEqual(before.sums);
    // The customer is a row of the shop, not of the conversation.
    expect(bytes()).toContain('zqxmailwvk');
  });
});

describe('a Detent with a shop', () => {
  it('moves the cart in a claim, has it in the export, and deletes it with the user', async () => {
    const calls = { toolCalls: [{ name: 'cart_manager', arguments: add('red', 2) }] };
    const { detent } = await scripted([calls, { text: 'It is in your cart.' }], { shop: {} });
    await detent.shop.import(json);
    const principal = { userId: 'guest:7' };
    await detent.run('a lamp', { principal, approve: 'all' }).result;
    await detent.users.claim({ from: 'guest:7', to: 'ann' });
    const kept = async () =>
      (await Array.fromAsync(detent.users.export('ann')))
        .map((line): { type: string } => JSON.parse(line))
        .filter(({ type }) => type === 'cart' || type === 'customer');
    expect(await kept()).toMatchObject([{ type: 'cart', lines: [{ itemId: 'red', quantity: 2 }] }]);
    await detent.users.forget('ann');
    expect(await kept()).toEqual([]);
  });
});
