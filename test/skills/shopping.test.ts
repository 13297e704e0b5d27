import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openSkills } from '../../src/runtime/parts/skills.ts';
import { answering } from '../support/cli.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { expectReplays } from '../support/left-behind.ts';
import { type MockSlot, textOf } from '../support/mock-provider.ts';
import { shopTools, variants } from './shop.ts';

const ours = readFileSync(new URL('../../skills/shopping-assistant/SKILL.md', import.meta.url), 'utf8');
/** A skill of the same name in the workspace, with a word of its own on questions. */
const ofTheirOwn = (confirm: string) => ({
  'skills/shopping-assistant/SKILL.md': ours.replace('metadata:', `confirm-before: ${confirm}\nmetadata:`),
});
const call = (name: string, args: object): MockSlot => ({ calls: [{ name, arguments: args }] });
const [cheapest] = variants
  .filter(({ name, available, options }) => name === 'Headphones' && available && options.type === 'over-ear')
  .sort((a, b) => a.price - b.price);
const item = cheapest?.item_id ?? '';
const put = (quantity: number) => ({ action: 'put', item_id: item, quantity });

/** A shop, a customer's request, and a scripted model on another server. */
async function shopping(script: readonly MockSlot[], options: DetentOptions = {}) {
  const provider = await answering(...script);
  const workspace = await temporaryWorkspace();
  const shop = shopTools();
  const detent = createDetent({
    workspace,
    env: { DETENT_HOME: workspace },
    model: 'shop/model',
    models: { shop: { baseUrl: provider.baseUrl } },
    tools: { define: shop.define },
    ...options,
  });
  onTestFinished(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  const results = () =>
    provider.requests.at(-1)?.body.messages.flatMap((message) => {
      return message.role === 'tool' ? [textOf(message)] : [];
    }) ?? [];
  return { detent, provider, shop, results };
}

describe('the shopping assistant', () => {
  it('is chosen by the model, finds what is in stock, and has the cart asked about before it changes', async () => {
    const { detent, provider, shop, results } = await shopping([
      call('skill', { name: 'shopping-assistant', arguments: 'over-ear headphones under 375 dollars' }),
      call('product_search', { query: 'headphones over-ear', max_price: 375 }),
      call('cart_manager', put(1)),
      call('cart_manager', { action: 'show' }),
      { text: 'They are in your cart.' },
    ]);
    const run = detent.run(
      'I want to buy over-ear headphones for less than 375 dollars, put them into my cart',
    );
    const waiting = await run.result;
    expect(waiting.status).toBe('waiting');
    expect(waiting.skills).toMatchObject({
      scores: [{ name: 'shopping-assistant' }],
      followed: [{ name: 'shopping-assistant', by: 'call', from: 'bundled', isTrusted: true }],
    });
    const [skill = '', found = ''] = results();
    expect(skill).toContain('What the user wants: over-ear headphones under 375 dollars');
    expect((JSON.parse(found) as { item_id: string }[])[0]?.item_id).toBe(item);
    expect(waiting.pending).toMatchObject([{ name: 'cart_manager', why: 'tool default: cart_manager asks' }]);
    expect(shop.lines()).toEqual([]);
    const [pending] = waiting.pending;
    await run.confirm(pending?.callId ?? '', { verdict: 'modify', arguments: put(2) });
    const view = await detent.runs.attach(waiting.runId).result;
    expect(view).toMatchObject({ status: 'done', text: 'They are in your cart.' });
    expect(shop.lines()).toMatchObject([{ item_id: item, quantity: 2 }]);
    const shown = JSON.parse(results().at(-1) ?? '') as { total: number };
    expect(shown.total).toBeCloseTo(2 * (cheapest?.price ?? 0));
    const names = provider.requests[1]?.body.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toEqual(expect.arrayContaining(['product_search', 'order_query', 'cart_manager']));
    expect(names).not.toContain('write_file');
  });

  it('leaves the cart as it is when the user says no', async () => {
    const { detent, shop, results } = await shopping([
      call('cart_manager', put(1)),
      { text: 'As you wish.' },
    ]);
    const run = detent.run('/shopping-assistant the red ones');
    const { pending } = await run.result;
    await run.confirm(pending[0]?.callId ?? '', { verdict: 'reject', reason: 'too dear' });
    expect((await detent.runs.attach(run.runId).result).status).toBe('done');
    expect(results().at(-1)).toContain('too dear');
    expect(shop.lines()).toEqual([]);
  });

  it('looks orders up, says what is not there, and reads no file', async () => {
    const { detent, results } = await shopping([
      call('order_query', { order_id: '#W0000000' }),
      call('read_file', { path: 'secret.txt' }),
      call('order_query', { order_id: '#W7736708' }),
      { text: 'It has been delivered.' },
    ]);
    const view = await detent.run('/shopping-assistant where is #W7736708?').result;
    expect(view.status).toBe('done');
    const [none, file, order = ''] = results();
    expect(JSON.parse(order)).toMatchObject({ status: 'delivered' });
    expect(none).toContain('there is no order #W0000000');
    expect(file).toContain('may not be used');
    const codes = view.steps.flatMap(({ toolCalls }) => toolCalls.map(({ code }) => code ?? null));
    expect(codes).toEqual(['ORDER_NOT_FOUND', 'TOOL_NOT_ALLOWED', null]);
  });

  it('spares its user the questions in a version of their own, from when they approve it', async () => {
    const workspace = await temporaryWorkspace();
    const env = { DETENT_HOME: workspace };
    await writeFiles(workspace, ofTheirOwn('[]'));
    const script = [call('cart_manager', put(1)), { text: 'Done.' }];
    const careful = await shopping(script, { workspace, env });
    expect((await careful.detent.run('/shopping-assistant these').result).pending).toHaveLength(1);
    await careful.detent.close();
    await openSkills({ env }, workspace).approve('shopping-assistant');
    const quick = await shopping(script, { workspace, env });
    const view = await quick.detent.run('/shopping-assistant these').result;
    expect(view.status).toBe('done');
    expect(view.steps[0]?.toolCalls[0]?.why).toBe(
      'trusted skill: shopping-assistant, over tool default: cart_manager asks',
    );
    expect(quick.shop.lines()).toMatchObject([{ quantity: 1 }]);
  });

  it('asks about the cart when its version says so, though the tool would not', async () => {
    const workspace = await temporaryWorkspace();
    await writeFiles(workspace, ofTheirOwn('cart_manager'));
    const { detent } = await shopping([call('cart_manager', put(1)), { text: 'Done.' }], {
      workspace,
      policy: { confirm: { cart_manager: false } },
    });
    expect((await detent.run('/shopping-assistant these').result).pending).toMatchObject([
      { why: expect.stringContaining('confirm-before of skill shopping-assistant, over configuration') },
    ]);
  });
});
