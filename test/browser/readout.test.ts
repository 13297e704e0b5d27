import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { tool } from '../support/detent.ts';
import { servedPage, violations, visit } from './support.ts';

const call = { text: 'I will pay.', toolCalls: [{ name: 'pay', arguments: { to: 'ann', cents: 500 } }] };
const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });

/** A run that waited for a decision, which then ended. */
async function paid() {
  const gateway = await servedPage([call, { text: 'Paid 5 euros.' }, { text: 'Paid in the fork.' }], {
    tools: { define: [pay] },
  });
  const { detent } = gateway;
  const { runId, sessionId, pending } = await detent.run('pay ann 5 euros', { sessionId: 'till' }).result;
  await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve' });
  await detent.runs.attach(runId).result;
  return { ...gateway, runId, sessionId };
}

it('reads out why a transition went where it went, what it changed, and what was said', async () => {
  const gateway = await paid();
  const { page } = await visit(gateway, `/runs/${gateway.runId}?seq=2`);
  const read = page.getByRole('complementary', { name: 'At this moment' });
  await read.getByText('hasAsked').waitFor();
  await expect.poll(() => read.locator('.guards li.y code').allTextContents()).toContain('hasAsked');
  await read.getByText('I will pay.').waitFor();
  const change = read.getByRole('row', { name: 'effectCount' });
  await expect.poll(() => change.locator('ins').textContent()).toBe('2');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Fork from 2' }).waitFor();
  await page.goto(`${gateway.url}/runs/${gateway.runId}?seq=1`);
  await read.locator('.said').getByText('pay ann 5 euros').waitFor();
});

it('shows what the model was sent at a step of thinking', async () => {
  const gateway = await paid();
  const { page } = await visit(gateway, `/runs/${gateway.runId}?seq=4`);
  const read = page.getByRole('complementary', { name: 'At this moment' });
  await read.getByText('What the model is sent').click();
  await read.getByText('with the same size as the original', { exact: false }).waitFor();
  await expect
    .poll(() => read.locator('.sent dt').allTextContents())
    .toEqual(['system ', 'user ', 'assistant ', 'tool pay']);
  await read.locator('.spec summary', { hasText: 'pay' }).click();
  await read.locator('.spec[open]').getByText('"type": "object"').waitFor();
  expect(await violations(page)).toEqual([]);
});

it('takes a legal event of the past by a fork, which says what it would start, and leaves the run as it is', async () => {
  const gateway = await paid();
  const { detent, runId } = gateway;
  const { page } = await visit(gateway, `/runs/${runId}?seq=2`);
  await page.getByText('Possible here, in a fork').waitFor();
  await page.getByRole('button', { name: 'reject' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('waits for a decision').waitFor();
  await dialog.getByText('Then: confirm.decide').waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel('Resume it at once').check();
  await dialog.getByRole('button', { name: 'Make the fork' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(runId));
  const fork = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const ended = await detent.runs.attach(fork).result;
  expect(ended.text).toBe('Paid in the fork.');
  expect(ended.steps[0]?.toolCalls[0]?.status).toBe('rejected');
  expect((await detent.runs.show(runId)).steps[0]?.toolCalls[0]?.status).toBe('done');

  await page.goto(`${gateway.url}/runs/${runId}`);
  await page.getByRole('button', { name: 'Compare' }).click();
  // Its fork comes first, and says so.
  await page.getByRole('button', { name: 'a fork of this one, at 2' }).click();
  await page.getByText('2 transitions in common').waitFor();
  await page.getByText('event.verdict', { exact: false }).first().waitFor();
  await page.getByText('Paid in the fork.').waitFor();
  expect(await violations(page)).toEqual([]);
});

it('says something to the past by a fork', async () => {
  const gateway = await paid();
  const { page } = await visit(gateway, `/runs/${gateway.runId}?seq=2`);
  await page.getByRole('button', { name: 'run.message' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What to say').fill('Leave it.');
  await dialog.getByLabel('Resume it at once').check();
  await dialog.getByRole('button', { name: 'Make the fork' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(gateway.runId));
  const fork = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { steps, text } = await gateway.detent.runs.attach(fork).result;
  expect(steps[0]?.toolCalls[0]?.status).toBe('skipped');
  expect(text).toBe('Paid in the fork.');
});

it('exports the run as JSON, and its chart as it is shown as SVG and PNG', async () => {
  const gateway = await paid();
  const { page } = await visit(gateway, `/runs/${gateway.runId}`);
  const saved = async (name: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    return readFile(await download.path());
  };
  const { trace, events } = JSON.parse(String(await saved('Run as JSON')));
  expect(trace.runId).toBe(gateway.runId);
  expect(events.at(-1).event).toBe('lifecycle.end');
  const svg = String(await saved('Chart as SVG'));
  expect(svg).toContain('reconciling');
  // Other programs know neither the page's styles nor its notation of colours.
  expect(svg).not.toMatch(/oklch|var\(|class=/);
  expect(String(await saved('Chart as Mermaid'))).toMatch(/^stateDiagram-v2\n.*awaitingConfirm/s);
  const png = await saved('Chart as PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  // Two pixels a unit of the drawing.
  expect(png.readUInt32BE(16)).toBeGreaterThan(1_000);
});

it('sends the run itself what is legal at its newest transition', async () => {
  const gateway = await servedPage([call, { text: 'Then not.' }], { tools: { define: [pay] } });
  const { detent } = gateway;
  const { runId } = await detent.run('pay ann', { sessionId: 'till' }).result;
  const { page } = await visit(gateway, `/runs/${runId}`);
  await page.getByText('Legal now').waitFor();
  // A person decides; there is no second way to go on.
  await page.locator('.next-steps').getByRole('button', { name: 'Decide' }).waitFor();
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  await page.getByRole('button', { name: 'run.message' }).click();
  await page.getByLabel('What to say').fill('Leave it.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('run.message').first().waitFor();
  const ended = await detent.runs.attach(runId).result;
  expect(ended.text).toBe('Then not.');
  await page.getByText('nothing: this is a final state').waitFor();
});
