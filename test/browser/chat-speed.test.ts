import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inSizes } from '../support/size.ts';
import { say, story, streaming } from './chat-support.ts';
import { servedPage, visit } from './support.ts';

/** Collects tasks of more than 50 ms, and the times between frames. */
function observe(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen = { long: [] as number[], frames: [] as number[] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.long.push(Math.round(entry.duration));
    }).observe({ type: 'longtask' });
    let last = performance.now();
    const next = (now: number) => {
      seen.frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

async function print(page: Page, what: string): Promise<void> {
  const { long, frames } = await page.evaluate(
    () => (window as unknown as { seen: { long: number[]; frames: number[] } }).seen,
  );
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  console.log(
    `${what}: ${frames.length} frames, median ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms; tasks over 50 ms: ${long.length === 0 ? 'none' : `${long.join(', ')} ms`}`,
  );
}

/** A history of so many messages. */
function history(messages: number): string {
  const words =
    'Longjing is the urgent one: at 8.6 a day the 14 packs on the shelf are gone tomorrow. 一些中文。 ';
  const lines = Array.from({ length: messages }, (_, n) =>
    n % 2 === 0
      ? { type: 'user.message', text: `Question ${n} about tea?` }
      : {
          type: 'assistant.message',
          text: `Answer **${n}**.\n\n${words.repeat(1 + (n % 7))}\n\n- one\n- two`,
        },
  );
  return lines.map((line, n) => JSON.stringify({ ...line, seq: n + 1, ts: n + 1 })).join('\n');
}

const messages = inSizes({ usual: 1_000, deep: 2_500, full: 10_000 });

it(`scrolls through a session of ${messages} messages, of which few are drawn`, async () => {
  const gateway = await servedPage([]);
  const { sessionId } = await gateway.detent.sessions.import(history(messages), { sessionId: 'long' });
  const { page } = await visit(gateway, `/chat/${sessionId}`);
  await story(page)
    .getByText(`Answer ${messages - 1}.`)
    .waitFor();
  await observe(page);
  await page.evaluate(async () => {
    const scroller = document.querySelector('section.scroller') as HTMLElement;
    const began = performance.now();
    while (performance.now() - began < 1_500) {
      scroller.scrollTop -= 400;
      await new Promise(requestAnimationFrame);
    }
  });
  await print(page, 'scrolling, 400 px a frame');
  const drawn = await story(page).locator('.ent').count();
  expect(drawn).toBeLessThan(60);
  await page.evaluate(() => document.querySelector('section.scroller')?.scrollTo(0, 0));
  await story(page).getByText('Question 0 about tea?').waitFor();
  await page.getByRole('region', { name: 'Chat' }).focus();
  await page.keyboard.press('End');
  await story(page)
    .getByText(`Answer ${messages - 1}.`)
    .waitFor();
});

it('draws an answer of 200 tokens a second as it comes', async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const words = Array.from({ length: inSizes({ usual: 100, deep: 600, full: 600 }) }, (_, n) =>
    n % 40 === 39 ? ' end.\n\n' : n % 9 === 4 ? '中文' : ` wo${n}`,
  );
  const gateway = await servedPage([], streaming([{ pieces: words.flatMap((word) => [word, pause]) }]));
  const { page } = await visit(gateway, '/chat', { reducedMotion: 'no-preference' });
  await say(page, 'Speak.');
  await story(page).getByText('wo0').first().waitFor();
  await observe(page);
  await story(page).locator('.ent.end, .ent.stay').getByText('done').waitFor();
  const shown = async () => (await story(page).locator('.md').innerText()).replaceAll(/\s/g, '');
  await expect.poll(shown).toBe(words.join('').replaceAll(/\s/g, ''));
  await print(page, 'streaming, 200 tokens a second');
});
