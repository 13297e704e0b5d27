import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../support/cli.ts';
import { scripted } from '../support/detent.ts';
import { fixture } from './support.ts';

const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });
const names = ['product_search', 'order_change', 'transfer_to_human'];

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
    ];
    const { detent, workspace } = await scripted(script, { shop: {} });
    await detent.shop.import(fixture('db.json'));
    await expect(detent.shop.import(fixture('db.json'))).rejects.toMatchObject({ code: 'SHOP_NOT_EMPTY' });
    const run = detent.run('tea, please', { principal: { userId: 'anya_garcia_3271' } });
    const [pending] = (await run.result).pending;
    expect(pending).toMatchObject({ name: 'cart_manager', decides: 'user' });
    await run.confirm(pending?.callId ?? '', { verdict: 'approve' });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect(await detent.shop.report()).toMatchObject({
      sessions: 1,
      answeredAlone: 1,
      calls: 2,
      cartAdds: 1,
      orders: 0,
    });
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

  it('is filled and counted by the command line', async () => {
    const workspace = await newWorkspace();
    await workspace.write('detent.config.json', '{"shop":{}}');
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
    expect(view).toMatchObject({ sessions: 0, orders: 0, costUsd: 0 });
  });
});
