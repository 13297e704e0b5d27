import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunTrace } from '../../src/protocol/views.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { serve } from '../gateway/support.ts';
import { itDeep } from '../support/deep.ts';
import { gate, scripted, tool } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { expectAccessible, servedPage, violations, visit } from './support.ts';

const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
const call = { text: 'I will pay.', toolCalls: [{ name: 'pay', arguments: { cents: 500 } }] };

/** What the panes show, each told by itself. */
function shown(page: Page) {
  return page.evaluate(() => {
    const of = (selector: string) => [...document.querySelectorAll(selector)];
    return {
      lit: of('.chart .leaf.on').map((state) => state.getAttribute('data-id')),
      last: of('.chart .e.last')
        .map((edge) => edge.getAttribute('data-id'))
        .sort(),
      row: of('.log [aria-current]').map((row) => Number(row.getAttribute('data-seq'))),
      slider: document.querySelector('.scale input')?.getAttribute('aria-valuetext') ?? '',
      seq: Number(document.querySelector('.read .seqno b, .read h2')?.textContent?.match(/\d+/)?.[0]),
    };
  });
}

/** What they have to show, by the trace. */
function expected({ transitions, ways }: RunTrace, seq: number) {
  const transition = transitions[seq - 1];
  const way = transition && ways[transition.way];
  return {
    lit: [way?.to],
    last: [...new Set(way?.edges)].sort(),
    row: [seq],
    slider: expect.stringContaining(`${seq} of ${transitions.length}, ${transition?.event.type}`),
    seq,
  };
}

async function expectShown(page: Page, trace: RunTrace, seq: number): Promise<void> {
  await expect.poll(() => shown(page), { timeout: 10_000 }).toEqual(expected(trace, seq));
}

/** A run that waited for a decision, was answered and ended. */
async function paid() {
  const gateway = await servedPage([call, { text: 'Paid.' }], { tools: { define: [pay] } });
  const { detent } = gateway;
  const { runId, pending } = await detent.run('pay ann 5 euros', { sessionId: 'till' }).result;
  await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve' });
  await detent.runs.attach(runId).result;
  return { ...gateway, runId, trace: await detent.runs.trace(runId) };
}

describe('the inspector', () => {
  it('moves table, chart, readout and address with one slider, through any run, and only reads', async () => {
    const { trace, runId, detent, ...gateway } = await paid();
    const { page, requests } = await visit(gateway, `/runs/${runId}`);
    await page.locator('.chart svg').waitFor();
    await page.getByRole('heading', { name: 'pay ann 5 euros' }).waitFor();
    await page.getByText('log replayed, 5 of 5 agree').waitFor();
    await expectShown(page, trace, 5);
    await page.keyboard.press('Home');
    for (let seq = 1; seq < 5; seq++) {
      await expectShown(page, trace, seq);
      await page.waitForURL(`**/runs/${runId}?seq=${seq}`);
      await page.keyboard.press('ArrowRight');
    }
    await expectShown(page, trace, 5);
    await page.waitForURL(`**/runs/${runId}`);

    await page.getByRole('slider', { name: 'Transition' }).fill('2');
    await expectShown(page, trace, 2);
    await page.getByRole('button', { name: 'confirm.decide', exact: true }).click();
    await expectShown(page, trace, 3);
    await page.keyboard.press('ArrowUp');
    await expectShown(page, trace, 2);
    await page.getByRole('button', { name: 'Play' }).click();
    await expectShown(page, trace, 5);
    await page.goto(`${gateway.url}/runs/${runId}?seq=4`);
    await page.locator('.chart svg').waitFor();
    await expectShown(page, trace, 4);
    expect(requests.filter((one) => one.includes('/api/v1/') && !one.endsWith('/login'))).toEqual([]);
    expect((await detent.runs.trace(runId)).lastSeq).toBe(5);
  });

  itDeep('counts visits and times on the chart, and lists the transitions of its edges', async () => {
    const { runId, ...gateway } = await paid();
    const { page } = await visit(gateway, `/runs/${runId}?seq=3`);
    const decided = page.locator('.chart .e[data-id="active.awaitingConfirm->active.working.deciding"]');
    await decided.locator('.lbl', { hasText: 'confirm.decide' }).waitFor();
    expect(await decided.locator('.n text').textContent()).toBe('1');
    expect(await page.locator('.chart .e.taken').count()).toBeLessThan(
      await page.locator('.chart .e').count(),
    );
    await page.getByRole('button', { name: 'All transitions' }).click();
    const list = page.getByRole('region', { name: 'All transitions' });
    await list.getByText('isAnswered', { exact: false }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await list.getByRole('button', { name: 'Show the most recent one' }).first().click();
    await page.waitForURL(/seq=1$/);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
  });

  it('follows a run that goes on, by itself; who looks at the past is left there', async () => {
    const held = gate();
    const slow = tool('slow', { run: () => held.pass() });
    const script = [{ toolCalls: [{ name: 'slow', arguments: {} }] }, call, { text: 'Done.' }];
    const gateway = await servedPage(script, { tools: { define: [slow, pay] } });
    const run = gateway.detent.run('go');
    const runId = await run.started;
    await held.reached;
    const { page } = await visit(gateway, `/runs/${runId}`);
    await page.locator('.chart .leaf.on[data-id="active.working.tooling.executing"]').waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    held.open();
    await page.locator('.chart .leaf.on[data-id="active.awaitingConfirm"]').waitFor();
    await page.keyboard.press('Home');
    await page.waitForURL(/seq=1$/);
    const { pending } = await run.result;
    await gateway.detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'reject' });
    await gateway.detent.runs.attach(runId).result;
    await page.getByText('6 of 6 agree').waitFor();
    expect((await shown(page)).row).toEqual([1]);
    await page.keyboard.press('End');
    await page.locator('.chart .leaf.on[data-id="done"]').waitFor();
  });

  itDeep('draws a job, whose run has another machine', async () => {
    const { detent } = await scripted([{ text: 'All is well.' }]);
    const scheduler = createScheduler(detent);
    await scheduler.start();
    onTestFinished(() => scheduler.close());
    const gateway = await serve(detent, { scheduler, page: true });
    await scheduler.add({ jobId: 'stock', cron: '0 9 * * *', prompt: 'What runs out?' });
    await scheduler.run('stock');
    await expect.poll(async () => (await scheduler.history('stock'))[0]?.status).toBe('ok');
    const { jobRunId } = await scheduler.get('stock');
    const { page } = await visit(gateway, `/runs/${jobRunId}`);
    await page.getByRole('heading', { name: 'A run of the machine job' }).waitFor();
    await page.locator('.chart .leaf.on').first().waitFor();
    const trace = await detent.runs.trace(jobRunId);
    await expectShown(page, trace, trace.lastSeq);
    await page.keyboard.press('Home');
    await expectShown(page, trace, 1);
    await page.getByRole('link', { name: 'Change jobs on their page' }).waitFor();
    expect(await page.getByRole('button', { name: 'Fork' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  itDeep(
    'stacks its panes on a phone, with the slider at hand and the state that holds in sight, in 中文 too',
    async () => {
      const { runId, ...gateway } = await paid();
      const phone = {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        locale: 'zh-CN',
      };
      const { page } = await visit(gateway, `/runs/${runId}?seq=2`, phone);
      await page.getByText('日志已重放，5 / 5 一致').waitFor();
      const lit = page.locator('.chart .leaf.on[data-id="active.awaitingConfirm"]');
      await lit.waitFor();
      await expect
        .poll(async () => {
          const box = await lit.boundingBox();
          return box !== null && box.x >= 0 && box.x + box.width <= 390;
        })
        .toBe(true);
      const rail = await page.locator('.rail-box').boundingBox();
      expect(rail && rail.y > 600 && rail.y + rail.height <= 844).toBe(true);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      await expectAccessible(page);
      await page.getByRole('slider', { name: '转移' }).fill('5');
      await page.locator('.chart .leaf.on[data-id="done"]').waitFor();
    },
  );

  itDeep(
    'opens a run of thousands of transitions, and keeps up with a slider that is dragged through it',
    async () => {
      const answers = inSizes({ usual: 20, deep: 100, full: 240 });
      const quick = tool('quick', { run: () => 'ok' });
      const toolCalls = Array.from({ length: 20 }, (_, i) => ({
        name: 'quick',
        arguments: { i },
        id: `call_${i}`,
      }));
      const script = [...Array.from({ length: answers }, () => ({ toolCalls })), { text: 'Done.' }];
      const gateway = await servedPage(script, { tools: { define: [quick] }, limits: { maxSteps: 1_000 } });
      const began = performance.now();
      const { runId, status } = await gateway.detent.run('many calls').result;
      const { lastSeq } = await gateway.detent.runs.trace(runId, { limit: 1 });
      console.log(`${lastSeq} transitions made in ${Math.round(performance.now() - began)} ms`);
      expect([status, lastSeq]).toEqual(['done', 21 * answers + 2]);

      const opened = performance.now();
      const { page } = await visit(gateway, `/runs/${runId}`);
      await page.locator('.chart svg').waitFor();
      await page.locator(`.log [aria-current][data-seq="${lastSeq}"]`).waitFor();
      console.log(`opened in ${Math.round(performance.now() - opened)} ms`);
      expect(await page.locator('.log [data-seq]').count()).toBeLessThan(100);
      const frames = await scrubbed(page);
      console.log(`dragged at ${frames.rate} frames/s; the longest took ${frames.longestMs} ms`);
      await page.getByRole('slider', { name: 'Transition' }).fill('400');
      await page.locator('.log [aria-current][data-seq="400"]').waitFor();
      await page.waitForURL(/seq=400$/);
      expect((await shown(page)).slider).toContain(`400 of ${lastSeq}`);
      expect(await violations(page)).toEqual([]);
    },
  );
});

/** Moves the slider to and fro through the whole run, once a frame. */
function scrubbed(page: Page): Promise<{ rate: number; longestMs: number }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const slider = document.querySelector<HTMLInputElement>('.scale input');
        const frames: number[] = [];
        let before = performance.now();
        const move = (now: number) => {
          frames.push(now - before);
          before = now;
          if (slider) {
            const share = (Math.sin(frames.length / 25) + 1) / 2;
            slider.value = String(1 + Math.round(share * (Number(slider.max) - 1)));
            slider.dispatchEvent(new Event('input', { bubbles: true }));
          }
          if (frames.length < 120) requestAnimationFrame(move);
          else {
            const total = frames.reduce((sum, ms) => sum + ms, 0);
            const longestMs = Math.round(Math.max(...frames));
            resolve({ rate: Math.round((1_000 * frames.length) / total), longestMs });
          }
        };
        requestAnimationFrame(move);
      }),
  );
}
