import type { Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { serve } from '../gateway/support.ts';
import { scripted, tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { inSizes } from '../support/size.ts';
import { expectAccessible, violations, visit } from './support.ts';

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
  const others = [
    'memory',
    'skills',
    'tools',
    'usage',
    'settings',
    'trust',
    'learn',
    'learn/2',
    'learn/docs/policy',
  ];
  return {
    ...(await serve(detent, { scheduler, page: true })),
    paths: [...chats, ...runs, ...jobs, ...others],
    isChat: (path: string) => chats.includes(path),
  };
}

it('opens every page by its address, in both themes, without a fault that axe-core knows', async () => {
  const world = await worldOfPages();
  const { page } = await visit(world);
  for (const path of world.paths) {
    await page.goto(`${world.url}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page, path);
  }
});

const sizes = {
  'a small phone on its side': { width: 667, height: 375 },
  'a phone': { width: 390, height: 844 },
  'a low window': { width: 1280, height: 600 },
  'twice as large': { width: 720, height: 450 },
};

it.each([
  { locale: 'zh-CN', half: 0, names: ['a small phone on its side', 'a phone'] },
  { locale: 'en-GB', half: 1, names: ['a low window', 'twice as large'] },
] as const)(
  'has its navigation on every page, and scrolls no window, in $locale, when it is $names',
  async ({ locale, half, names }) => {
    const world = await worldOfPages();
    const { page } = await visit(world, '/chat', { viewport: sizes[names[0]], locale });
    // Each page in one of the two but at the full size.
    const paths = world.paths.filter((_, i) =>
      inSizes({ usual: i % 2 === half, deep: i % 2 === half, full: true }),
    );
    for (const path of paths) {
      await page.goto(`${world.url}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const name of names) {
        const viewport = sizes[name];
        await page.setViewportSize(viewport);
        const where = `${path}, ${name}`;
        await expect.poll(() => overflow(page), { message: where }).toEqual([0, 0, 0]);
        const links = page.getByRole('navigation').first().getByRole('link');
        for (const link of [links.nth(1), links.last()]) {
          await link.scrollIntoViewIfNeeded();
          await expect.poll(() => isSeen(link, viewport), { message: where }).toBe(true);
        }
        const message = page.getByRole('textbox').last();
        if (world.isChat(path))
          await expect.poll(() => isSeen(message, viewport), { message: where }).toBe(true);
      }
    }
    for (const name of names) {
      await page.setViewportSize(sizes[name]);
      expect(await violations(page), name).toEqual([]);
    }
  },
);

/** How far the window and the main part can be scrolled that should not be. */
function overflow(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    const main = document.querySelector('main');
    return [
      scrollWidth - clientWidth,
      scrollHeight - clientHeight,
      (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
    ];
  });
}

async function isSeen(of: Locator, { width, height }: { width: number; height: number }): Promise<boolean> {
  const box = await of.boundingBox();
  return (
    box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  );
}
