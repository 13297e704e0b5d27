import { expect, it } from 'vitest';
import { setup } from 'xstate';
import * as z from 'zod';
import { ask, tool, workflow } from '../../src/workflow/index.ts';
import { tool as defined } from '../support/detent.ts';
import { dialog, message } from './dock-support.ts';
import { servedPage, violations, visit } from './support.ts';

const pay = defined('pay', {
  sideEffect: 'unsafe',
  parameters: z.object({ amount: z.number() }),
  run: () => 'paid',
});

/** Two questions at once, and an event. */
const chart = setup({
  actors: { pay: tool('pay'), approve: ask({ question: () => 'Refund 50 €?' }) },
}).createMachine({
  id: 'refund',
  version: '1',
  type: 'parallel',
  states: {
    money: {
      initial: 'paying',
      states: {
        paying: { invoke: { id: 'pay', src: 'pay', input: { amount: 50 }, onDone: 'paid' } },
        paid: { type: 'final' },
      },
    },
    people: {
      initial: 'approving',
      states: {
        approving: { invoke: { id: 'approve', src: 'approve', input: {}, onDone: 'approved' } },
        approved: { on: { 'mail.sent': 'told' } },
        told: { type: 'final' },
      },
    },
  },
});

it('answers what a workflow asks in its chat, and sends it an event: there is no message to write', async () => {
  const gateway = await servedPage([], { tools: { define: [pay] }, workflows: [workflow(chart)] });
  const { detent } = gateway;
  const { runId, sessionId } = await detent.workflows.start('refund', null).result;
  const { page } = await visit(gateway, `/chat/${encodeURIComponent(sessionId)}`, { isQuick: true });
  await page.getByRole('heading', { name: 'pay: 50?', exact: false }).waitFor();
  await page.getByRole('region', { name: 'What the workflow waits for' }).waitFor();
  await page.getByRole('heading', { name: 'refund', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel('Why not? The workflow reads this.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();

  await page.getByRole('heading', { name: 'Refund 50 €?' }).waitFor();
  const buttons = await dialog(page).getByRole('button').allInnerTexts();
  expect(buttons.join(' ')).toMatch(/Reject.*Approve/s);
  expect(buttons.join(' ')).not.toMatch(/Change|Modify|Edit/);
  expect(await dialog(page).getByRole('checkbox').count()).toBe(0);
  await page.getByRole('button', { name: 'Approve' }).click();

  await page.getByRole('button', { name: 'mail.sent' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The workflow has ended.').waitFor();
  expect(await message(page).count()).toBe(0);
  expect(await detent.runs.show(runId)).toMatchObject({ status: 'done' });
  expect(await page.getByText('undefined').count()).toBe(0);
});

it('is amber where it asks a person, and counts its questions alike in the navigation and the list', async () => {
  const gateway = await servedPage([], { tools: { define: [pay] }, workflows: [workflow(chart)] });
  const { detent } = gateway;
  const { runId, sessionId } = await detent.workflows.start('refund', null).result;
  const { page } = await visit(gateway, '/runs', { isQuick: true });
  const badge = page.getByRole('navigation').first().locator('.badge [aria-hidden]');
  await expect.poll(() => badge.allInnerTexts()).toEqual(['2']);
  await page.getByRole('heading', { name: 'Waiting for you · 2' }).waitFor();
  const amber = await badge.evaluate((one) => getComputedStyle(one.parentElement ?? one).backgroundColor);
  const lit = page.locator('.run .chip[data-s="ask"] svg').first();
  expect(await lit.evaluate((one) => getComputedStyle(one).color)).toBe(amber);

  await page.goto(`${gateway.url}/chat/${encodeURIComponent(sessionId)}`);
  const stay = page.locator('.ent.stay').last();
  await expect.poll(() => stay.getAttribute('data-s')).toBe('ask');
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
  await page.goto(`${gateway.url}/runs/${runId}`);
  const state = page.locator('.facts .st').first();
  await expect.poll(() => state.getAttribute('data-s')).toBe('ask');
  await page.locator('.chart .leaf.on[data-s="ask"]').first().waitFor();
  // What stands above one run asks for no list of its whole session.
  const limits = sent.flatMap((frame) => /"run\.list".*"limit":(\d+)/.exec(frame)?.[1] ?? []).map(Number);
  expect(Math.max(...limits)).toBeLessThanOrEqual(100);

  for (const { runId: below = runId, callId } of (await detent.runs.show(runId)).pending)
    await detent.runs.confirm(below, callId, { verdict: 'approve' });
  await expect.poll(() => state.getAttribute('data-s')).toBe('decide');
  await expect.poll(() => badge.count()).toBe(0);
  await page.goto(`${gateway.url}/chat/${encodeURIComponent(sessionId)}`);
  await expect.poll(() => stay.getAttribute('data-s')).toBe('decide');
});
