import { expect, it } from 'vitest';
import { serve } from '../gateway/support.ts';
import { itDeep } from '../support/deep.ts';
import { scripted, tool } from '../support/detent.ts';
import { violations, visit } from './support.ts';

const write = tool('write_note', { sideEffect: 'unsafe' });

it('shows each run as a ball and a line, follows it, and opens it', async () => {
  const { detent } = await scripted(
    [
      { text: 'Two teas run out.' },
      { error: { message: 'the provider timed out' } },
      { toolCalls: [{ name: 'write_note' }] },
      { text: 'The note is written.' },
    ],
    { tools: { define: [write] } },
  );
  await detent.run('Which teas run out?', { sessionId: 'restock' }).result;
  await detent.run('Refund A-1043', { sessionId: 'refunds' }).result.catch(() => {});
  const { runId, pending } = await detent.run('Write a gift note', { sessionId: 'notes' }).result;
  const world = await serve(detent, { page: true });
  const { page } = await visit(world, '/runs', { isQuick: true });

  const waiting = page.getByRole('region', { name: 'Waiting for you' });
  await waiting.getByRole('link', { name: /Write a gift note/ }).waitFor();
  await waiting.getByText('notes, write_note').waitFor();
  const ended = page.getByRole('region', { name: 'Ended' });
  await ended.getByText('the provider timed out').waitFor();
  await page.getByRole('link', { name: '1 awaitingConfirm' }).waitFor();
  await page.getByRole('link', { name: '1 done' }).waitFor();
  expect(await violations(page)).toEqual([]);

  // A person decides elsewhere: the line moves by itself.
  await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve' });
  await ended.getByRole('link', { name: /Write a gift note/ }).waitFor();
  await page.getByRole('link', { name: '2 done' }).waitFor();

  await page.getByRole('link', { name: '1 failed' }).click();
  await page.getByRole('link', { name: /Which teas/ }).waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${world.url}/runs?state=failed`);
  await page.getByRole('button', { name: /Only failed/ }).click();
  await page.getByRole('searchbox').fill('teas');
  await page.getByRole('link', { name: /Refund/ }).waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${world.url}/runs?q=teas`);
  await page.reload();
  expect(await page.getByRole('searchbox').inputValue()).toBe('teas');
  await page.getByRole('searchbox').fill('coffee');
  await page.getByText('No run fits.').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
  await page.getByRole('link', { name: /Which teas/ }).waitFor();

  await page.getByRole('button', { name: 'Replay all logs' }).click();
  await page
    .getByRole('region', { name: 'Replay all logs' })
    .getByText(/3 logs agree with the machine: \d+ transitions/)
    .waitFor();
  await page.getByRole('link', { name: /Which teas/ }).click();
  await page.waitForURL('**/runs/run_*');
});

itDeep('draws of a long list what is in view, and more when asked', async () => {
  const { detent } = await scripted(Array.from({ length: 120 }, () => ({ text: 'Done.' })));
  for (let i = 0; i < 120; i++) await detent.run(`Question ${i}`, { sessionId: `s${i % 3}` }).result;
  const world = await serve(detent, { page: true });
  const { page } = await visit(world, '/runs');
  await page.getByRole('link', { name: /Question 119/ }).waitFor();
  expect(await page.locator('.run').count()).toBeLessThan(60);
  await page.getByRole('main').evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await page.getByRole('link', { name: /Question 20\b/ }).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  await page.getByRole('main').evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await page.getByRole('link', { name: /Question 0\b/ }).waitFor();
  expect(await violations(page)).toEqual([]);
});

itDeep('says all of it in Chinese, on a phone', async () => {
  const { detent } = await scripted([{ text: '好。' }]);
  const world = await serve(detent, { page: true });
  const { page } = await visit(world, '/runs', {
    locale: 'zh-CN',
    viewport: { width: 390, height: 844 },
    isQuick: true,
  });
  await page.getByText('今天还没有运行。').waitFor();
  await detent.run('把今天的顾客留言整理成三条', { sessionId: '客服' }).result;
  await page.getByRole('region', { name: '已结束' }).getByText('把今天的顾客留言整理成三条').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
