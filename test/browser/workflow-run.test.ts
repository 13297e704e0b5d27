import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { model, workflow } from '../../src/workflow/index.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { dialog } from './dock-support.ts';
import { servedPage, violations, visit } from './support.ts';

it('starts a workflow with an input, from the list', async () => {
  const gateway = await servedPage([], { workflows: [orderWorkflow] });
  const { page } = await visit(gateway, '/runs');
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByText('order.recalled, parcel.sent').waitFor();
  await page.locator('.chart .leaf', { hasText: 'packing' }).waitFor();
  // A field for each of the schema of its input.
  await page.getByRole('textbox', { name: 'order' }).fill('o1');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'order {"order":"o1"}' }).waitFor();
});

it('lists a waiting workflow once, with its question under it', async () => {
  const gateway = await servedPage([], { workflows: [orderWorkflow] });
  const { runId } = await gateway.detent.workflows.start('order', { order: 'o1' }).result;
  const { page } = await visit(gateway, '/runs', { isQuick: true });
  const lines = page.getByRole('region', { name: 'Waiting for you' }).locator('.run');
  await expect.poll(() => lines.count()).toBe(1);
  expect(await lines.getAttribute('href')).toContain(runId);
  await page.getByRole('button', { name: '1 run below it' }).click();
  await expect.poll(() => lines.count()).toBe(2);
  expect(await violations(page)).toEqual([]);
});

it('shows a workflow in the words of its chart, from a question to an event', async () => {
  const gateway = await servedPage([], { workflows: [orderWorkflow] });
  const { detent } = gateway;
  const run = detent.workflows.start('order', { order: 'o1' });
  const { runId } = await run.result;
  const { page } = await visit(gateway, `/runs/${runId}`, { isQuick: true });
  const events = () => page.locator('.log tbody code').allInnerTexts();
  await page.getByRole('heading', { name: 'order {"order":"o1"}' }).waitFor();
  await expect.poll(events).toEqual(['run.start', 'approval began']);
  await page.getByRole('link', { name: 'approval', exact: true }).waitFor();
  // The run below it waits for a person, and the header counts that.
  await expect
    .poll(() => page.locator('.facts div', { hasText: 'Waited' }).locator('dd').innerText())
    .not.toMatch(/^0/);
  // The context of the chart stands apart from what Detent keeps with it.
  await page.getByText('Kept by Detent').waitFor();
  expect(await page.locator('.ctx').getByText('user', { exact: true }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);

  await page.getByRole('link', { name: `${runId}.c1` }).click();
  await page.getByRole('link', { name: runId, exact: true }).click();
  await page.getByRole('button', { name: 'Decide', exact: true }).first().click();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await dialog(page).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog', { name: 'What the run asks' }).waitFor({ state: 'detached' });
  await expect.poll(events).toEqual(['run.start', 'approval began', 'approval done']);
  // What `why` advises is sent where the advice stands.
  const advice = page.locator('.next-steps li', { hasText: 'send it an event' });
  await advice.getByRole('button', { name: 'order.recalled' }).click();
  await advice.getByRole('button', { name: 'Send order.recalled' }).waitFor();
  await advice.getByRole('button', { name: 'Not now' }).click();
  await page.locator('.legal').getByRole('button', { name: 'parcel.sent' }).click();
  // The form names its event, and has the fields of its schema.
  const form = page.getByRole('form', { name: 'parcel.sent' });
  await form.getByRole('textbox', { name: 'note' }).fill('soon');
  expect(await violations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Send parcel.sent' }).click();
  await expect.poll(events).toContain('parcel.sent');
  expect(await detent.runs.attach(runId).result).toMatchObject({ output: { note: 'soon' } });

  // The conversation says what came to the chart, and what it brought.
  await page.getByRole('link', { name: /^workflow:/ }).click();
  await page.getByText('approval done').waitFor();
  await page.getByText(/^parcel\.sent sent by \S/).waitFor();
  await page.getByText('What it produced').click();
  await page.getByRole('region', { name: 'What it produced' }).getByText('"soon"').waitFor();
  await page.getByText('What it returned').click();
  await page.getByRole('region', { name: 'What it returned' }).getByText('true').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goBack();

  await page.getByRole('row', { name: 'approval began' }).click();
  await page.getByRole('button', { name: 'Fork from 2' }).click();
  await dialog(page).getByText('approval', { exact: true }).waitFor();
  expect(await dialog(page).getByRole('textbox').count()).toBe(0);
  await dialog(page).getByRole('button', { name: 'Make the fork' }).click();
  await page.getByRole('link', { name: /^ses_/ }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('heading', { name: 'Send o1?' }).waitFor();
});

it('shows what the services of a workflow spent, at each moment of it', async () => {
  const chart = setup({ actors: { write: model({ prompt: () => 'Write.' }) } }).createMachine({
    id: 'letter',
    version: '1',
    initial: 'writing',
    states: {
      writing: { invoke: { id: 'write', src: 'write', onDone: 'done', onError: 'done' } },
      done: { type: 'final' },
    },
  });
  const line = { text: 'Dear all', usage: { inputTokens: 700, outputTokens: 42 } };
  const gateway = await servedPage([line], { workflows: [workflow(chart)] });
  const { runId } = await gateway.detent.workflows.start('letter', null).result;
  const { page } = await visit(gateway, `/runs/${runId}`);
  const tokens = page.locator('.facts div', { hasText: 'Tokens' }).locator('dd');
  await expect.poll(() => tokens.innerText()).toBe('742');
  await page.getByRole('row', { name: 'run.start' }).click();
  await expect.poll(() => tokens.innerText()).toBe('0');
});
