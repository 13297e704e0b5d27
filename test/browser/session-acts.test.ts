import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { tool } from '../support/detent.ts';
import { say, story } from './chat-support.ts';
import { servedPage, violations, visit } from './support.ts';

it('offers first prompts, asks a message again in other words or in the same, each in a branch, and leaves the session as it was', async () => {
  const script = ['Tea.', 'Coffee.', 'Coffee, too.'].map((text) => ({ text }));
  const gateway = await servedPage(script);
  const { page } = await visit(gateway);
  await page.getByRole('button', { name: 'What is in this folder?' }).click();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('What is in this folder?');
  expect(await violations(page)).toEqual([]);
  await say(page, 'Tea or what?');
  await story(page).getByText('Tea.', { exact: true }).waitFor();
  const first = page.url();

  await page.getByRole('button', { name: 'Edit' }).click();
  // What is typed goes into the message, and is no shortcut. Escape closes it, and a key sends it.
  await page.keyboard.type(' now');
  const edited = page.getByRole('textbox', { name: 'Your message' });
  expect(await edited.inputValue()).toBe('Tea or what? now');
  await page.keyboard.press('Escape');
  await edited.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await edited.fill('Coffee or what?');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await story(page).getByText('Coffee.', { exact: true }).waitFor();
  await story(page).getByText('Coffee or what?').waitFor();
  const second = page.url();
  expect(second).not.toBe(first);
  await page
    .locator('.chat-top')
    .getByText(/branch · 1 run/)
    .waitFor();
  expect(await page.locator('.rail-col a .branch').count()).toBe(1);

  await page.getByRole('button', { name: 'Try again' }).click();
  await story(page).getByText('Coffee, too.').waitFor();
  expect(page.url()).not.toBe(second);
  await page.goto(first);
  await story(page).getByText('Tea or what?').waitFor();
});

it('pins, renames, exports and deletes a session, which other browsers see, too', async () => {
  const gateway = await servedPage([{ text: 'Old.' }, { text: 'New.' }]);
  await gateway.detent.run('the old one', { sessionId: 'old' }).result;
  await gateway.detent.run('the new one', { sessionId: 'new' }).result;
  const { page } = await visit(gateway, '/chat/old');
  const open = () => page.getByRole('button', { name: 'This session' }).click();
  const menu = page.getByRole('button', { name: 'This session' });
  const drawn = await menu.locator('path').evaluate((path: SVGPathElement) => path.getTotalLength());
  expect(drawn, 'three dots that can be seen').toBeGreaterThan(3);
  await open();
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.reload();
  const pinned = page.locator('.rail-col section', { has: page.getByRole('heading', { name: 'Pinned' }) });
  await pinned.getByRole('link', { name: 'the old one' }).waitFor();
  expect(await pinned.getByRole('link').count()).toBe(1);

  await open();
  await page.getByRole('button', { name: 'Rename' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  expect(await title.inputValue()).toBe('the old one');
  await page.keyboard.type('Tea shop');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tea shop' }).waitFor();
  await expect.poll(() => page.title()).toBe('Tea shop · Detent');
  const { page: other } = await visit(gateway, '/chat/old', { viewport: { width: 390, height: 844 } });
  await other.getByRole('heading', { level: 1, name: 'Tea shop' }).waitFor();
  await other.getByRole('button', { name: 'Show sessions' }).click();
  await other.getByRole('dialog').getByRole('heading', { name: 'Pinned' }).waitFor();

  await open();
  await page.getByRole('button', { name: 'Rename' }).click();
  await title.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'the old one' }).waitFor();

  await open();
  expect(await violations(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as JSON' }).click();
  const saved = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  expect(JSON.stringify(saved)).toContain('the old one');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/chat');
  await expect.poll(() => page.locator('.rail-col a', { hasText: 'the old one' }).count()).toBe(0);
  expect(await gateway.detent.sessions.list()).toMatchObject([{ sessionId: 'new' }]);
});

it('keeps the window in place, and lists what waits, is pinned or is open however many sessions are newer', async () => {
  const ask = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
  const gateway = await servedPage([{ toolCalls: [{ name: 'pay', arguments: {} }] }], {
    tools: { define: [ask] },
  });
  const { sessions } = gateway.detent;
  await sessions.create({ sessionId: 'oldest' });
  await sessions.create({ sessionId: 'pinned' });
  await sessions.update('pinned', { pinned: true });
  await gateway.detent.run('pay ann', { sessionId: 'till' }).result;
  for (let n = 0; n < 210; n++) await sessions.create({ sessionId: `s${n}` });
  const { page } = await visit(gateway, '/chat/oldest');
  const links = page.locator('.rail-col a[href*="/chat/"]');
  await page.locator('.rail-col a[href$="/chat/oldest"][aria-current]').waitFor();
  await page
    .locator('.rail-col section', { hasText: 'Waiting for you' })
    .getByRole('link', { name: 'pay ann' })
    .waitFor();
  await page.locator('.rail-col a[href$="/chat/pinned"]').waitFor();
  expect(await links.count()).toBe(203);
  await page.locator('.rail-col .sess').hover();
  await page.mouse.wheel(0, 90_000);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Show older sessions' }).click();
  await expect.poll(() => links.count()).toBe(213);
  expect(
    await page.evaluate(() => [window.scrollY, document.documentElement.scrollHeight - innerHeight]),
  ).toEqual([0, 0]);
});

it('has a button for what it advises, above the command as it is typed here, and decides in place', async () => {
  const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
  const gateway = await servedPage(
    [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }, { text: 'Went on.' }],
    { tools: { define: [pay] } },
    { page: { program: 'npm run -s detent --' } },
  );
  const { runId, pending } = await gateway.detent.run('pay ann', { sessionId: 'till' }).result;
  const { page } = await visit(gateway, `/runs/${runId}`);
  await page.getByText(`npm run -s detent -- runs confirm ${runId}`).waitFor();
  const { page: chinese } = await visit(gateway, `/runs/${runId}`, { locale: 'zh-CN' });
  await chinese.getByText('需要有人对 1 个工具调用作出决定：c2 pay({})').waitFor();
  await chinese.locator('.next-steps').getByText('对 c2 作出决定').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator('.next-steps').getByRole('button', { name: 'Decide' }).click();
  const waited = page.locator('.facts div', { hasText: 'Waited for you' });
  await expect.poll(() => waited.innerText()).toMatch(/[1-9]\d ms|\d s/);
  const asked = page.locator('.ask-over');
  await asked.getByText(pending[0]?.argumentsHash.slice(0, 4) ?? '').waitFor();
  expect(await violations(page)).toEqual([]);
  await asked.getByRole('button', { name: 'Approve' }).click();
  await asked.waitFor({ state: 'detached' });
  expect(page.url()).toContain(`/runs/${runId}`);
  await gateway.detent.runs.attach(runId).result;
  await page.goto(`${gateway.url}/runs/${runId}`);
  await page.locator('.next-steps').getByRole('button', { name: 'Send “go on”' }).click();
  await page.waitForURL('**/chat/till');
  await story(page).getByText('Went on.').waitFor();
});
