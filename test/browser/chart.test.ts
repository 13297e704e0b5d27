import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { workflow } from '../../src/workflow/index.ts';
import { servedPage, violations, visit } from './support.ts';

/** A run in the inspector, with its chart drawn. */
async function inspectedRun(view = {}) {
  const gateway = await servedPage([{ text: 'Hello.' }]);
  const { runId } = await gateway.detent.run('hello').result;
  const { page } = await visit(gateway, `/runs/${runId}`, view);
  await page.locator('.chart .leaf.on').waitFor();
  return page;
}

/** Smallest heights of letters as they are seen, in pixels. */
function letters(page: Page) {
  return page.evaluate(() => {
    const smallest = (selector: string) =>
      Math.min(
        ...[...document.querySelectorAll<SVGTextElement>(selector)].map((text) => {
          const scale = text.getScreenCTM();
          return (
            Number.parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale?.a ?? 0, scale?.b ?? 0)
          );
        }),
      );
    return {
      labels: smallest('.chart .lbl'),
      states: smallest('.chart :is(.leaf, .parent) > text:not(.dur)'),
    };
  });
}

/** Labels that reach beyond the drawing, or are nearer to the line of another edge. */
function strayLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const edges = [...document.querySelectorAll('.chart .e')].map((edge) => {
      const line = edge.querySelector<SVGPathElement>('.l') as SVGPathElement;
      const length = line.getTotalLength();
      const points = Array.from({ length: Math.ceil(length / 2) + 1 }, (_, i) =>
        line.getPointAtLength(i * 2),
      );
      const label = edge.querySelector<SVGTextElement>('.lbl') as SVGTextElement;
      return { id: edge.getAttribute('data-id') ?? '', box: label.getBBox(), points };
    });
    const distance = ({ x, y, width, height }: DOMRect, points: DOMPoint[]) =>
      Math.min(
        ...points.map((one) =>
          Math.hypot(Math.max(0, x - one.x, one.x - x - width), Math.max(0, y - one.y, one.y - y - height)),
        ),
      );
    const paper = (document.querySelector('.chart svg') as SVGSVGElement).viewBox.baseVal;
    return edges
      .filter(({ id, box, points }) => {
        const isWithin = box.x >= 0 && box.x + box.width <= paper.width && box.y + box.height <= paper.height;
        const own = distance(box, points);
        return !isWithin || edges.some((other) => other.id !== id && distance(box, other.points) < own - 1);
      })
      .map(({ id }) => id);
  });
}

it('can be read beside the other panes: labels 9 px, states 12 px, each label at its own edge', async () => {
  const page = await inspectedRun();
  const { labels, states } = await letters(page);
  expect(labels).toBeGreaterThanOrEqual(9);
  expect(states).toBeGreaterThanOrEqual(12);
  expect(await strayLabels(page)).toEqual([]);
  // All of it is in sight.
  const isWhole = await page.locator('.chart-pane').evaluate((pane) => pane.scrollWidth <= pane.clientWidth);
  expect(isWhole).toBe(true);
  expect(await page.locator('.chart .final .inner').count()).toBe(3);
  // The machine itself, and each of its states with others inside.
  expect(await page.locator('.chart .initial-mark').count()).toBe(6);

  // On a laptop the rest is scrolled to: the letters are no smaller.
  await page.setViewportSize({ width: 1_280, height: 720 });
  const pane = page.locator('.chart-pane');
  await expect.poll(() => pane.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
  const onLaptop = await letters(page);
  expect(onLaptop.labels).toBeGreaterThanOrEqual(9);
  expect(onLaptop.states).toBeGreaterThanOrEqual(12);
  const isLitInSight = () =>
    page.locator('.chart .leaf.on').evaluate((state) => {
      const [box, room] = [state, state.closest('.chart-pane') as Element].map((one) =>
        one.getBoundingClientRect(),
      );
      return box !== undefined && room !== undefined && box.left >= room.left && box.right <= room.right;
    });
  await expect.poll(isLitInSight).toBe(true);
});

it('gives the chart the whole page by one key; its panes fold, can be dragged, and stay so', async () => {
  const page = await inspectedRun();
  const width = async () => (await page.locator('.chartpane').boundingBox())?.width ?? 0;
  const panes = page.locator('.log, .read, .time');
  const usual = await width();
  await page.keyboard.press('z');
  await expect.poll(width).toBe(1_440 - 76);
  expect(await panes.filter({ visible: true }).count()).toBe(0);
  // Keys still step.
  await page.keyboard.press('Home');
  await page.locator('.chart .leaf.on[data-id="active.working.thinking.requesting"]').waitFor();
  await page.keyboard.press('z');
  await expect.poll(width).toBe(usual);

  const splitter = page.getByRole('separator', { name: 'Width or height of: Transitions' });
  const { x = 0, y = 0, height = 0 } = (await splitter.boundingBox()) ?? {};
  await page.mouse.move(x + 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 64, y + height / 2);
  await page.mouse.up();
  await expect.poll(width).toBe(usual - 60);
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(usual - 44);
  const shallow = page.getByRole('separator', { name: 'Width or height of: Timeline' });
  const tall = (await page.locator('.time').boundingBox())?.height ?? 0;
  await shallow.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  await expect.poll(async () => (await page.locator('.time').boundingBox())?.height).toBeLessThan(tall - 40);
  await page.getByRole('button', { name: 'At this moment' }).click();
  await page.reload();
  await page.locator('.chart .leaf.on').waitFor();
  expect(await panes.filter({ visible: true }).count()).toBe(2);
  await page.getByRole('button', { name: 'At this moment' }).click();
  expect(await panes.filter({ visible: true }).count()).toBe(3);
  expect(await width()).toBe(usual - 44);
  expect(await violations(page)).toEqual([]);
});

it('fits a chart of sixty states into its pane, and marks a history', async () => {
  const last = 58;
  const steps = Array.from({ length: last + 1 }, (_, i) => [
    `step${i}`,
    i === last ? { type: 'final' as const } : { on: { [`event.${i}`]: `step${i + 1}`, skip: `step${last}` } },
  ]);
  const chart = setup({ types: { events: {} as { type: string } } }).createMachine({
    id: 'long',
    initial: 'work',
    states: {
      work: { initial: 'step0', states: { ...Object.fromEntries(steps), before: { type: 'history' } } },
    },
  });
  const gateway = await servedPage([], { workflows: [workflow(chart)] });
  const { runId } = await gateway.detent.workflows.start('long', null).result;
  const { page } = await visit(gateway, `/runs/${runId}`);
  await page.locator('.chart .leaf.on').waitFor();
  expect((await letters(page)).labels).toBeGreaterThanOrEqual(9);
  expect(await page.locator('.chart .history').count()).toBe(1);
  await page.getByRole('button', { name: 'Fit' }).click();
  const fits = () =>
    page
      .locator('.chart-pane')
      .evaluate((pane) => pane.scrollWidth <= pane.clientWidth && pane.scrollHeight <= pane.clientHeight);
  await expect.poll(fits).toBe(true);
  expect(await strayLabels(page)).toEqual([]);
});
