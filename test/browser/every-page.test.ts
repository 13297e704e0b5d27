import type { Locator } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { serve } from '../gateway/support.ts';
import { scripted, tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { inSizes } from '../support/size.ts';
import { violations, visit } from './support.ts';

/** Every day, one page is seen in light and the next in dark. */
const isEach = inSizes({ usual: false, deep: true, full: true });

/** A gateway with something on every page, and the path of each. */
async function worldOfPages() {
  const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
  const script = [{ text: '# Tea\n\nBoil **water**.' }, { toolCalls: [{ name: 'pay', arguments: {} }] }];
  const { detent } = await scripted(script, { tools: { define: [pay] }, workflows: [orderWorkflow] });
  const { runId: done } = await detent.run('make tea', { sessionId: 'tea' }).result;
  const { runId: asks } = await detent.run('pay ann', { sessionId: 'till' }).result;
  const flow = detent.workflows.start('order', { order: 'o1' });
  await flow.started;
  const scheduler = createScheduler(detent);
  await scheduler.start();
  onTestFinished(() => scheduler.close());
  await scheduler.add({ jobId: 'bank', cron: '0 9 * * *', prompt: 'x' });
  const chats = ['chat', 'chat/tea', 'chat/till'];
  const runs = ['runs', `runs/${done}`, `runs/${asks}`, `runs/${flow.runId}`, 'actors', 'workflows'];
  const jobs = ['jobs', 'jobs/bank', 'jobs?form=new'];
  const others = ['memory', 'skills', 'tools', 'usage', 'settings', 'trust', 'learn', 'learn/2'];
  return {
    ...(await serve(detent, { scheduler, page: true })),
    paths: [...chats, ...runs, ...jobs, ...others],
    isChat: (path: string) => chats.includes(path),
  };
}

it('opens every page by its address, in both themes, without a fault that axe-core knows', async () => {
  const world = await worldOfPages();
  const { page } = await visit(world);
  for (const [i, path] of world.paths.entries()) {
    await page.goto(`${world.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const themes = ['light', 'dark'];
    for (const theme of isEach ? themes : themes.slice(i % 2, 1 + (i % 2))) {
      await page.evaluate((one) => {
        document.documentElement.dataset.theme = one;
      }, theme);
      expect(await violations(page), `${path}, ${theme}`).toEqual([]);
    }
  }
});

it.each([
  ['a small phone on its side', { width: 667, height: 375 }, 'zh-CN'],
  ['twice as large', { width: 720, height: 450 }, 'en-GB'],
  ['a low window', { width: 1280, height: 600 }, 'en-GB'],
  ['a phone', { width: 390, height: 844 }, 'zh-CN'],
])('has its navigation on every page, and scrolls no window, when it is %s', async (_, viewport, locale) => {
  const world = await worldOfPages();
  const { page } = await visit(world, '/chat', { viewport, locale });
  for (const path of world.paths) {
    await page.goto(`${world.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const overflow = () =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
        const main = document.querySelector('main');
        return [
          scrollWidth - clientWidth,
          scrollHeight - clientHeight,
          (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
        ];
      });
    await expect.poll(overflow, { message: path }).toEqual([0, 0, 0]);
    const links = page.getByRole('navigation').first().getByRole('link');
    for (const link of [links.nth(1), links.last()]) {
      await link.scrollIntoViewIfNeeded();
      expect(await isSeen(link, viewport), path).toBe(true);
    }
    if (world.isChat(path)) expect(await isSeen(page.getByRole('textbox').last(), viewport), path).toBe(true);
  }
  expect(await violations(page)).toEqual([]);
});

async function isSeen(of: Locator, { width, height }: { width: number; height: number }): Promise<boolean> {
  const box = await of.boundingBox();
  return (
    box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  );
}
