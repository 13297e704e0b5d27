import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { itDeep } from '../support/deep.ts';
import { gate, tool } from '../support/detent.ts';
import { marks, say, story, streaming } from './chat-support.ts';
import { expectAccessible, servedPage, violations, visit } from './support.ts';

const look = tool('look', { run: () => JSON.stringify([{ tea: 'Longjing', packs: 14 }]) });
const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => 'paid' });

it('tells a run in the states that it went through, with its tools, and restores it by its address', async () => {
  const gateway = await servedPage(
    [
      { text: 'I will look.', reasoning: 'What is on the shelf?', toolCalls: [{ name: 'look' }] },
      { text: 'I will buy more.', toolCalls: [{ name: 'pay', arguments: { packs: 60 } }] },
      { text: 'There are **74** packs.' },
    ],
    { tools: { define: [look, pay] } },
  );
  const { page } = await visit(gateway);
  await say(page, 'Are there 60 packs?');
  await page.getByRole('button', { name: /^Approve/ }).click();
  await story(page).getByText('There are 74 packs.').waitFor();
  await story(page).getByRole('cell', { name: 'Longjing' }).waitFor();
  const states = ['You', 'thinking', 'tooling', 'thinking', 'awaiting you', 'tooling', 'thinking', 'done'];
  await expect.poll(() => marks(page)).toEqual(states);
  await story(page)
    .getByText(/Approved pay/)
    .waitFor();

  expect(await story(page).getByText('What is on the shelf?').isVisible()).toBe(false);
  await story(page).getByText('Reasoning').click();
  await story(page).getByText('What is on the shelf?').waitFor();
  await story(page)
    .getByRole('button', { name: /^pay packs: 60/ })
    .click();
  await story(page).getByRole('region', { name: 'Arguments' }).getByText('60').waitFor();
  const link = story(page).getByRole('link', { name: /seq 2–3/ });
  expect(await link.getAttribute('href')).toMatch(/^\/runs\/run_\w+\?seq=3$/);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Think-Act-Observe' }).click();
  await expect
    .poll(async () => (await marks(page)).slice(1, 5))
    .toEqual(['Think', 'Act', 'Observe', 'Think']);
  await page.reload();
  await story(page).getByText('There are 74 packs.').waitFor();
  await page.getByRole('button', { name: 'States', exact: true }).click();
  await expect.poll(() => marks(page)).toEqual(states);

  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('packs');
  const hit = page.locator('.sess').getByRole('link', { name: /Are there 60 packs/ });
  // Before the hits, the session itself stands there.
  await expect.poll(() => hit.first().getAttribute('href')).toMatch(/^\/chat\/[\w-]+\?run=run_\w+$/);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Are there 60 packs?' }).click();
  await page.keyboard.press('i');
  await page.waitForURL(/\/runs\/run_\w+$/);
});

it('goes on in the middle of an answer: after a reload, in a second tab, and when the gateway comes back', async () => {
  const door = gate();
  const gateway = await servedPage([], streaming([{ pieces: ['One, two.\n\n', door.pass, 'Three, four.'] }]));
  const { page, context } = await visit(gateway, '/chat', { expects: /refused|WebSocket|Failed to load/i });
  await say(page, 'Count.');
  await story(page).getByText('One, two.').waitFor();
  await page.reload();
  await story(page).getByText('One, two.').waitFor();
  const second = await context.newPage();
  await second.goto(page.url());
  await story(second).getByText('One, two.').waitFor();

  const { port } = gateway.server.address() as AddressInfo;
  await gateway.gateway.close();
  gateway.server.closeAllConnections();
  await new Promise((resolve) => gateway.server.close(resolve));
  await page.getByText(/is not responding/).waitFor();
  const again = createGateway(gateway.detent, { page: true, limits: { drainMs: 500 } });
  const server = createServer(gatewayListener(again));
  serveWebSockets(server, again);
  onTestFinished(async () => {
    await again.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await page.getByText(/is not responding/).waitFor({ state: 'detached' });
  door.open();
  for (const tab of [page, second]) {
    await story(tab).getByText('Three, four.').waitFor();
    await story(tab).locator('.ent.stay').getByText('done').waitFor();
    expect(await marks(tab)).toEqual(['You', 'thinking', 'done']);
    expect((await story(tab).innerText()).match(/One, two\./g)).toHaveLength(1);
  }
});

itDeep('shows words that were taken back, a message that steers, and why a run failed', async () => {
  const door = gate();
  const busy = { message: 'The provider was busy.', retryable: true, retryAfterMs: 1 };
  const gateway = await servedPage(
    [],
    streaming([
      { pieces: ['Half of an answ'], error: busy },
      { pieces: ['I begin.\n\n', door.pass, 'And end.'] },
      { pieces: ['As you say.'] },
      { pieces: [], error: { message: 'The model does not know this.', retryable: false } },
    ]),
  );
  const { page } = await visit(gateway);
  await say(page, 'Say it.');
  await story(page).getByText('I begin').waitFor();
  const taken = story(page).getByText(/Withdrawn: the answer broke off/);
  expect(await story(page).locator('del').isVisible()).toBe(false);
  await taken.click();
  await story(page).locator('del').getByText('Half of an answ').waitFor();
  await story(page)
    .getByText(/The provider was busy\. Detent waited and asked again/)
    .waitFor();
  await say(page, 'And louder.');
  await story(page).getByText('And louder.').waitFor();
  door.open();
  await story(page).getByText('As you say.').waitFor();
  await expect
    .poll(() => marks(page))
    .toEqual(['You', 'thinking', 'backing off', 'thinking', 'You steered', 'thinking', 'done']);
  await say(page, 'Once more.');
  await story(page).locator('.why li').first().waitFor();
  await expect.poll(async () => (await marks(page)).at(-1)).toBe('failed');
  await story(page).getByText('The model call failed.', { exact: true }).waitFor();
});

it('is whole in Chinese on a phone, with the sessions in a drawer', async () => {
  const gateway = await servedPage([{ text: '中通最便宜：**¥12**，后天到。' }, { text: '好的。' }]);
  const { page } = await visit(gateway, '/chat', { locale: 'zh-CN', viewport: { width: 390, height: 844 } });
  await page.getByRole('heading', { name: '我能为你做什么？' }).waitFor();
  await say(page, '春茶礼盒怎么寄最便宜？');
  await story(page).getByText('¥12').waitFor();
  await story(page).getByText('复制').waitFor();
  const isTooWide = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(await isTooWide()).toBe(false);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: '显示会话' }).click();
  const drawer = page.getByRole('dialog', { name: '会话' });
  await drawer.getByText('今天').waitFor();
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('link', { name: '新会话' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: '我能为你做什么？' }).waitFor();
  await page.getByRole('button', { name: '显示会话' }).click();
  await drawer.getByRole('link', { name: /春茶礼盒/ }).click();
  await story(page).getByText('¥12').waitFor();
});
