import { createWebSocketInspector } from '@statelyai/inspect';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { assign, createActor, setup } from 'xstate';
import { inspect, inspectUrl } from '../../src/inspect/index.ts';
import { open } from '../gateway/inspect/support.ts';
import { servedPage, violations, visit } from './support.ts';

type TillEvent =
  | { type: 'scan'; cents: number }
  | { type: 'pay' }
  | { type: 'paper.out' }
  | { type: 'close' };

/** A till of a shop: what it sells and its printer hold at once, and paying has states of its own. */
const till = setup({
  types: { context: {} as { cents: number; items: number }, events: {} as TillEvent },
  actions: {
    add: assign({
      cents: ({ context, event }) => context.cents + (event.type === 'scan' ? event.cents : 0),
      items: ({ context }) => context.items + 1,
    }),
  },
}).createMachine({
  id: 'till',
  context: { cents: 0, items: 0 },
  initial: 'open',
  states: {
    open: {
      type: 'parallel',
      on: { close: 'closed' },
      states: {
        sale: {
          initial: 'empty',
          states: {
            empty: { on: { scan: { target: 'filled', actions: 'add' } } },
            filled: { on: { scan: { actions: 'add' }, pay: 'paying' } },
            paying: {
              initial: 'asking',
              states: { asking: { on: { pay: 'booked' } }, booked: { type: 'final' } },
            },
          },
        },
        printer: { initial: 'ready', states: { ready: { on: { 'paper.out': 'jammed' } }, jammed: {} } },
      },
    },
    closed: { type: 'final' },
  },
});

/** A gateway with the page, and a token for programs that show their actors. */
async function world() {
  const gateway = await servedPage([]);
  const token = await gateway.token({ scopes: ['read', 'write'] });
  return { ...gateway, token };
}

/** A till of a program that uses `inspect()`. */
function openTill({ url, token }: { url: string; token: string }, sender = 'my-shop') {
  const inspector = inspect({ url, token, sender });
  onTestFinished(() => inspector.stop());
  const actor = createActor(till, { inspect: inspector.inspect });
  actor.start();
  return { actor, inspector };
}

/** What the program `real` sends to. */
const sendingUrl = ({ url, token }: { url: string; token: string }) =>
  inspectUrl({ url, token }, { use: 'send', sender: 'real' });

const tillJson = JSON.stringify(till.config);

/** The innermost states that the chart lights. */
const lit = (page: Page) =>
  page
    .locator('.chart svg g.leaf.on')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-id')).sort());

it('says by which lines of code actors appear, and lists them as they come', async () => {
  const gateway = await world();
  const { page } = await visit(gateway, '/runs', { isQuick: true });
  await page.getByRole('link', { name: 'Live actors' }).click();
  await page.getByText('Three lines make them appear').waitFor();
  await page.getByText(`inspect({ url: '${gateway.url}'`).waitFor();
  expect(await violations(page)).toEqual([]);
  const { actor } = openTill(gateway);
  const line = page.getByRole('listitem').filter({ hasText: 'my-shop' });
  await line.getByText('empty').waitFor();
  actor.send({ type: 'scan', cents: 450 });
  await line.getByText('filled').waitFor();
  expect(await violations(page)).toEqual([]);
});

it('shows an actor of inspect() in the inspector as it moves, and any moment of it', async () => {
  const gateway = await world();
  const { actor, inspector } = openTill(gateway);
  actor.send({ type: 'scan', cents: 450 });
  const { page } = await visit(gateway, '/actors', { isQuick: true });
  await page.getByRole('link', { name: 'till' }).click();
  await page.locator('.chart svg').waitFor();
  for (const event of [{ type: 'scan', cents: 200 }, { type: 'pay' }, { type: 'paper.out' }] as const)
    actor.send(event);
  const read = page.getByRole('complementary', { name: 'At this moment' });
  await read.getByText('open.printer.jammed').waitFor();
  await expect.poll(() => lit(page)).toEqual(['open.printer.jammed', 'open.sale.paying.asking']);
  await expect.poll(() => page.locator('.chart .e.last title').textContent()).toContain('paper.out');
  expect(await violations(page)).toEqual([]);

  await page.getByRole('slider').fill('3');
  await expect.poll(() => lit(page)).toEqual(['open.printer.ready', 'open.sale.filled']);
  const change = read.getByRole('row', { name: 'cents' });
  await expect.poll(() => change.locator('ins').textContent()).toBe('650');
  await page.waitForURL(/seq=3$/);
  // What goes on does not move who looks back, nor does it in the page that the address restores.
  actor.send({ type: 'close' });
  await page.getByRole('main').getByText('The actor has ended: done').waitFor();
  await page.reload();
  await expect.poll(() => lit(page)).toEqual(['open.printer.ready', 'open.sale.filled']);
  await page.keyboard.press('End');
  await expect.poll(() => lit(page)).toEqual(['closed']);
  for (const name of ['Fork', 'Compare']) expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByText('Why it took this path').count()).toBe(0);
  inspector.stop();
});

it('shows an actor of the real createWebSocketInspector, and says when its program goes and comes again', async () => {
  const gateway = await world();
  const inspector = createWebSocketInspector({ url: await sendingUrl(gateway) });
  onTestFinished(() => inspector.stop());
  const actor = createActor(till, { inspect: inspector.inspect });
  actor.start();
  const { page } = await visit(gateway, '/actors', { isQuick: true });
  await page.getByRole('listitem').getByRole('link').first().click();
  actor.send({ type: 'scan', cents: 300 });
  await expect.poll(() => lit(page)).toEqual(['open.printer.ready', 'open.sale.filled']);
  inspector.stop();
  await page.getByRole('main').getByText('Its program is not connected').waitFor();
  const { pathname } = new URL(page.url());
  const { socket } = await open(await sendingUrl(gateway));
  const { sessionId } = actor;
  const snapshot = { status: 'active', value: { open: { sale: 'empty', printer: 'ready' } }, context: {} };
  socket.send(
    JSON.stringify({ type: '@xstate.actor', sessionId, name: 'till', definition: tillJson, snapshot }),
  );
  await page.getByRole('main').getByText('The actor was registered again').waitFor();
  expect(new URL(page.url()).pathname).toBe(pathname);
  await expect.poll(() => lit(page)).toEqual(['open.printer.ready', 'open.sale.empty']);
  expect(await violations(page)).toEqual([]);
});

it('takes what an actor says of itself as data, on a phone and in Chinese', async () => {
  const gateway = await world();
  const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
  const hostile = setup({}).createMachine({
    id: script,
    description: script,
    context: { [script]: script, long: 'x'.repeat(5_000) },
    initial: script,
    states: {
      [script]: { description: script, on: { [script]: 'b'.repeat(150) } },
      ['b'.repeat(150)]: { tags: [script] },
    },
  });
  const inspector = inspect({ url: gateway.url, token: gateway.token, sender: script });
  onTestFinished(() => inspector.stop());
  const actor = createActor(hostile, { inspect: inspector.inspect });
  actor.start();
  actor.send({ type: script, text: script } as never);
  const { page } = await visit(gateway, '/settings', {
    viewport: { width: 390, height: 844 },
    locale: 'zh-CN',
    colorScheme: 'dark',
    hasTouch: true,
  });
  await page.getByRole('link', { name: '实时 actor' }).click();
  await page.getByRole('heading', { name: '实时 actor' }).waitFor();
  const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  const line = page.getByRole('listitem').getByRole('link');
  await line.waitFor();
  expect([await isWide(), await violations(page)]).toEqual([false, []]);
  await line.click();
  await page.locator('.chart svg').waitFor();
  await page.getByText('推断出来').waitFor();
  expect([await isWide(), await violations(page)]).toEqual([false, []]);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.title()).toContain('Detent');
});
