import type { Locator } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { itDeep } from '../support/deep.ts';
import { scripted, tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { violations, visit } from './support.ts';

/** A gateway that runs the schedule itself. */
async function servedSchedule(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const { detent } = await scripted(script, options);
  const scheduler = createScheduler(detent);
  await scheduler.start();
  onTestFinished(() => scheduler.close());
  return { ...(await serve(detent, { scheduler, page: true })), scheduler };
}

const hasFocus = (of: Locator) => of.evaluate((one) => one === document.activeElement);

it('makes a job in the form, which fires, and shows what became of each slot', async () => {
  const world = await servedSchedule([{ text: 'All is well.' }], { workflows: [orderWorkflow] });
  const { page } = await visit(world, '/jobs', { isQuick: true });
  await page.getByText('A job asks an agent something at set times').waitFor();
  await page.getByRole('link', { name: 'New job' }).first().click();

  await page.getByLabel('Cron expression').fill('0 9 * *');
  await page.getByText(/4 fields|has 4/).waitFor();
  expect(await page.getByLabel('Cron expression').getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'weekdays 9:00' }).click();
  await page.getByText('At 9:00, Monday to Friday').waitFor();
  await expect.poll(() => page.getByRole('complementary').getByRole('listitem').count()).toBe(5);

  await page.getByLabel('Name').fill(' stock');
  await page.getByRole('button', { name: 'Create job' }).click();
  await page.getByText('Enter a prompt for the agent.').waitFor();
  await page.getByLabel('Prompt').fill('What runs out before ');
  await page.getByRole('button', { name: '{{slot}}' }).click();
  await expect.poll(() => page.getByLabel('Prompt').inputValue()).toBe('What runs out before {{slot}}');
  await page.getByRole('button', { name: 'Add a delivery' }).first().click();
  await page.getByLabel('Target of delivery 1').fill('reports');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create job' }).click();

  await page.getByRole('heading', { name: 'stock' }).waitFor();
  await page.getByText('Has not run yet').waitFor();
  await page.getByText('session reports').waitFor();
  await page.getByRole('button', { name: 'Run now stock' }).click();
  await page.getByText('Its one run was done').waitFor();
  const bars = page.getByRole('listbox', { name: 'The last slots of stock' });
  await bars.focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText(/\(started manually\): done in/).waitFor();
  const [slot] = await world.scheduler.history('stock');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/runs/${slot?.runId}`);

  await page.goto(`${world.url}/jobs/stock?form=edit`);
  await page.getByRole('button', { name: 'A workflow' }).click();
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await page.getByText('Choose a workflow.').waitFor();
  await page.getByLabel('Workflow', { exact: true }).selectOption('order');
  for (const [text, answer] of [
    ['o1', /The input is JSON/],
    ['{"until": 1}', /does not fit its schema/],
  ] as const) {
    await page.getByLabel('Input, as JSON').fill(text);
    await save.click();
    await page.getByText(answer).waitFor();
  }
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Input, as JSON').fill('{"order": "o1"}');
  await save.click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('table').getByText('waiting for you', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('link', { name: 'waiting for an event' }).click();
  await page.getByRole('button', { name: 'parcel.sent' }).waitFor();
});

it('shows a person who may only read no buttons that would be refused, and names as they are written', async () => {
  const world = await servedSchedule([]);
  await world.scheduler.add({ jobId: '\u202egnp.exe', cron: '0 9 * * *', prompt: 'x' });
  const { page } = await visit(world, '/jobs', { isQuick: true });
  await page.getByRole('heading', { name: '\\u{202e}gnp.exe' }).waitFor();
  await page.evaluate(
    (token) => {
      for (const name of Object.keys(sessionStorage)) sessionStorage.setItem(name, token);
    },
    await world.token({ scopes: ['read'] }),
  );
  await page.reload();
  await page.getByText('Has not run yet').waitFor();
  expect(await page.getByRole('switch').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: /Run now|Pause all/ }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /New job|Edit/ }).count()).toBe(0);
});

it('pauses and resumes jobs, alone and together, and removes one that a person means', async () => {
  const world = await servedSchedule([]);
  const daily = { cron: '0 9 * * *', prompt: 'x' };
  await world.scheduler.add({ jobId: 'bank', ...daily });
  await world.scheduler.add({ jobId: 'prices', ...daily });
  const { page } = await visit(world, '/jobs', { isQuick: true });
  const bank = page.getByRole('switch', { name: 'bank runs on its schedule' });
  await bank.click();
  await page.getByText('manual').waitFor();
  expect((await world.scheduler.get('bank')).state).toBe('paused');
  await bank.click();
  await page.getByText('manual').waitFor({ state: 'detached' });

  const pauseAll = page.getByRole('button', { name: 'Pause all' });
  await pauseAll.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => hasFocus(pauseAll)).toBe(true);
  await pauseAll.click();
  const dialog = page.getByRole('dialog', { name: 'Pause 2 jobs?' });
  await expect.poll(() => hasFocus(dialog.getByRole('button', { name: 'Cancel' }))).toBe(true);
  await dialog.getByRole('button', { name: 'Pause all' }).click();
  await page.getByRole('button', { name: 'Resume all' }).waitFor();
  expect((await world.scheduler.list()).map(({ state }) => state)).toEqual(['paused', 'paused']);

  await page.getByRole('link', { name: 'prices', exact: true }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove prices?' }).getByRole('button', { name: 'Remove' }).click();
  // The list, to which the page of a removed job goes.
  await bank.waitFor();
  expect((await world.scheduler.list()).map(({ jobId }) => jobId)).toEqual(['bank']);
  await expect.poll(() => page.getByRole('link', { name: 'prices', exact: true }).count()).toBe(0);
});

itDeep('says why a job failed, what a delivery met, and resumes it after failures paused it', async () => {
  const world = await servedSchedule([{ error: { message: 'the provider timed out' } }], {
    webhooks: { allowHosts: ['127.0.0.1'] },
  });
  await world.scheduler.add({
    jobId: 'alert',
    every: '1d',
    prompt: 'x',
    pauseAfter: 1,
    attempts: 1,
    delivery: 'http://127.0.0.1:9/hook',
    // For eleven seconds an alert is sent again that reaches nobody.
    alert: 'session:ops',
  });
  const { page } = await visit(world, '/jobs', { isQuick: true });
  await page.getByRole('button', { name: 'Run now alert' }).click();
  await page.getByText('since its last run failed').waitFor();
  await page.getByText('1 failed').waitFor();
  await page.getByText('given up after 1 attempt').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('since its last run failed').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'alert', exact: true }).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.getByRole('button', { name: 'Deliver again' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Prompt').fill('y');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('y', { exact: true }).waitFor();
  expect(await world.scheduler.get('alert')).toMatchObject({ prompt: 'y', pauseAfter: 1, attempts: 1 });
});

itDeep('says all of it in Chinese, on a phone, and decides there on what a run asks', async () => {
  const write = tool('write_note', { sideEffect: 'unsafe' });
  const world = await servedSchedule([{ toolCalls: [{ name: 'write_note' }] }], {
    tools: { define: [write] },
  });
  await world.scheduler.add({
    jobId: '今日待发货',
    cron: '0 8 * * 1-5',
    timeZone: 'Europe/Berlin',
    prompt: 'x',
  });
  const { page } = await visit(world, '/jobs', {
    locale: 'zh-CN',
    viewport: { width: 390, height: 844 },
    isQuick: true,
  });
  await page.getByText('周一至周五 8:00').waitFor();
  await page.getByText('还没有运行过').waitFor();
  expect(await violations(page)).toEqual([]);
  // The page itself does not scroll sideways.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.getByRole('button', { name: '立即运行' }).click();
  await page.getByRole('button', { name: '决定' }).click();
  await page.getByRole('button', { name: '批准' }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: '今日待发货', exact: true }).click();
  await page.getByRole('heading', { name: '历史' }).waitFor();
  await page.getByText('周一至周五 8:00').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.getByRole('link', { name: '编辑' }).click();
  await page.getByRole('heading', { name: '编辑 今日待发货' }).waitFor();
  await page.getByLabel('时区').fill('Mars/Base');
  await page.getByText('“Mars/Base”不是时区').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
