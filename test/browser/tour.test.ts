import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryWorkspace } from '../support/detent.ts';
import { expectAccessible, logInWith, servedPage, violations, visit } from './support.ts';

it('starts the guided demo, explains the state that it waits in, and follows it to its end', async () => {
  const workspace = await temporaryWorkspace();
  const served = await servedPage([], { workspace });
  const { page } = await visit(served);
  const offer = page.getByText('asks before it writes');
  const promised = await offer.innerText();
  await page.getByRole('button', { name: 'Start the demo' }).click();
  await page.waitForURL(/\/chat\/ses_/);
  const guide = page.getByRole('complementary', { name: 'Guide' });
  await guide.getByText('so a person decides').waitFor();
  const states = guide.getByRole('group', { name: 'States so far' }).getByRole('button');
  await expect
    .poll(() => states.allTextContents())
    .toEqual(['idle', 'thinking', 'backingOff', 'tooling', 'awaitingConfirm']);
  await states.filter({ hasText: 'backingOff' }).click();
  await guide.getByText('It said how long to wait').waitFor();
  await expectAccessible(page);
  await guide.getByRole('button', { name: 'Follow the run' }).click();
  await guide.getByText('so a person decides').waitFor();
  const request = async () => {
    const box = await page.locator('.user .said').boundingBox();
    return box && { ...box, y: 'where the chat was scrolled to' };
  };
  const box = await request();
  await page.getByRole('link', { name: 'Inspect' }).click();
  await page.locator('.chart svg').waitFor();
  await page.goBack();
  await guide.getByText('so a person decides').waitFor();
  expect(await request()).toEqual(box);

  const [run] = await served.detent.runs.list();
  await page.getByRole('button', { name: 'Approve' }).click();
  await guide.getByText('The prompt became too long').waitFor();
  await guide.getByText('so the run ended').waitFor();
  expect(readFileSync(join(workspace, 'tour/notes.md'), 'utf8')).toContain('# Notes of the guided tour');
  const written = readdirSync(workspace).filter((name) => !name.startsWith('.'));
  expect(written.sort()).toEqual(['memory', 'tour']);
  for (const name of written) expect(promised).toContain(`${name}/`);

  await page.evaluate((runId) => {
    history.pushState(null, '', `/runs/${runId}?seq=2`);
    dispatchEvent(new PopStateEvent('popstate'));
  }, run?.runId);
  await guide.getByText('It said how long to wait').waitFor();
  await page.goBack();
  await guide.getByText('so the run ended').waitFor();

  await guide.getByRole('link', { name: 'Lesson 6' }).click();
  await page.getByRole('heading', { name: '6. Crash and replay' }).waitFor();
});

it('is a guide that can be closed, and that the next demo brings back', async () => {
  const served = await servedPage([]);
  const { page } = await visit(served, '/learn');
  await page.getByRole('button', { name: 'Start the demo' }).click();
  const guide = page.getByRole('complementary', { name: 'Guide' });
  await guide.getByRole('button', { name: 'Close the guide' }).focus();
  await page.keyboard.press('Enter');
  await guide.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('main').waitFor();
  expect(await guide.count()).toBe(0);
  await page.goto(`${served.url}/settings`);
  await page.getByRole('button', { name: 'Show the demo' }).click();
  await guide.waitFor();
});

it('is one click away after the first chat, as the lessons are', async () => {
  const served = await servedPage([{ text: 'Hello.' }]);
  await served.detent.run('hi', { sessionId: 'first' }).result;
  const { page } = await visit(served, '/chat/first');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Learn' }).click();
  await page.getByRole('list', { name: 'Lessons' }).waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.getByRole('link', { name: 'Six lessons' }).waitFor();
  await page.getByRole('button', { name: 'Show the demo' }).click();
  await page.getByRole('complementary', { name: 'Guide' }).waitFor();
});

it('copies a command of a lesson alone, for a folder that is not the one of the gateway', async () => {
  const served = await servedPage([], {}, { page: { program: 'npm run -s detent --' } });
  const { page, context } = await visit(served, '/learn/1');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('a new empty folder').waitFor();
  await page.getByRole('link', { name: 'How to get the command' }).waitFor();
  const copied = async (n: number) => {
    // For two seconds it says "Copied".
    const button = page
      .getByRole('article')
      .getByRole('button', { name: /^Cop(?:y|ied)/ })
      .nth(n);
    await button.click();
    await button.filter({ hasText: 'Copied' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied(0)).toBe('detent run "What is 17 * 23?"');
  expect(await copied(1)).toBe('detent runs show last');
});

it('is a line on a phone, which opens', async () => {
  const served = await servedPage([]);
  const { page } = await visit(served, '/chat', { viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: 'Start the demo' }).click();
  const guide = page.getByRole('complementary', { name: 'Guide' });
  await guide.getByRole('button', { name: 'awaitingConfirm' }).waitFor();
  await expect.poll(async () => (await guide.boundingBox())?.height).toBeLessThan(60);
  await guide.getByRole('button', { name: 'More' }).click();
  await guide.getByText('so a person decides').waitFor();
  await guide.getByRole('button', { name: 'tooling' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

it('speaks Chinese with those who do', async () => {
  const served = await servedPage([]);
  const { page } = await visit(served, '/chat', { locale: 'zh-CN' });
  await page.getByRole('button', { name: '开始演示' }).click();
  await page.getByRole('complementary', { name: '导览' }).getByText('所以由人来决定').waitFor();
  await page.getByText('请再调用一次。Detent 等待后重新请求了。').waitFor();
  await page.getByText('第 2 步，共 3 步').first().waitFor();
});

it('has no guide beside other runs, and offers no demo to those who may not name a model', async () => {
  const served = await servedPage([{ text: 'hello' }]);
  const { sessionId } = await served.detent.run('hi').result;
  const { page } = await visit(served, `/chat/${sessionId}`);
  await page.getByRole('main').waitFor();
  expect(await page.getByRole('complementary', { name: 'Guide' }).count()).toBe(0);
  const token = await served.token({ scopes: ['read', 'write', 'approve'] });
  await logInWith(token, page, `${served.url}/learn`);
  await page.getByRole('list', { name: 'Lessons' }).waitFor();
  expect(await page.getByRole('button', { name: 'Start the demo' }).count()).toBe(0);
});

it('has six lessons, with pictures that are drawn and words in both languages', async () => {
  const served = await servedPage([]);
  const { page } = await visit(served, '/learn');
  const lessons = page.getByRole('list', { name: 'Lessons' }).getByRole('link');
  await expect.poll(() => lessons.count()).toBe(6);
  for (let n = 1; n <= 6; n++) {
    await page.goto(`${served.url}/learn/${n}`);
    await page.getByRole('heading', { level: 1, name: `${n}.` }).waitFor();
    await page.getByRole('heading', { name: 'The experiment' }).waitFor();
    const picture = page.getByRole('article').getByRole('img');
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(880);
    expect(await violations(page), `lesson ${n}`).toEqual([]);
  }
  await page.getByRole('button', { name: '切换到简体中文' }).click();
  await page.getByRole('heading', { level: 1, name: '6. 崩溃和重放' }).waitFor();
  await page.getByRole('link', { name: '上一课：定时任务' }).click();
  await page.getByRole('heading', { level: 1, name: '5. 定时任务' }).waitFor();
  await page.goto(`${served.url}/learn/7`);
  await page.getByRole('heading', { name: '没有这一课' }).waitFor();
});

it('leads from a lesson to the section that it names, where the chart is drawn', async () => {
  const served = await servedPage([]);
  const { page, context } = await visit(served, '/learn/1');
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: 'statechart' }).click();
  const document = await opened;
  const title = document.getByRole('heading', { name: 'The statechart' });
  const top = () => title.evaluate((node) => node.getBoundingClientRect().top / innerHeight);
  await expect.poll(top).toBeLessThan(0.5);
  const chart = document.locator('.drawn .chart').last();
  await chart.getByText('awaitingConfirm', { exact: true }).waitFor();
  expect(await document.getByText('stateDiagram-v2').count()).toBe(0);
});
