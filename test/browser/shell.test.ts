import { expect, it } from 'vitest';
import { scopes } from '../../src/protocol/access.ts';
import { itDeep } from '../support/deep.ts';
import { tool } from '../support/detent.ts';
import { servedPage, violations, visit } from './support.ts';

it('says in the tab of the browser which session it shows, and that a question waits', async () => {
  const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
  const gateway = await servedPage([{ toolCalls: [{ name: 'pay', arguments: {} }] }], {
    tools: { define: [pay] },
  });
  await gateway.detent.run('pay ann', { sessionId: 'till' }).result;
  const { page } = await visit(gateway, '/chat/till');
  await expect.poll(() => page.title()).toBe('(1) pay ann · Detent');
  await page.getByRole('link', { name: 'Jobs' }).click();
  await expect.poll(() => page.title()).toBe('(1) Jobs · Detent');
});

itDeep('works under a prefix', async () => {
  const gateway = await servedPage([], {}, { prefix: '/shop/agent' });
  const { page, requests } = await visit(gateway, '/shop/agent/runs');
  for (const name of ['Jobs', 'Memory', 'Chat']) {
    await page.getByRole('link', { name }).click();
    await page.waitForURL(`${gateway.url}/shop/agent/${name.toLowerCase()}`);
  }
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
  expect(await page.evaluate(() => document.fonts.ready.then((fonts) => fonts.size))).toBeGreaterThan(0);
  expect(requests.filter((address) => !new URL(address).pathname.startsWith('/shop/agent'))).toEqual([]);
  expect(requests).toContain(`${gateway.url.replace('http', 'ws')}/shop/agent/ws`);
});

it('takes the code of a login link out of the address, and keeps the tab logged in', async () => {
  const gateway = await servedPage([]);
  const { page } = await visit(gateway, '/runs');
  expect(page.url()).toBe(`${gateway.url}/runs`);
  await page.reload();
  await page.getByRole('link', { name: 'Chat' }).waitFor();
});

itDeep('is opened by a link of "detent token login", and by its code', async () => {
  const gateway = await servedPage([]);
  const { page } = await visit(gateway);
  const { code } = await gateway.detent.tokens.createLogin();
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${gateway.url}/jobs#login=${code}`);
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByLabel('Login link or token').fill((await gateway.detent.tokens.createLogin()).code);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
});

it('logs a second tab of the same browser in by the first one', async () => {
  const gateway = await servedPage([]);
  const { context } = await visit(gateway);
  const second = await context.newPage();
  await second.goto(`${gateway.url}/jobs`);
  await second.getByRole('heading', { name: 'Jobs' }).waitFor();
});

itDeep('asks a stranger for a login link, and tells why a used one is refused', async () => {
  // The token of a process looks like a code.
  const token = 'own_token_of_this_process_'.padEnd(43, 'x');
  const own = [{ token, caller: { tenantId: 1, userId: null, name: 'serve', scopes } }];
  const gateway = await servedPage([], {}, { own });
  const { page, context } = await visit(gateway, '/chat', { expects: /401/ });
  const code = gateway.gateway.loginCode();
  await page.evaluate(() => sessionStorage.clear());
  await context.clearCookies();
  await page.close();
  const stranger = await context.newPage();
  await stranger.goto(gateway.url);
  const field = stranger.getByLabel('Login link or token');
  await field.fill(`${gateway.url}/#login=${code}`);
  await stranger.getByRole('button', { name: 'Log in' }).click();
  await stranger.getByRole('navigation', { name: 'Main' }).waitFor();
  await stranger.evaluate(() => sessionStorage.clear());
  await stranger.goto(`${gateway.url}/#login=${code}`);
  await stranger.reload();
  await stranger.getByLabel('Login link or token').fill(code);
  await stranger.getByRole('button', { name: 'Log in' }).click();
  await stranger.getByText('This is neither a valid link nor a valid token').waitFor();
  expect(await violations(stranger)).toEqual([]);
  // The page of a stranger has the languages, too, and says of a wrong token that it is one.
  await stranger.getByRole('button', { name: '切换到简体中文' }).click();
  await stranger.getByText('这既不是有效的链接').waitFor();
  await stranger.getByLabel('登录链接或令牌').fill('wrong.token');
  await stranger.getByRole('button', { name: '登录' }).click();
  await stranger.getByText('这个令牌无效').waitFor();
  await stranger.goto(`${gateway.url}/#login=${code}`);
  await stranger.getByText('这个链接已经用过').waitFor();
  await stranger.getByLabel('登录链接或令牌').fill(token);
  await stranger.getByRole('button', { name: '登录' }).click();
  await stranger.getByRole('navigation', { name: '主导航' }).waitFor();
});

it('switches the language and the theme, and remembers both', async () => {
  const gateway = await servedPage([]);
  const { page } = await visit(gateway);
  await page.getByRole('button', { name: '切换到简体中文' }).click();
  await page.getByRole('link', { name: '运行' }).waitFor();
  await page.getByRole('button', { name: '浅色或深色' }).click();
  await page.reload();
  await page.getByRole('link', { name: '任务' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
});
