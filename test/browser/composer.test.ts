import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.ts';
import { itDeep } from '../support/deep.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import { after, held, message, path, saw, say, shop, wire, write } from './dock-support.ts';
import { servedPage, violations, visit } from './support.ts';

it('keeps a message while the gateway does not answer, over a reload, and sends it once', async () => {
  const gateway = await servedPage([{ text: 'Good morning.' }, { text: 'Sunny.' }]);
  const { page } = await visit(gateway, '/jobs', { expects: /WebSocket|ERR_/ });
  const connection = await wire(page);
  await page.goto(`${gateway.url}/chat`);
  await say(page, 'Hello');
  await saw(page, 'Good morning.');
  await connection.breakOff();
  await page.getByRole('button', { name: 'Keep' }).waitFor();
  await say(page, 'How is the weather?');
  await page.getByText('Kept here, not sent').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await saw(page, 'How is the weather?');
  connection.state.isDown = false;
  await saw(page, 'Sunny.');
  await page.getByText('Kept here, not sent').waitFor({ state: 'detached' });
  expect((await gateway.detent.runs.list()).map(({ prompt }) => prompt).sort()).toEqual([
    'Hello',
    'How is the weather?',
  ]);
});

itDeep(
  'takes what a person writes before it is connected, and what they write while their first message begins a session',
  async () => {
    const gateway = await servedPage([{ text: 'Good morning.' }, { text: 'Sunny.' }]);
    const { page } = await visit(gateway, '/jobs');
    const connection = await held(page, 'connect');
    await page.goto(`${gateway.url}/chat`);
    await message(page).focus();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.keyboard.type('How is ');
    connection.open();
    await saw(page, 'Good morning.');
    await page.keyboard.type('it outside?');
    await page.keyboard.press('Enter');
    await saw(page, 'Sunny.');
    expect((await gateway.detent.runs.list()).map(({ prompt }) => prompt).sort()).toEqual([
      'Hello',
      'How is it outside?',
    ]);
  },
);

it('steers the run at work, puts another message behind it, and stops after asking once', async () => {
  const work = gate();
  const slow = tool('slow', { run: async (_, { signal }) => work.pass(signal) });
  const gateway = await servedPage(
    [{ toolCalls: [{ name: 'slow' }] }, { text: 'never' }, { text: 'Second.' }],
    {
      tools: { allowed: ['slow'], define: [slow] },
    },
  );
  const { page } = await visit(gateway, '/chat', { isQuick: true });
  await say(page, 'Work slowly');
  await work.reached;
  await page.getByPlaceholder('Steer: the model reads this next').waitFor();
  await say(page, 'Faster');
  await page.getByLabel('When the model reads it').selectOption('After it');
  await say(page, 'Then this');
  await page.getByText('Waits for its turn').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  const stop = page.getByRole('button', { name: 'Really stop?' });
  await stop.waitFor();
  expect((await gateway.detent.runs.list({ status: ['cancelled'] })).length).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByText('Waits for its turn').waitFor({ state: 'detached' });
  const [stopped] = await gateway.detent.runs.list({ status: ['cancelled'] });
  expect(stopped?.prompt).toBe('Work slowly');
  const said = (await gateway.detent.runs.events(String(stopped?.runId))).map((one) => JSON.stringify(one));
  expect(said.some((one) => one.includes('Faster'))).toBe(true);
});

it('attaches files by choice, paste and drop, and says before the upload which it refuses', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  let asked = '';
  const model = Object.assign(
    scriptedModel([
      (request) => {
        asked = JSON.stringify(request.messages);
        return { text: 'Three tins.' };
      },
    ]),
    { accepts: ['image'] as const },
  );
  const gateway = await servedPage([], { models: { test: model } });
  const { page, requests } = await visit(gateway);
  await page
    .getByLabel('Attach a file')
    .last()
    .setInputFiles([
      { name: 'shelf.png', mimeType: 'image/png', buffer: png },
      { name: 'film.mp4', mimeType: 'video/mp4', buffer: png },
    ]);
  await page.getByText('film.mp4 is not attached: video/mp4').waitFor();
  await message(page).evaluate((own) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['龙井 14'], 'stock.csv', { type: 'text/csv' }));
    own.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.getByRole('button', { name: 'Remove stock.csv' }).waitFor();
  await message(page).evaluate((own) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['gone'], 'gone.txt', { type: 'text/plain' }));
    own.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await page.getByRole('button', { name: 'Remove gone.txt' }).click();
  await page.getByText('Uploading…').waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  await say(page, 'How many?');
  await saw(page, 'Three tins.');
  expect(asked).toContain('shelf.png');
  expect(asked).toContain('龙井 14');
  expect(asked).not.toContain('gone');
  expect(requests.filter((address) => address.includes('film'))).toEqual([]);
});

it('finds a skill as its name is typed, by keys alone, and shows why another cannot be used', async () => {
  const workspace = await temporaryWorkspace();
  const skill = async (name: string, head: string) => {
    await mkdir(join(workspace, 'skills', name), { recursive: true });
    await writeFile(join(workspace, 'skills', name, 'SKILL.md'), `---\n${head}\n---\n\nCount the tins.\n`);
  };
  await skill('restock', 'name: restock\ndescription: Drafts a supplier order');
  await skill('return-note', 'name: return-note\ndescription: Writes to who sends tea back');
  await skill('repair', 'name: repair');
  let asked = '';
  const gateway = await servedPage(
    [
      (request) => {
        asked = JSON.stringify(request.messages);
        return { text: 'Drafted.' };
      },
    ],
    { workspace },
  );
  const { page } = await visit(gateway);
  await page.keyboard.press('/');
  await page.keyboard.type('re');
  const options = page.getByRole('listbox', { name: 'Skills' }).getByRole('option');
  await options.first().waitFor();
  expect(await page.getByRole('option', { name: '/repair' }).getAttribute('aria-disabled')).toBe('true');
  expect(await page.getByRole('option', { name: '/repair' }).textContent()).toContain('Cannot be used:');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type('turn-');
  await expect.poll(() => options.count()).toBe(1);
  for (const _ of 'turn-') await page.keyboard.press('Backspace');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  const named = await page.locator('[aria-selected="true"] code').textContent();
  await page.keyboard.press('Tab');
  const chip = page.locator('.composer .skill-chip');
  await chip.getByText(named?.slice(1) ?? '').waitFor();
  expect(await message(page).inputValue()).toBe('');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Backspace');
  await chip.waitFor({ state: 'detached' });
  await page.keyboard.type('/restock for Friday');
  await chip.getByText('restock').waitFor();
  expect(await message(page).inputValue()).toBe('for Friday');
  await message(page).press('Enter');
  await saw(page, 'Drafted.');
  expect(asked).toContain('Count the tins.');
  const said = page.locator('.said').first();
  expect(await said.innerText()).toMatch(/^Skill\s+restock\s+for Friday$/);
  expect(await violations(page)).toEqual([]);
});

itDeep(
  'breaks lines by Shift and Control, leaves Enter to an input method, and works on a phone in Chinese',
  async () => {
    const { options, order } = await shop();
    const gateway = await servedPage([write(), { text: '写好了。' }], options);
    const { page } = await visit(gateway, '/chat', {
      viewport: { width: 390, height: 844 },
      locale: 'zh-CN',
      hasTouch: true,
      isMobile: true,
    });
    const text = page.getByRole('textbox', { name: '消息' });
    await text.fill('把订单');
    await text.press('Shift+Enter');
    await text.press('Control+Enter');
    await text.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    expect(await text.inputValue()).toBe('把订单\n\n');
    await text.fill('把订单更新一下');
    await page.getByRole('button', { name: '发送' }).tap();
    await page.getByRole('heading', { name: `写入 ${path}？` }).waitFor();
    expect(await violations(page)).toEqual([]);
    const small = await page
      .locator('.dock button:visible, .dock select:visible')
      .evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML),
      );
    expect(small).toEqual([]);
    await page.setViewportSize({ width: 390, height: 460 });
    const approve = page.getByRole('button', { name: '批准' });
    const box = await approve.boundingBox();
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(460);
    await approve.tap();
    await saw(page, '写好了。');
    expect(await order()).toBe(after);
  },
);
