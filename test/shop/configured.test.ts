import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/protocol/config.ts';
import { bareWorkspace, newWorkspace } from '../support/cli.ts';
import { scripted } from '../support/detent.ts';
import { servedAt } from '../support/listening.ts';
import { fixture } from './support.ts';

const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });
const names = ['product_search', 'order_change', 'transfer_to_human'];

const variant = {
  id: 'lamp-1',
  options: {},
  price: { minor: 500, currency: 'USD' },
  isAvailable: true,
  stock: null,
};
const lamp = { productId: 'lamp', name: 'Lamp', category: null, rating: null, sales: null, variant };

/** A backend that lists one item, and notes with which headers it was asked. */
async function backend(answer: unknown = { total: 1, items: [lamp] }) {
  const seen: (readonly [authorization: string | undefined, key: string | undefined])[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push([headers.authorization, headers['x-api-key']?.toString()]);
    response.end(JSON.stringify(answer));
  });
  const baseUrl = await servedAt(server);
  return { seen, baseUrl, operations: { searchProducts: { path: '/items', query: { q: '{words}' } } } };
}

describe('a Detent with a shop behind HTTP', () => {
  it('has the tools that its operations serve, and passes on the credential of the user', async () => {
    const { seen, ...http } = await backend();
    const script = [call('product_search', { words: 'lamp' }), { text: 'A lamp.' }];
    const headers = { 'x-api-key': 'of-the-shop' };
    const { detent } = await scripted(script, { shop: { http: { ...http, headers } } });
    expect((await detent.tools.list()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['product_search', 'transfer_to_human']),
    );
    const principal = { userId: 'ann', claims: { shopCredential: 'hers' } };
    expect(await detent.run('a lamp', { principal }).result).toMatchObject({ text: 'A lamp.' });
    expect(seen).toEqual([['Bearer hers', 'of-the-shop']]);
    expect(await detent.shop.check()).toBe('it answers');
    expect(await detent.shop.report()).toMatchObject({ sessions: 1, calls: 1 });
    await expect(detent.shop.import('{}')).rejects.toMatchObject({ code: 'NO_SHOP' });
  });

  it.each([
    [
      'an operation that there is not',
      { http: { baseUrl: 'https://a', operations: { pay: { path: '/' } } } },
    ],
    ['an address of another kind', { http: { baseUrl: 'file:///etc/passwd', operations: {} } }],
    [
      'a path of another host',
      { http: { baseUrl: 'https://a', operations: { cart: { path: '@evil.example/' } } } },
    ],
    ['an address without a certificate', { ucp: { url: 'http://shop.example', profile: 'https://a' } }],
    [
      'two backends',
      { ucp: { url: 'https://a', profile: 'https://a' }, http: { baseUrl: 'https://a', operations: {} } },
    ],
    ['no address', { http: { operations: {} } }],
    [
      'a page of the demo shop',
      { checkoutPage: 'https://a/{id}', http: { baseUrl: 'https://a', operations: {} } },
    ],
  ])('is not configured with %s', (_, shop) => {
    expect(() => checkConfig({ shop }, 'test')).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });

  it('is looked at by doctor, which warns of one that is gone or does not fit', async () => {
    const workspace = await newWorkspace();
    const doctor = async (http: object, ...flags: string[]) => {
      await workspace.write('detent.config.json', JSON.stringify({ shop: { http } }));
      const { view } = await workspace.json<{ checks: { id: string }[] }>(['doctor', ...flags], {
        env: { DETENT_TRUST: '1', SHOP_KEY: 'k7' },
      });
      return view.checks.find(({ id }) => id === 'shop');
    };
    const { seen, ...http } = await backend();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a mark of a configuration
    const headers = { 'x-api-key': '${SHOP_KEY}' };
    expect(await doctor({ ...http, headers })).toMatchObject({
      status: 'ok',
      detail: 'it answers',
    });
    expect(seen).toEqual([[undefined, 'k7']]);
    expect(await doctor(http, '--offline')).toMatchObject({ status: 'ok' });
    expect(seen).toHaveLength(1);
    const { seen: _, ...odd } = await backend({ items: [{ sku: 1 }] });
    expect(await doctor(odd)).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('does not fit'),
    });
    expect(await doctor({ ...http, baseUrl: 'http://127.0.0.1:1', attempts: 1 })).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('did not answer'),
    });
  });
});

describe('a Detent with a shop', () => {
  it('has its tools; one without has none', async () => {
    const { detent } = await scripted([], { shop: {} });
    const { detent: other } = await scripted([]);
    const toolsOf = async (it: typeof detent) => (await it.tools.list()).map(({ name }) => name);
    expect(await toolsOf(detent)).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(await toolsOf(other)).not.toContain(name);
    await expect(other.shop.report()).rejects.toMatchObject({ code: 'NO_SHOP' });
  });

  it('asks the user about the cart, shows all of it to clients, and counts what followed', async () => {
    const script = [
      call('product_search', { words: '龙井', available: true }),
      call('cart_manager', { action: 'add', itemId: 'zh-tea-100', quantity: 2 }),
      { text: 'Done.' },
      { text: 'Hello.' },
    ];
    const { detent, workspace } = await scripted(script, { shop: {} });
    await detent.shop.import(fixture('db.json'));
    await expect(detent.shop.import(fixture('db.json'))).rejects.toMatchObject({ code: 'SHOP_NOT_EMPTY' });
    const run = detent.run('tea, please', { sessionId: 's', principal: { userId: 'anya_garcia_3271' } });
    const [pending] = (await run.result).pending;
    expect(pending).toMatchObject({ name: 'cart_manager', decides: 'user' });
    await run.confirm(pending?.callId ?? '', { verdict: 'approve' });
    expect(await run.result).toMatchObject({ status: 'done' });
    const other = detent.run('hello', { sessionId: 'elsewhere', principal: { userId: 'anya_garcia_3271' } });
    await other.result;
    for (const [sessionId, { runId }] of [
      ['s', run],
      ['elsewhere', other],
    ] as const)
      await detent.sessions.rate(sessionId, { runId, thumb: 'down', by: 'anya_garcia_3271' });
    expect(await detent.shop.report()).toMatchObject({
      sessions: 1,
      answeredAlone: 1,
      calls: 2,
      cartAdds: 1,
      orders: 0,
      ratings: { up: 0, down: 1 },
    });
    expect((await detent.shop.report({ to: 1 })).ratings).toEqual({ up: 0, down: 0 });
    expect(readFileSync(join(workspace, '.detent/shop.db')).length).toBeGreaterThan(0);
  });

  it('calls a person of the shop, who finds the conversation with a reason and a summary', async () => {
    const why = { reason: 'a broken kettle', summary: 'Anya wants a repair of order #W1.' };
    const script = [call('transfer_to_human', why), { text: 'Somebody comes.' }];
    const { detent } = await scripted(script, { shop: {} });
    const principal = { userId: 'anya' };
    expect(await detent.run('help', { sessionId: 's', principal }).result).toMatchObject({
      text: 'Somebody comes.',
    });
    await expect
      .poll(async () => (await detent.sessions.show('s')).takenOver)
      .toMatchObject({ ...why, state: 'waiting' });
    expect((await detent.shop.report()).handedOver).toBe(1);
    const kept = detent.run('are you there?', { sessionId: 's', principal });
    await detent.sessions.takeOver('s', { by: 'boss' });
    await detent.sessions.say('s', 'I am', { by: 'boss' });
    expect((await kept.result).status).toBe('waiting');
  });

  it('is filled and counted by the command line, in a folder where no command was typed before', async () => {
    const workspace = await bareWorkspace();
    await workspace.write('detent.config.json', '{"shop":{}}');
    expect(await workspace.detent(['shop', 'report'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('detent shop import FILE'),
    });
    await workspace.write('db.json', fixture('db.json'));
    await workspace.write('bad.json', fixture('db.json').replace('"available":true', '"avail":true'));
    expect(await workspace.detent(['shop', 'import', 'bad.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/products\.\d+\.variants\.\d+(\.available)?: /),
    });
    expect(await workspace.detent(['shop', 'import', 'db.json'])).toMatchObject({
      code: 0,
      stdout: '31 products, 161 customers, 180 orders\n',
    });
    expect(await workspace.detent(['shop', 'import', 'db.json'])).toMatchObject({
      stderr: expect.stringContaining('--replace'),
    });
    const { view } = await workspace.json(['shop', 'report']);
    expect(view).toMatchObject({ sessions: 0, orders: 0, costUsd: 0, ratings: { up: 0, down: 0 } });
    await workspace.detent(['tenant', 'create', 'red']);
    expect(await workspace.detent(['shop', 'import', 'db.json', '--tenant', 'red'])).toMatchObject({
      code: 0,
    });
    expect(await workspace.detent(['shop', 'report', '--tenant', 'blue'])).toMatchObject({
      stderr: expect.stringContaining('blue'),
    });
    expect((await workspace.detent(['shop', 'report', '--tenant', 'red'])).stdout).toContain(
      'ratings          0 up',
    );
  });
});

describe('a file that is not a shop', () => {
  it.each([
    ['notes.txt', 'DATABASE_CORRUPT', 6],
    ['app.db', 'DATABASE_FOREIGN', 6],
  ])('keeps its bytes and permissions: %s', async (name, code, exit) => {
    const workspace = await bareWorkspace();
    const file = join(workspace.folder, name);
    if (name === 'notes.txt') writeFileSync(file, 'milk and eggs');
    else new Sqlite(file).exec('create table theirs (a)').close();
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    await workspace.write('detent.config.json', JSON.stringify({ shop: { file: name } }));
    const said = await workspace.detent(['run', '--json', 'hi']);
    expect([said.code, said.stdout + said.stderr]).toEqual([exit, expect.stringContaining(code)]);
    expect(said.stdout + said.stderr).toContain(name);
    expect(before.equals(readFileSync(file))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });
});
