import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startExample } from '../docs/example-server.ts';
import { itDeep } from '../support/deep.ts';
import { inSizes } from '../support/size.ts';
import { browser, violations } from './support.ts';

const maxBytes = 40 * 1024;

/** A customer's phone or computer. What the browser reports as an error fails the test. */
async function device(url: string, locale: string, isPhone = true) {
  const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 };
  const context = await (await browser()).newContext({ viewport, locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const problems: string[] = [];
  context.on('page', (page) => page.on('pageerror', ({ message }) => problems.push(message)));
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.msg').first().waitFor();
  return page;
}

/** Says something, and waits for the whole answer. */
async function say(page: Page, words: string) {
  const before = await page.locator('.rate').count();
  await page.locator('#text').fill(words);
  await page.keyboard.press('Enter');
  return () => page.locator('.rate').nth(before).waitFor();
}

async function logIn(page: Page) {
  await page.locator('#who').click();
  await page.locator('[name=user]').fill('ann');
  await page.locator('[name=password]').fill('oolong');
  await page.locator('dialog .main').click();
  await page.locator('#who', { hasText: 'ann' }).waitFor();
}

/** Whether the last of these is on the screen, and not behind the field for the next message. */
const isSeen = (page: Page, what: string) =>
  page.evaluate((selector) => {
    const box = [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect();
    const room = document.querySelector('main')?.getBoundingClientRect();
    return box !== undefined && room !== undefined && box.top >= room.top && box.bottom <= room.bottom + 1;
  }, what);

const languages = [
  {
    locale: 'en-GB',
    words: ['show me tea', 'compare them', 'add the first one to my cart', 'cancel order W1002'],
    yes: 'Yes, do it',
    later: 'The shop has to agree',
    taken: 'A person of the shop is with you now.',
    person: 'I want to talk to a person',
  },
  {
    locale: 'zh-CN',
    words: ['找茶叶', '比较一下', '把第一个加入购物车', '取消订单 W1002'],
    yes: '好的',
    later: '需要店家同意',
    taken: '店员正在为您服务。',
    person: '转人工客服',
  },
];

it.each(inSizes({ usual: languages.slice(0, 1), deep: languages, full: languages }))(
  'sells in $locale: a guest searches and compares, another device confirms, staff agrees and takes over, the answer is rated',
  async ({
    locale,
    words: [search = '', compare = '', add = '', cancel = ''],
    yes,
    later,
    taken,
    person,
  }) => {
    const { url, said } = await startExample('main', 'examples/shopping-assistant');
    const token = /tok_\S+/.exec(said.join(''))?.[0];
    const staff = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await fetch(`${url}/agent/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as T;
    };
    const phone = await device(url, locale);
    await (await say(phone, search))();
    expect(await phone.locator('.item').count()).toBeGreaterThan(3);
    await (await say(phone, compare))();
    await phone.locator('.item u').first().waitFor();
    expect(await violations(phone)).toEqual([]);
    // Cards are higher than the screen of a phone has room for, and the answer below them is shown all the same.
    await expect.poll(() => isSeen(phone, '.rate')).toBe(true);

    await logIn(phone);
    await phone.locator('.item u').first().waitFor();
    const computer = await device(url, locale, false);
    await logIn(computer);
    const added = await say(phone, add);
    // Two items of a product have the same name.
    await phone.locator('#ask', { hasText: '100' }).getByRole('button', { name: yes }).waitFor();
    await computer.locator('#ask').getByRole('button', { name: yes }).click();
    await added();
    await phone.locator('#count', { hasText: '1' }).waitFor();

    const cancelled = await say(computer, cancel);
    await computer.locator('#ask').getByRole('button', { name: yes }).click();
    await computer.getByText(later, { exact: false }).waitFor();
    // The assistant is not writing: the shop decides.
    await expect.poll(() => computer.locator('#busy').textContent()).toBe('');
    const { runs } = await staff<{ runs: { runId: string; sessionId: string }[] }>(
      'GET',
      '/runs?status=waiting',
    );
    const { runId = '', sessionId = '' } = runs[0] ?? {};
    const { pending } = await staff<{ pending: Record<string, string>[] }>('GET', `/runs/${runId}`);
    const { callId, argumentsHash: hash, decides } = pending[0] ?? {};
    expect(decides).toBe('staff');
    await staff('POST', `/runs/${runId}/confirmations/${callId}`, { verdict: 'approve', hash });
    await cancelled();
    await phone.locator('.card', { hasText: 'W1002' }).last().waitFor();

    await (await say(phone, person))();
    const session = `/sessions/${encodeURIComponent(sessionId)}`;
    await staff('POST', `${session}/takeover`, { reason: 'asks' });
    await computer.locator('#state', { hasText: taken }).waitFor();
    await staff('POST', `${session}/words`, { content: 'Dora here. <b>Hello</b>' });
    await phone.locator('.staff', { hasText: 'Dora here. <b>Hello</b>' }).waitFor();
    await staff('DELETE', `${session}/takeover`);
    await phone.locator('#state').waitFor({ state: 'hidden' });
    await phone.locator('.rate button').last().click();
    await phone.locator('.rate [aria-pressed=true]').waitFor();
    await expect.poll(() => isSeen(phone, '.rate form')).toBe(true);
    const { conversation } = await staff<{ conversation: { rating?: { thumb: string } }[] }>('GET', session);
    expect(conversation.flatMap(({ rating }) => rating?.thumb ?? [])).toEqual(['down']);
    // The thumb is there again after a reload, and what another device begins is shown without a request of its own.
    await phone.reload();
    await phone.locator('.rate [aria-pressed=true]').waitFor();
    await expect.poll(() => isSeen(phone, '.rate')).toBe(true);
    await (await say(computer, search))();
    await phone.locator('.msg.user', { hasText: search }).nth(1).waitFor();
  },
);

itDeep(
  'tells a customer that the connection is lost, and shows the whole answer once when it is back',
  async () => {
    const { url, crash } = await startExample('main', 'examples/shopping-assistant');
    const phone = await device(url, 'en-GB');
    let inAnswer = () => {};
    phone.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => String(payload).includes('assistant.delta') && inAnswer()),
    );
    await phone.reload();
    await phone.locator('.msg').first().waitFor();
    const lost = phone.locator('#state', { hasText: 'No connection.' });
    const states: string[] = [];
    await phone.exposeFunction('told', (text: string) => text !== states.at(-1) && states.push(text));
    await phone.evaluate(() => {
      const state = document.querySelector('#state');
      const tell = () => Reflect.get(window, 'told')(state?.textContent?.slice(0, 13));
      if (state) new MutationObserver(tell).observe(state, { childList: true });
    });
    const breaks = [
      ['show me tea', () => phone.context().setOffline(true), () => phone.context().setOffline(false)],
      ['compare them', crash, async () => {}],
    ] as const;
    for (const [words, breakIt, mendIt] of breaks) {
      const isBroken = new Promise<void>((resolve, reject) => {
        inAnswer = () => {
          inAnswer = () => {};
          breakIt().then(resolve, reject);
        };
      });
      const answered = await say(phone, words);
      await lost.waitFor();
      await isBroken;
      await mendIt();
      await answered();
      await lost.waitFor({ state: 'hidden' });
    }
    // Said without a connection, it waits for one.
    await phone.context().setOffline(true);
    const answered = await say(phone, 'my orders');
    await phone.locator('.ghost').waitFor();
    await phone.context().setOffline(false);
    await answered();
    await lost.waitFor({ state: 'hidden' });
    // Also while attempts to connect fail, it says so.
    expect(states.filter(Boolean)).toEqual(Array(3).fill('No connection'));
    const users = await phone.locator('.msg.user').allInnerTexts();
    expect(users).toEqual([...breaks.map(([words]) => words), 'my orders']);
    // What came over broken connections is what a page reads that had none.
    const shown = await phone.locator('#log .msg').allInnerTexts();
    await phone.reload();
    await phone.locator('.rate').nth(2).waitFor();
    expect(await phone.locator('#log .msg').allInnerTexts()).toEqual(
      shown.filter((text) => !text.includes('Welcome!')),
    );
  },
);

it(`brings less than ${maxBytes} bytes to a phone, with the client`, async () => {
  const { url } = await startExample('main', 'examples/shopping-assistant');
  let bytes = 0;
  const seen = new Set<string>(['/']);
  for (const path of seen) {
    const response = await fetch(url + path, { headers: { 'accept-encoding': 'gzip' } });
    bytes += Number(response.headers.get('content-length'));
    const text = await response.text();
    for (const [, name] of text.matchAll(/(?:from '\.|href="|src=")\/?([\w.-]+\.(?:js|css))['"]/g))
      seen.add(`/${name}`);
  }
  expect([...seen]).toContain('/client.min.js');
  expect(bytes).toBeLessThan(maxBytes);
});
