import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpShop, type HttpShopOptions } from '../../src/shop/http/http-shop.ts';
import type { Cart } from '../../src/shop/models.ts';
import { openHttpShop } from '../../src/shop/open-shop.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { servedAt } from '../support/listening.ts';
import { toolContext } from '../tools/helpers.ts';
import { filledShop, fixture, user } from './support.ts';

const money = { minor: 500, currency: 'USD' };

type Fault = 'none' | 'late' | 'failsAfterWriting' | 'failsBefore' | 'cut';

/** A backend over a demo shop, which fails as told, and knows each user by a credential. */
async function backend() {
  const shop = filledShop();
  const seen: { user: string; key: string | undefined; path: string; team: string | undefined }[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const key = request.headers['idempotency-key']?.toString();
    const [, userId = ''] = /^Bearer secret-of-(\w+)$/.exec(request.headers.authorization ?? '') ?? [];
    seen.push({ user: userId, key, path: url.pathname, team: request.headers['x-team']?.toString() });
    const body = await bodyOf(request);
    const fault = faults.shift() ?? 'none';
    const end = (status: number, json: unknown) => {
      if (fault === 'cut') request.socket.destroy();
      else if (fault !== 'late')
        response.writeHead(fault === 'none' ? status : 500).end(JSON.stringify(json));
    };
    if (userId === '') return void response.writeHead(401).end('{}');
    if (fault === 'failsBefore') return end(500, {});
    const call = { ...user(userId), sessionId: userId, signal: new AbortController().signal };
    try {
      if (url.pathname === '/api/cart' && key === undefined)
        return end(200, { data: await shop.api.cart(call) });
      if (url.pathname === '/api/cart')
        return end(200, {
          data: await shop.api.changeCart(body, { ...call, key: key ?? '', runId: 'r', callId: 'c' }),
        });
      const [, id] = /^\/api\/orders\/(.+)$/.exec(url.pathname) ?? [];
      const order = id === undefined ? null : await shop.api.order(decodeURIComponent(id), call);
      return order?.customerId === userId ? end(200, { data: order }) : end(404, {});
    } catch (error) {
      return end(422, { code: (error as { code: string }).code, message: 'no' });
    }
  });
  const options: HttpShopOptions = {
    baseUrl: `${await servedAt(server)}/api`,
    operations: {
      order: { path: '/orders/{id}', at: 'data' },
      cart: { path: '/cart', at: 'data' },
      changeCart: { path: '/cart', at: 'data' },
      findCustomer: { path: '/customer' },
    },
  };
  return { seen, faults, options, api: createHttpShop(options) };
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a request
async function bodyOf(request: IncomingMessage): Promise<any> {
  const chunks = await Array.fromAsync(request);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
}

const asked = (userId: string, key = 'k') => ({
  ...user(userId, { shopCredential: `secret-of-${userId}` }),
  sessionId: userId,
  signal: new AbortController().signal,
  key,
  runId: 'r',
  callId: 'c',
});
const quantity = ({ lines }: Cart) => lines.map((line) => line.quantity);
const item = '4064702754';

describe('a shop behind HTTP', () => {
  it.each<[string, Fault[], Partial<HttpShopOptions>?]>([
    ['never answers', ['late'], { timeoutMs: 300, attempts: 50 }],
    ['answers 500 after it wrote', ['failsAfterWriting', 'failsAfterWriting']],
    ['answers 500 before it writes', ['failsBefore']],
    ['cuts the connection after it wrote', ['cut']],
  ])('that %s writes once, under one key', async (_, faulty, over) => {
    const { faults, seen, options } = await backend();
    const api = createHttpShop({ ...options, ...over });
    faults.push(...faulty);
    const change = { action: 'add', itemId: item, quantity: 2 } as const;
    expect(quantity(await api.changeCart(change, asked('ann')))).toEqual([2]);
    if (!over) expect(seen.length).toBe(faulty.length + 1);
    expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['k']));
    // A repeat after a crash of the caller, which the backend answers twice.
    expect(quantity(await api.changeCart(change, asked('ann')))).toEqual([2]);
    expect(quantity(await api.cart(asked('ann')))).toEqual([2]);
  });

  it('gives up after its attempts, and says nothing of a credential', async () => {
    const { api, faults } = await backend();
    faults.push('failsBefore', 'cut', 'failsBefore');
    const error = await api.cart(asked('ann')).catch((it) => it);
    expect(error).toMatchObject({ code: 'SHOP_FAILED', retryable: true });
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain('secret');
  });

  it('gets the credential of the user who asks, and of no other, also at the same time', async () => {
    const { api, seen } = await backend();
    const orders = Object.values(
      JSON.parse(fixture('db.json')).orders as Record<string, { order_id: string; user_id: string }>,
    ).slice(0, 20);
    await Promise.all(
      orders.map(async ({ order_id, user_id }, n) => {
        const other = orders[(n + 1) % orders.length]?.user_id ?? '';
        expect(await api.order(order_id, asked(user_id))).toMatchObject({ customerId: user_id });
        if (other !== user_id) expect(await api.order(order_id, asked(other))).toBeNull();
      }),
    );
    expect(seen.every((it) => it.user !== '')).toBe(true);
    const nobody = { ...asked('ann'), ...user('ann') };
    await expect(api.cart(nobody)).rejects.toMatchObject({
      code: 'SHOP_FAILED',
      message: expect.stringContaining('401'),
    });
  });

  it('gets the headers of the configuration; one with a claim that the user does not have is left out', async () => {
    const { options, seen } = await backend();
    const headers = { 'x-team': 'red-{team.name}' };
    const api = createHttpShop({ ...options, headers });
    const of = (team: unknown) => ({
      ...asked('ann'),
      ...user('ann', { shopCredential: 'secret-of-ann', team: { name: team as string } }),
    });
    for (const team of ['7', undefined, 7, '']) await api.cart(of(team));
    expect(seen.map((it) => it.team)).toEqual(['red-7', undefined, undefined, undefined]);
    await createHttpShop({ ...options, headers: { authorization: '' } })
      .cart(asked('ann'))
      .catch(() => {});
    expect(seen.at(-1)?.user).toBe('');
    const error = await api.cart(of('x\r\nauthorization: Bearer secret-of-bob')).catch((it) => it);
    expect(error).toMatchObject({ code: 'SHOP_FAILED', message: expect.stringContaining('x-team') });
    expect(`${error.message} ${error.stack}`).not.toContain('secret-of-bob');
    expect(seen).toHaveLength(5);
  });

  it('is read up to 4 MB, and no further', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 2 ** 20;
        controller.enqueue(new Uint8Array(2 ** 20).fill(32));
      },
    });
    const { options } = await backend();
    const api = createHttpShop({ ...options, fetch: async () => new Response(endless) });
    await expect(api.cart(asked('ann'))).rejects.toMatchObject({
      code: 'SHOP_FAILED',
      message: expect.stringContaining('too long'),
    });
    expect(sent).toBeLessThan(8 * 2 ** 20);
  });

  it('has the tools whose operations are configured, and no others', async () => {
    const { options } = await backend();
    const toolsWith = (operations: HttpShopOptions['operations']) => {
      const shop = openHttpShop({ file: ':memory:', http: { ...options, operations } });
      onTestFinished(() => shop.close());
      return shop.tools.map(({ name }) => name);
    };
    expect(toolsWith({})).toEqual(['transfer_to_human']);
    expect(toolsWith({ cart: { path: '/cart' }, order: { path: '/orders/{id}' } })).toEqual([
      'order_query',
      'transfer_to_human',
    ]);
    expect(toolsWith(options.operations)).toEqual([
      'order_query',
      'cart_manager',
      'customer_lookup',
      'transfer_to_human',
    ]);
  });

  it('is asked by the report which links to pay have become orders, and a failure counts none', async () => {
    const cart = { lines: [], coupon: null, subtotal: money, discount: money, total: money };
    const answers: Record<string, unknown> = {
      '/pay': { id: 'k1', url: 'https://shop.example/k1', cart },
      '/paid/k1': { orderId: null },
    };
    const server = createServer(({ url = '' }, response) => {
      const answer = answers[url];
      response.writeHead(answer ? 200 : 500).end(JSON.stringify(answer ?? {}));
    });
    const baseUrl = await servedAt(server);
    const operations = { checkout: { path: '/pay' }, orderOf: { path: '/paid/{checkoutId}' } };
    const shop = openHttpShop({ file: ':memory:', http: { baseUrl, operations, attempts: 1 } });
    onTestFinished(() => shop.close());
    const toolbox = createToolbox({ tools: [...shop.tools], allowed: null });
    await toolbox.run('checkout_link', '{}', toolContext(user('ann')));
    const sums = async () => (await shop.report(1, 0, Number.MAX_SAFE_INTEGER)).sums;
    expect(await sums()).toMatchObject({ checkouts: 1, orders: 0 });
    delete answers['/paid/k1'];
    expect(await sums()).toMatchObject({ orders: 0 });
    answers['/paid/k1'] = { orderId: 'A-1' };
    expect([await sums(), await sums()]).toMatchObject([{ orders: 1 }, { orders: 1 }]);
  });

  it('that finds no customers shows the orders of the user of the token, and of nobody else', async () => {
    const { options } = await backend();
    const { order } = options.operations;
    const shop = openHttpShop({ file: ':memory:', http: { ...options, operations: order ? { order } : {} } });
    onTestFinished(() => shop.close());
    const [id = '', of = ''] = Object.values(
      JSON.parse(fixture('db.json')).orders as Record<string, { order_id: string; user_id: string }>,
    ).flatMap((it) => [it.order_id, it.user_id]);
    const toolbox = createToolbox({ tools: [...shop.tools], allowed: null });
    const ask = async (userId: string | null, credential: string) => {
      const context = toolContext(user(userId, { shopCredential: `secret-of-${credential}` }));
      return (await toolbox.run('order_query', JSON.stringify({ orderId: id }), context)).text;
    };
    expect(await ask(of, of)).toContain(id);
    // The backend would answer: the credential is that of the customer. The token is not theirs.
    expect(await ask('ann', of)).toMatch(/^NOT_FOUND: /);
    expect(await ask(null, of)).toMatch(/^NOT_FOUND: /);
  });

  it('has the rules of the tools: an order of someone else is not found, and an unknown user is asked who they are', async () => {
    const { options } = await backend();
    const shop = openHttpShop({ file: ':memory:', http: options });
    onTestFinished(() => shop.close());
    const context = toolContext({ ...user('ann', { shopCredential: 'secret-of-ann' }) });
    const toolbox = createToolbox({ tools: [...shop.tools], allowed: null });
    const { text } = await toolbox.run('order_query', '{"orderId":"#W5694685"}', context);
    expect(text).toMatch(/^IDENTIFY_FIRST: /);
    const cart = await toolbox.run('cart_manager', '{"action":"view"}', context);
    expect(cart).toMatchObject({ text: 'The cart is empty.', isError: false });
  });

  it('denies what the backend refuses', async () => {
    const { api } = await backend();
    await expect(
      api.changeCart({ action: 'add', itemId: 'none', quantity: 1 }, asked('ann')),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
