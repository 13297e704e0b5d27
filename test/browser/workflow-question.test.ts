import { expect, it } from 'vitest';
import { serve } from '../gateway/support.ts';
import { givenCalls } from '../support/given-call.ts';
import { dialog } from './dock-support.ts';
import { violations, visit } from './support.ts';

it('shows what a workflow asks, to be approved or rejected as it is', async () => {
  const { core, detent, call, result, settled } = await givenCalls([]);
  const { runId } = await call('ask', { amount: 50 }, { ask: { approval: { text: 'Refund 50 €?' } } });
  const gateway = await serve(detent, { page: true });
  const { page } = await visit(gateway, `/chat/${encodeURIComponent('calls 1')}`);
  await page.getByRole('heading', { name: 'Refund 50 €?' }).waitFor();
  const buttons = await dialog(page).getByRole('button').allInnerTexts();
  expect(buttons.join(' ')).toMatch(/Reject.*Approve/s);
  expect(buttons.join(' ')).not.toMatch(/Change|Modify|Edit/);
  expect(await dialog(page).getByRole('checkbox').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await core.runs.resume(1, { runId });
  await settled(runId);
  expect(await result(runId)).toMatchObject({ ok: true, approved: true });
  expect(await page.getByText('undefined').count()).toBe(0);
});
