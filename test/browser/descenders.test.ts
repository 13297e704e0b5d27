import { expect, it } from 'vitest';
import { tool } from '../support/detent.ts';
import { servedPage, visit } from './support.ts';

/** What has the words and cuts what does not fit, marked for a locator. */
function markCutting(words: string): void {
  for (const one of document.querySelectorAll('.stage *')) {
    const isOwn = [...one.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent?.includes(words),
    );
    const isCutting = getComputedStyle(one).overflowY !== 'visible';
    if (isOwn && isCutting && one.checkVisibility()) one.setAttribute('data-cutting', '');
  }
}

it.each(['/chat/s', '/runs', '/tools'])('cuts no descender of the name of a tool on %s', async (path) => {
  const call = { text: 'At once.', toolCalls: [{ name: 'big_result', arguments: { to: 'gypq' } }] };
  const gateway = await servedPage([call, { text: 'Done.' }], {
    tools: { define: [tool('big_result', { description: 'A big_result', run: () => 'gg' })] },
  });
  await gateway.detent.run('Make a big_result', { sessionId: 's' }).result;
  const { page } = await visit(gateway, path, { deviceScaleFactor: 2 });
  await page.getByText('big_result').first().waitFor();
  await page.locator('main:not(.loading, [aria-busy="true"])').waitFor();
  await page.evaluate(markCutting, 'big_result');
  const cutting = page.locator('[data-cutting]');
  expect(await cutting.count()).toBeGreaterThan(0);
  for (const one of await cutting.all()) {
    const box = await one.boundingBox();
    const clip = {
      x: box?.x ?? 0,
      y: (box?.y ?? 0) - 4,
      width: box?.width ?? 1,
      height: (box?.height ?? 0) + 8,
    };
    const shown = await page.screenshot({ clip });
    await one.evaluate((element) => {
      (element as HTMLElement).style.overflowY = 'visible';
      (element as HTMLElement).style.overflowX = 'clip';
    });
    expect((await page.screenshot({ clip })).equals(shown)).toBe(true);
  }
});
