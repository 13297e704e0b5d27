import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { withModel } from '../support/detent.ts';
import { violations, visit } from './support.ts';

const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 };

it('shows what models cost by day, model and session, and gives the table as a file', async () => {
  const model = scriptedModel([
    { text: 'One.', usage },
    { text: 'Two.', usage },
    { text: 'Three.', usage },
  ]);
  const detent = withModel(Object.assign(model, { price: { inputUsd: 100, outputUsd: 1_000 } }), {
    budgets: { team: { maxTokens: 10_000, per: 'day' } },
  });
  const world = await serve(detent, { page: true });
  const { page } = await visit(world, '/usage');
  await page.getByText('No model calls in this period.').waitFor();
  for (const session of ['tea', 'tea', '客服'])
    await detent.run('hello', { sessionId: session, budget: 'team' }).result;
  await page.reload();
  await page.getByText('$0.6000').first().waitFor();
  await page.getByRole('img', { name: /^Cost; maximum on/ }).waitFor();
  await page.getByText('3,300 tokens of 10,000 tokens').waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('button', { name: 'Tokens' }).click();
  await page.getByRole('row', { name: /tea 2 2,000 200 \$0\.4000/ }).waitFor();
  await page.getByText('input from a cache').waitFor();
  expect(new URL(page.url()).search).toBe('?by=session&measure=tokens');
  expect(await violations(page)).toEqual([]);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('usage-by-session.csv');
  expect(readFileSync(await download.path(), 'utf8')).toContain('tea,2,0,2000,800,200,0,0.4,0,0');
});

it('says all of it in Chinese, on a phone', async () => {
  const detent = withModel(scriptedModel([{ text: 'One.', usage }]));
  await detent.run('hello', { sessionId: 'tea' }).result;
  const world = await serve(detent, { page: true });
  const { page } = await visit(world, '/usage', { locale: 'zh-CN', viewport: { width: 390, height: 844 } });
  // Without a price, tokens say more.
  await page.getByText('1 次调用没有已知价格，没有计入总和。').waitFor();
  await page.getByRole('button', { name: 'Token', pressed: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
