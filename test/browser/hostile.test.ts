import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { setup } from 'xstate';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { revokeTrust, TrustRecords, trustedFolders } from '../../src/trust/agreements.ts';
import { ask as chartAsk, workflow } from '../../src/workflow/index.ts';
import { type Served, serve } from '../gateway/support.ts';
import { scripted, temporaryWorkspace, tool } from '../support/detent.ts';
import { servedAt } from '../support/listening.ts';
import { inSizes } from '../support/size.ts';
import { hostileTexts } from './hostile-texts.ts';
import { browser, servedPage, visit } from './support.ts';

/** Another server of this machine. It writes down who connects. */
async function elsewhere(html = ''): Promise<{ at: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' }).end(html);
  });
  server.on('connection', () => seen.push('connection'));
  return { at: await servedAt(server), seen };
}

/** A Detent in which every text that the page can show is hostile. */
async function hostileWorld() {
  const { at, seen } = await elsewhere();
  const bad = hostileTexts(at);
  const all = bad.markdown;
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'memory'), { recursive: true });
  await writeFile(
    join(workspace, 'MEMORY.md'),
    `# ${bad.html[2]}\n\n- ${bad.turned}\n- ${bad.long}\n\n${all}`,
  );
  await writeFile(join(workspace, 'memory', `${bad.name.replaceAll('/', '')}.md`), all);
  await mkdir(join(workspace, 'skills/evil'), { recursive: true });
  const described = JSON.stringify(`${bad.html[2]} ${bad.turned} ${bad.long}`.slice(0, 1000));
  await writeFile(
    join(workspace, 'skills/evil/SKILL.md'),
    `---\nname: evil\ndescription: ${described}\nlicense: ${described}\n---\n${all}`,
  );
  await writeFile(join(workspace, 'skills/evil', bad.name), 'x');
  await mkdir(join(workspace, 'skills', bad.name), { recursive: true });
  await writeFile(join(workspace, 'skills', bad.name, 'SKILL.md'), all);

  const results: Record<string, string> = {
    html: bad.html.join('\n'),
    json: bad.jsonText,
    table: JSON.stringify([{ [bad.name]: bad.html[2], turned: bad.turned, long: bad.long }]),
    diff: bad.diff,
    turned: `${bad.turned}\n${bad.long}`,
    large: `${all}\n`.repeat(Math.ceil(1_000_000 / all.length)),
  };
  const look = tool('look', {
    description: `${bad.html[2]} ${bad.turned} ${bad.long}`,
    run: ({ kind }) => {
      const result = results[String(kind)];
      if (result === undefined) throw new Error(`${bad.html[2]} ${bad.turned} ${bad.long}`);
      return result;
    },
  });
  const pay = tool('pay', {
    sideEffect: 'unsafe',
    preview: async () => ({ text: `${bad.turned}\n${bad.long}\n${all}` }),
  });
  const ask = tool('ask', {
    run: async (_, { ask }) =>
      JSON.stringify(
        await ask?.({
          text: `${bad.turned}\n${all.slice(0, 2_000)}`,
          fields: [
            { name: 'html', type: 'text', title: bad.html[2] ?? '', about: bad.turned, optional: true },
          ],
        }),
      ),
  });
  const kinds = [...Object.keys(results), 'error'];
  const chart = setup({
    actors: { asks: chartAsk({ question: () => `${bad.turned} ${all}` }) },
  }).createMachine({
    id: 'evil',
    version: '1',
    description: `${bad.turned}\n${all}`,
    initial: `${bad.turned} ${bad.long}`,
    on: { [`${bad.turned} ${bad.long}`]: {} },
    states: {
      [`${bad.turned} ${bad.long}`]: { invoke: { id: bad.name, src: 'asks', input: { all }, onDone: 'end' } },
      end: { type: 'final' },
    },
  });
  const { detent } = await scripted(
    [
      {
        text: all,
        reasoning: all,
        toolCalls: kinds.map((kind) => ({ name: 'look', arguments: { kind, [bad.name]: bad.turned, all } })),
      },
      { text: all },
      { error: { message: all } },
      { text: all, toolCalls: [{ name: 'pay', arguments: { [bad.name]: bad.turned, all } }] },
      {
        toolCalls: [
          {
            name: 'ask_user',
            arguments: {
              question: `${bad.turned} ${bad.long}`,
              options: bad.html.map((one) => one.slice(0, 400)).slice(0, 9),
            },
          },
        ],
      },
      { toolCalls: [{ name: 'ask' }] },
    ],
    {
      workspace,
      webhooks: { allowHosts: [new URL(at).hostname] },
      workflows: [workflow(chart)],
      tools: { allowed: ['look', 'pay', 'ask', 'ask_user'], define: [look, pay, ask] },
    },
  );
  const session = bad.name;
  const svg = await detent.attachments.put(new TextEncoder().encode(bad.svg), { name: `${bad.name}.svg` });
  const page = await detent.attachments.put(new TextEncoder().encode(bad.page), { name: `${bad.name}.html` });
  const attachments = [{ id: svg.id }, { id: page.id }];
  const done = await detent.run(all, { sessionId: session, attachments }).result;
  const failed = await detent.run(all, { sessionId: session }).result;
  const waiting = await detent.run(`${bad.turned} ${bad.long}`, { sessionId: `${bad.name} 2` }).result;
  await detent.run('ask', { sessionId: `${bad.name} 3` }).result;
  detent.run('ask', { sessionId: `${bad.name} 4` });
  const flow = await detent.workflows.start('evil', { [bad.name]: bad.turned, all }).result;
  const scheduler = createScheduler(detent);
  onTestFinished(() => scheduler.close());
  await scheduler.add({
    jobId: 'evil',
    cron: '0 9 * * *',
    prompt: `${bad.turned}\n${all}`.slice(0, 20_000),
    delivery: [`session:${bad.name}`, `file:${bad.name.replaceAll('/', '')}`, `${at}/hook?${bad.long}`],
  });
  await detent.tokens.create({ scopes: ['read'], name: bad.html[2]?.slice(0, 60) ?? '' });
  const records = new TrustRecords(process.env);
  records.keepFolder({
    folder: `/srv/${bad.turned}${bad.html[2]}`,
    at: '2026-11-01T08:00:00Z',
    files: {},
    texts: {},
  });
  const trust = {
    folders: () => trustedFolders(records),
    revoke: (folder: string) => revokeTrust(records, folder),
  };
  const gateway = await serve(detent, { page: true, scheduler, trust });
  return { ...gateway, at, bad, seen, done, failed, waiting, flow };
}

/** As `visit`, for pages of other origins and for what the browser refuses with words on its console. */
async function visitAnywhere({ url, gateway }: Pick<Served, 'url' | 'gateway'>) {
  const context = await (await browser()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const code = gateway.loginCode();
  await page.goto(`${url}${gateway.prefix}/chat#login=${code}`);
  await page.getByRole('navigation').first().waitFor();
  return { context, page, code };
}

/** Goes to a page as a link of the page would, and waits until it has drawn what it asked for. */
async function open(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await atRest(page);
}

/** Resolves when the page changes no more. */
function atRest(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, 50);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, 50);
        });
        observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
        setTimeout(resolve, 500);
      }),
  );
}

/** Opens whatever can be opened: folds, cards, the rest of what is cut. */
async function openAll(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++)
    await page.evaluate(() => {
      const press = (selector: string) => {
        for (const one of document.querySelectorAll<HTMLElement>(selector)) one.click();
      };
      press('main details:not([open]) > summary');
      press('.tool-head[aria-expanded=false]');
      for (const one of document.querySelectorAll<HTMLElement>('main .btn.small'))
        if (/^(?:show all|load image)|more/i.test(one.textContent ?? '')) one.click();
    });
}

/** What is wrong with the page as it stands: markup of a text, scripts, addresses, a layout that a text has torn. */
function wrongs(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const markup =
      'iframe, object, embed, applet, base, form[action], meta[http-equiv], template, math, marquee, video, audio, style, a[ping], ' +
      'link:not([rel=stylesheet], [rel=icon], [rel=modulepreload]), img:not([src^="blob:"]), script:not([src^="/assets/"])';
    for (const one of document.querySelectorAll(markup)) found.push(`markup: ${one.outerHTML.slice(0, 120)}`);
    for (const one of document.querySelectorAll<HTMLElement>('*')) {
      for (const { name, value } of one.attributes) {
        if (/^on/i.test(name) || (name === 'style' && value.includes('url('))) found.push(`${name}=${value}`);
        if (/^(?:href|src|srcset|action|formaction|poster|background|data|xlink:href)$/i.test(name)) {
          const isOwn = /^(?:blob:|#|\/(?!\/))/.test(value) || value.startsWith(`${location.origin}/`);
          const isLink =
            /^(?:https?|mailto):/.test(value) && one.getAttribute('rel') === 'noopener noreferrer';
          if (!isOwn && !isLink) found.push(`address: ${value}`);
        }
      }
      const isScroller =
        ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) || one.tagName === 'HTML';
      // A box that scrolls by itself can be reached by keys; what holds the page must not be wider than the screen.
      const isBox = one.matches('pre, section, textarea, input, [tabindex="0"]') && !one.matches('.scroller');
      if (isScroller && !isBox && one.scrollWidth > one.clientWidth + 1)
        found.push(`wide: ${one.tagName}.${one.className} ${one.scrollWidth} > ${one.clientWidth}`);
    }
    if ('ran' in window) found.push(`ran: ${JSON.stringify(window.ran)}`);
    if ('polluted' in {}) found.push('prototype');
    if (
      document.querySelectorAll('main').length !== 1 ||
      document.querySelectorAll('.sr[aria-live]').length !== 2
    )
      found.push('landmarks');
    return found;
  });
}

it('draws hostile texts as texts: nothing of them runs, asks, leads away or tears a page', async () => {
  const world = await hostileWorld();
  const { bad, url, done, failed, waiting, flow } = world;
  const name = encodeURIComponent(bad.name);
  const chat = `/chat/${name}`;
  const { page, context } = await visit(world, chat);
  const found: string[] = [];
  page.on('dialog', (dialog) => {
    found.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const paths = [
    chat,
    ...[2, 3, 4].map((n) => `${chat}%20${n}`),
    `/chat/${flow.sessionId}`,
    '/workflows',
    '/runs',
    ...[done, failed, waiting].map(({ runId }) => `/runs/${runId}?seq=4`),
    `/runs/${done.runId}?with=${failed.runId}`,
    '/memory/MEMORY.md',
    `/memory/memory/${encodeURIComponent(`${bad.name.replaceAll('/', '')}.md`)}`,
    `/memory?q=${name}`,
    '/skills/evil',
    '/tools/look',
    '/jobs',
    '/jobs/evil',
    '/jobs/evil?form=edit',
    '/usage',
    '/settings',
    '/trust',
    ...['', '/runs', '/jobs', '/skills'].map((folder) => `${folder}/${name}`),
    `/tools?q=${name}`,
  ];
  // Every day on the narrower screen, which words tear first.
  const widths = inSizes({ usual: [390], deep: [390], full: [1440, 390] });
  for (const path of paths) {
    await page.setViewportSize({ width: 1440, height: 844 });
    await open(page, path);
    await page.locator('main h1').first().waitFor();
    if (/%20\d$/.test(path)) await page.getByRole('dialog').waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme: width === 390 ? 'dark' : 'light' });
      for (let part = 0; path === chat && part < 4; part++) {
        await page
          .locator('.scroller')
          .evaluate((one, part) => one.scrollTo(0, (one.scrollHeight * part) / 4), part);
        await openAll(page);
        await atRest(page);
        for (const wrong of await wrongs(page)) found.push(`${path} ${width}, ${part}: ${wrong}`);
      }
      await openAll(page);
      await atRest(page);
      for (const wrong of await wrongs(page)) found.push(`${path} ${width}: ${wrong}`);
    }
    // That of a session has words of its own, in which nothing hides or turns.
    const title = path.startsWith('/chat/')
      ? /^\(\d+\) [^\p{Cf}]+ · Detent$/u
      : /^\(\d+\) (?:\w+ · )?Detent$/;
    if (!title.test(await page.title())) found.push(`${path}: title ${await page.title()}`);
    // What turns a line around is written out.
    if (/evil$|look$|MEMORY/.test(path))
      await expect
        .poll(() => page.locator('main').innerText(), { message: path })
        .toContain(String.raw`\u{202e}`);
    if (!page.url().startsWith(new URL(path, url).href.replace(/look$/, '')))
      found.push(`${path}: left for ${page.url()}`);
  }
  expect(found).toEqual([]);
  expect(context.pages()).toHaveLength(1);
  expect(world.seen).toEqual([]);
});

it('shows in the dock what would run: no text hides another, and the call has the bytes that were shown', async () => {
  const args = `{"to":"ann\\u202e","note":"n\\n@@ -1 +1 @@ x\\n+harmless","__proto__":{"cents":"900\\u200b"},"constructor":"c"}`;
  let got = '';
  const pay = tool('pay', {
    sideEffect: 'unsafe',
    preview: async ({ to, note }) => ({ text: `Pays 900 to ${to}\n${note}` }),
    run: (given) => {
      got = JSON.stringify(given);
      return 'paid';
    },
  });
  const script = [{ toolCalls: [{ name: 'pay', arguments: args }] }, { text: 'Done.' }];
  const gateway = await servedPage(script, { tools: { define: [pay] } });
  await gateway.detent.run('Pay.', { sessionId: 'till' }).result;
  const { page } = await visit(gateway, '/chat/till');
  const dock = page.getByRole('dialog');
  await dock.getByRole('heading', { name: 'pay: ann\\u{202e}?' }).waitFor();
  const shown = (await dock.getByRole('region').allInnerTexts()).join('\n');
  for (const words of ['Pays 900 to ann\\u{202e}', 'x', 'harmless']) expect(shown).toContain(words);
  await dock.getByRole('button', { name: 'Show the arguments' }).click();
  const exact = await dock.getByRole('region', { name: 'Exact arguments' }).innerText();
  for (const words of ['ann\\u{202e}', '__proto__', '900\\u{200b}', 'constructor'])
    expect(exact).toContain(words);
  await dock.getByLabel('Also for the rest of this session').check();
  await dock.getByText('to “ann\\u{202e}”').waitFor();
  await dock.getByLabel('Also for the rest of this session').uncheck();
  await dock.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('region', { name: 'Chat' }).getByText('Done.').waitFor();
  // The check of the arguments drops the one key, which the tool thus never sees.
  expect(JSON.parse(got)).toEqual({ to: 'ann\u202e', note: 'n\n@@ -1 +1 @@ x\n+harmless', constructor: 'c' });
});

it('gives nothing to a page of another origin, which asks in every way it knows', async () => {
  const { at } = await elsewhere('<!doctype html><title>evil</title>');
  const gateway = await servedPage([{ text: 'Hello.' }]);
  const { url, detent } = gateway;
  const { runId } = await detent.run('hello', { sessionId: 'mine' }).result;
  const { context } = await visitAnywhere(gateway);
  const token = await gateway.token();
  const code = gateway.gateway.loginCode();
  const evil = await context.newPage();
  await evil.goto(at);
  const got = await evil.evaluate(
    async ({ url, code, runId, token }) => {
      const tell = async (name: string, work: () => Promise<unknown>) =>
        [
          name,
          await work().catch((error: unknown) => `refused: ${error instanceof Error ? error.name : error}`),
        ] as const;
      const element = (made: HTMLElement) =>
        new Promise((resolve) => {
          made.addEventListener('load', () => resolve('loaded'));
          made.addEventListener('error', () => resolve('refused'));
          document.body.append(made);
        });
      const socket = (path: string) =>
        new Promise((resolve) => {
          const opened = new WebSocket(url.replace('http', 'ws') + path);
          opened.onopen = () => resolve('open');
          opened.onerror = () => resolve('refused');
        });
      const post = (path: string, body: unknown, type: string, headers = {}) =>
        fetch(url + path, {
          method: 'POST',
          mode: 'no-cors',
          credentials: 'include',
          body: JSON.stringify(body),
          headers: { 'content-type': type, ...headers },
        }).then((response) => response.type);
      const results = [
        await tell('read', () => fetch(`${url}/api/v1/runs/${runId}`).then((response) => response.text())),
        await tell('read with a token', () =>
          fetch(`${url}/api/v1/runs/${runId}`, { headers: { authorization: `Bearer ${token}` } }).then(
            (response) => response.text(),
          ),
        ),
        await tell('use the code', () =>
          fetch(`${url}/api/v1/login`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code }),
          }).then((response) => response.text()),
        ),
        await tell('use the code blindly', () => post('/api/v1/login', { code }, 'text/plain')),
        await tell('start', () => post('/api/v1/sessions/mine/runs', { prompt: 'evil' }, 'text/plain')),
        await tell('socket', () => socket('/ws')),
        await tell('inspector', () => socket(`/inspect/${runId}`)),
        await tell('image', () => element(Object.assign(new Image(), { src: `${url}/mark.svg` }))),
        await tell('script', () =>
          element(Object.assign(document.createElement('script'), { src: `${url}/chat` })),
        ),
      ];
      const frame = document.createElement('iframe');
      await element(Object.assign(frame, { src: `${url}/chat` }));
      const heard: unknown[] = [];
      const channel = new BroadcastChannel('detent.login ');
      channel.onmessage = ({ data }) => heard.push(data);
      addEventListener('message', ({ data }) => heard.push(data));
      channel.postMessage({ ask: true });
      frame.contentWindow?.postMessage({ ask: true }, '*');
      const form = Object.assign(document.createElement('form'), {
        action: `${url}/api/v1/sessions/mine/runs`,
        method: 'POST',
        target: 'posted',
        enctype: 'text/plain',
      });
      form.append(
        Object.assign(document.createElement('input'), { name: '{"prompt":"evil","x":"', value: '"}' }),
      );
      document.body.append(form, Object.assign(document.createElement('iframe'), { name: 'posted' }));
      form.submit();
      return { results: Object.fromEntries(results), heard };
    },
    { url, code, runId, token },
  );
  expect(got).toEqual({
    results: {
      read: 'refused: TypeError',
      'read with a token': 'refused: TypeError',
      'use the code': 'refused: TypeError',
      'use the code blindly': 'opaque',
      start: 'opaque',
      socket: 'refused',
      inspector: 'refused',
      image: 'refused',
      script: 'refused',
    },
    heard: [],
  });
  expect(
    evil
      .frames()
      .map((frame) => frame.url())
      .filter((address) => address.startsWith(url)),
  ).toEqual([]);
  // The person's browser opens the page for it, and logs it in, but the other page has no hold of it.
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    evil.evaluate((url) => {
      const other = window.open(`${url}/chat/mine#login=${'x'.repeat(43)}`);
      Object.assign(window, { other });
    }, url),
  ]);
  await opened.getByRole('navigation').first().waitFor();
  const hold = await evil.evaluate(() => {
    const { other } = window as unknown as { other: Window };
    other.postMessage({ ask: true }, '*');
    return other.closed;
  });
  expect([hold, await opened.evaluate(() => window.opener)]).toEqual([true, null]);
  expect((await detent.runs.list()).map((run) => run.runId)).toEqual([runId]);
  expect((await gateway.http('/api/v1/login', { method: 'POST', token: null, body: { code } })).status).toBe(
    200,
  );
});

it('keeps the login in the tab: no code in its address or history, no cookie, no token to other origins', async () => {
  const { at, seen } = await elsewhere();
  const script = [{ text: `[the shop](${at}/shop)` }];
  const gateway = await servedPage(script, {}, { prefix: '/agent' });
  await gateway.detent.run('hello', { sessionId: 'mine' }).result;
  const { context, page, code } = await visitAnywhere(gateway);
  const { url } = gateway;
  expect(page.url()).toBe(`${url}/agent/chat`);
  const kept = await page.evaluate(() => ({
    local: Object.keys(localStorage).filter((key) => /token|login/.test(key)),
    tab: Object.keys(sessionStorage),
  }));
  expect(kept).toEqual({ local: [], tab: ['detent.token /agent'] });
  expect(await context.cookies()).toEqual([]);
  await page.goto(`${url}/agent/chat/mine`);
  const link = page.getByRole('link', { name: 'the shop', exact: true });
  const [shop] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await shop.waitForLoadState();
  expect(await shop.evaluate(() => [document.referrer, window.opener])).toEqual(['', null]);
  expect(seen).toContain('GET /shop');
  const second = await context.newPage();
  await second.goto(`${url}/agent/chat#login=${code}`);
  // The code is used up; the tab that is logged in tells the other one.
  await second.getByRole('navigation').first().waitFor();
  expect(await second.evaluate(() => location.hash)).toBe('');
  expect(
    (await gateway.http('/agent/api/v1/login', { method: 'POST', token: null, body: { code } })).status,
  ).toBe(401);
});

it('hands out a file of a run as a file alone: a browser that opens it saves it, and runs nothing of it', async () => {
  const { at, seen } = await elsewhere();
  const bad = hostileTexts(at);
  const gateway = await servedPage([{ toolCalls: [{ name: 'look' }] }, { text: 'Seen.' }], {
    tools: { define: [tool('look', { run: () => bad.page.repeat(1_000) })] },
  });
  const { runId } = await gateway.detent.run('look', { sessionId: 'mine' }).result;
  const events = await gateway.detent.runs.timeline(runId);
  const id =
    events.flatMap((one) => (one.event === 'artifact.created' ? [one.payload.artifact] : []))[0] ?? '';
  const { url } = gateway;
  const { context, page } = await visitAnywhere(gateway);
  const plain = await page.goto(`${url}/api/v1/artifacts/${id}`);
  expect(plain?.status()).toBe(401);
  await context.setExtraHTTPHeaders({ authorization: `Bearer ${await gateway.token()}` });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.goto(`${url}/api/v1/artifacts/${id}`).catch(() => {}),
  ]);
  expect(download.url()).toContain(id);
  const { headers } = await gateway.http(`/api/v1/artifacts/${id}`);
  expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
    "sandbox; default-src 'none'",
    'nosniff',
  ]);
  // A file that the page itself made has the policy of the page: of an image that a person opens in a tab, say.
  await context.setExtraHTTPHeaders({});
  await page.goto(`${url}/chat/mine`);
  for (const [text, type] of [
    [bad.page, 'text/html'],
    [bad.svg, 'image/svg+xml'],
  ] as const) {
    const [shown] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(([text, type]) => void window.open(URL.createObjectURL(new Blob([text], { type }))), [
        text,
        type,
      ] as const),
    ]);
    await shown.waitForLoadState();
    expect(await shown.evaluate(() => 'ran' in window)).toBe(false);
  }
  expect(seen).toEqual([]);
});
