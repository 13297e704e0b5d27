import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { serve } from '../gateway/support.ts';
import { scripted, temporaryWorkspace, tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { visit } from './support.ts';

/** A gateway with something to show on every page, and the addresses of all of them. */
async function shop() {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'skills/brew'), { recursive: true });
  await writeFile(
    join(workspace, 'skills/brew/SKILL.md'),
    '---\nname: brew\ndescription: Makes tea.\n---\nBoil water.\n',
  );
  await writeFile(join(workspace, 'MEMORY.md'), '- Likes green tea\n');
  const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 };
  const script = [
    { text: 'I will.', toolCalls: [{ name: 'sell', arguments: { tea: 'Longjing' } }] },
    { text: '# Sold\n\n```js\n1\n```', usage },
  ];
  const { detent } = await scripted(script, {
    workspace,
    tools: { define: [tool('sell', { run: () => Promise.resolve({ packs: [1, 2] }) })] },
    workflows: [orderWorkflow],
    budgets: { team: { maxTokens: 10_000, per: 'day' } },
  });
  const scheduler = createScheduler(detent);
  await scheduler.add({ jobId: 'stock', cron: '0 9 * * *', prompt: 'What runs out?' });
  onTestFinished(() => scheduler.close());
  const { runId } = await detent.run('Sell a pack, please', { sessionId: 'tea', budget: 'team' }).result;
  const order = await detent.workflows.start('order', { order: 'o1' }).result;
  const world = await serve(detent, { scheduler, page: true });
  const paths = [
    '/chat/tea',
    `/runs/${runId}?seq=2`,
    `/runs/${order.runId}`,
    '/runs',
    '/jobs',
    '/jobs/stock',
  ];
  paths.push('/jobs/stock?form=edit', '/actors', '/workflows', '/memory', '/memory/MEMORY.md', '/skills');
  paths.push('/skills/brew', '/tools', '/tools/sell', '/usage', '/settings', '/learn', '/learn/1', '/trust');
  return { world, paths };
}

interface Look {
  name: string;
  /** x, y, width, height */
  box: number[];
  style: string;
}

/** Where each element is that the page shows, and how it looks: as before, or else once nothing moves any more. */
async function looks(page: Page, was: readonly Look[] = []): Promise<Look[]> {
  await page.locator('main:not(.loading, [aria-busy="true"])').waitFor();
  for (let before = ''; ; await page.waitForTimeout(was.length > 0 && before === '' ? 50 : 300)) {
    const now = await page.evaluate(() => {
      const all = [...document.querySelectorAll('.stage :not(option)')];
      return all
        .filter((one) => one.checkVisibility())
        .map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          const { display, fontSize, color, backgroundColor, padding, borderWidth } = getComputedStyle(one);
          return {
            name: `${one.localName}.${one.getAttribute('class') ?? ''}`,
            box: [x, y, width, height],
            style: [display, fontSize, color, backgroundColor, padding, borderWidth].join(' '),
          };
        });
    });
    if (JSON.stringify(now) === before || differences(was, now).length === 0) return now;
    before = JSON.stringify(now);
  }
}

function differences(was: readonly Look[], now: readonly Look[]): unknown[] {
  const changed = was.flatMap((one, at) => (isSame(one, now[at]) ? [] : [{ was: one, now: now[at] }]));
  return was.length === now.length ? changed : [...changed, { was: was.length, now: now.length }];
}

/** Numbers of the chart are drawn at fractions of a pixel. */
function isSame(a: Look, b: Look | undefined): boolean {
  return (
    a.name === b?.name && a.style === b.style && a.box.every((at, i) => Math.abs(at - (b.box[i] ?? 0)) <= 1)
  );
}

it('draws every page as it is drawn when it is opened first, whichever were open before', async () => {
  const { world, paths } = await shop();
  const { page } = await visit(world);
  await page.clock.setFixedTime(Date.now());
  // Its lines say how long a run has waited: so wide, they do not break elsewhere when it is longer.
  await page.evaluate(() => localStorage.setItem('detent.pane.readout', '400'));
  const first = new Map<string, Look[]>();
  for (const path of paths) {
    await page.goto(world.url + path);
    first.set(path, await looks(page));
  }
  const go = (path: string) =>
    page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  const moved: Record<string, unknown> = {};
  const shown = page.locator('main:not(.loading, [aria-busy="true"])');
  // Every page has loaded its styles before the first one is looked at.
  for (const path of paths) {
    await go(path);
    await shown.waitFor();
  }
  for (const path of paths) {
    await go(path);
    const was = first.get(path);
    const changed = differences(was ?? [], await looks(page, was));
    if (changed.length > 0) moved[path] = changed.slice(0, 4);
  }
  expect(moved).toEqual({});
});
