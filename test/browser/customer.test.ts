import { expect, it } from 'vitest';
import { itDeep } from '../support/deep.ts';
import { tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { say, story } from './chat-support.ts';
import { logInWith, servedPage, violations, visit } from './support.ts';

it('is a chat alone for a login that converses: who writes, answers, decides on what is theirs, and sees nothing of the inside', async () => {
  const buy = tool('buy', { sideEffect: 'unsafe', confirm: 'user', run: () => 'bought' });
  const refund = tool('refund', { sideEffect: 'unsafe', confirm: 'staff', run: () => 'refunded' });
  const gateway = await servedPage(
    [
      { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which size?' } }] },
      { toolCalls: [{ name: 'buy', arguments: { size: 'M' } }] },
      { text: 'It is yours.' },
      { toolCalls: [{ name: 'refund', arguments: { order: '7' } }] },
    ],
    { tools: { define: [buy, refund] }, workflows: [orderWorkflow] },
  );
  const { page } = await visit(gateway);
  const token = await gateway.token({ scopes: ['talk'], userId: 'ann' });
  await logInWith(token, page, `${gateway.url}/chat`);
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await expect.poll(() => links.allInnerTexts()).toEqual([expect.any(String), 'Chat']);
  expect(await violations(page)).toEqual([]);

  await say(page, 'A shirt, please');
  await page.getByRole('heading', { name: 'Which size?' }).waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('M');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Answer(?: Ctrl|$)/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).waitFor();
  expect(await page.getByRole('dialog').getByRole('checkbox').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await story(page).getByText('It is yours.').waitFor();

  await say(page, 'I send it back');
  await page.getByText('Someone else decides on this.', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: /^Approve(?: Ctrl|$)/ }).isDisabled()).toBe(true);
  await page.reload();
  await page.getByText('Someone else decides on this.', { exact: false }).waitFor();
  const words = await page.locator('body').innerText();
  expect(words).not.toMatch(/NaN|undefined|tokens|script|Inspect|Try again|may look/);
  expect(await page.locator('a[href*="/runs/"]').count()).toBe(0);

  await page.goto(`${gateway.url}/usage`);
  await page.getByRole('heading', { name: 'it opens only the chat', exact: false }).waitFor();
  await page.getByRole('link', { name: 'To the chat' }).click();
  await page.waitForURL(`${gateway.url}/chat`);
});

itDeep('shows a customer the workflow that is theirs', async () => {
  const gateway = await servedPage([], { workflows: [orderWorkflow] });
  const { page } = await visit(gateway);
  const token = await gateway.token({ scopes: ['talk'], userId: 'ann' });
  const started = await gateway.http('/api/v1/workflows/order/runs', {
    method: 'POST',
    token,
    body: { input: { order: 'tea' } },
  });
  expect(started.status).toBe(202);
  await logInWith(token, page, `${gateway.url}/chat/${encodeURIComponent(started.body.sessionId ?? '')}`);
  await page.getByRole('heading', { name: 'Send tea?' }).waitFor();
  expect(await page.getByRole('button', { name: 'run.cancel' }).isEnabled()).toBe(true);
  expect(await page.locator('a[href*="/runs/"]').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});
