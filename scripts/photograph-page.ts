/**
 * Takes the pictures of the web page for README.md anew: `npm run pictures:write`. A tea shop's assistant, whose model follows a
 * script, runs for real: real tools, files, states and times.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { z } from 'zod';
import { gatewayListener, serveWebSockets } from '../src/gateway/adapters/node.ts';
import { createGateway } from '../src/gateway/gateway.ts';
import { createDetent, defineTool } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { chromiumPath } from '../test/browser/chromium.ts';
import { buildPage } from './build/page.ts';

const pictures = resolve(import.meta.dirname, '../docs/pictures');
const size = { width: 1440, height: 900 };

const stock = [
  { tea: '龙井 Longjing, 100 g', shelf: 14, soldADay: 8.6, lastsUntil: 'tomorrow' },
  { tea: '铁观音 Tieguanyin, 250 g', shelf: 7, soldADay: 2.4, lastsUntil: 'Wednesday' },
  { tea: '滇红 Dianhong, 100 g', shelf: 6, soldADay: 1.7, lastsUntil: 'Thursday' },
];

const before = '# Restock\n\n- Longjing, 100 g: 24\n- Tieguanyin, 250 g: 6\n- Jasmine pearls, 50 g: 30\n';
const after = '# Restock\n\n- Longjing, 100 g: 60\n- Tieguanyin, 250 g: 18\n- Dianhong, 100 g: 12\n';

const tools = ['stock_levels', 'sales_rate'].map((name, i) =>
  defineTool({
    name,
    description: name,
    parameters: z.looseObject({}),
    sideEffect: 'readonly',
    async run() {
      await sleep(350 + 400 * i);
      return JSON.stringify(i === 0 ? stock : stock.map(({ tea, soldADay }) => ({ tea, soldADay })));
    },
  }),
);

const script = [
  {
    reasoning: 'Two facts are needed: what is on the shelf, and how fast it sells.',
    text: 'I will look at the shelf and at last week’s sales.',
    toolCalls: [
      { name: 'stock_levels', arguments: { warehouse: 'hangzhou' } },
      { name: 'sales_rate', arguments: { days: 7, by: 'sku' } },
    ],
  },
  {
    text: 'Three teas run out before Friday. Longjing is the urgent one. Here is the new order.',
    toolCalls: [{ name: 'write_file', arguments: { path: 'orders/restock.md', content: after } }],
  },
  { text: '**Done:** the order has three teas. Jasmine stays out until spring.' },
].map((line) => async () => {
  await sleep(900);
  return line;
});

async function photograph(browser: Browser, url: string, loginCode: string): Promise<void> {
  const page = await browser.newPage({ viewport: size, colorScheme: 'light', locale: 'en-GB' });
  await page.goto(`${url}/chat#login=${loginCode}`);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Which teas run out before Friday? Bring orders/restock.md up to date.');
  await message.press('Enter');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await sleep(1_000);
  await page.screenshot({ path: join(pictures, 'chat.png') });
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('.convo').getByText('the order has three teas').waitFor();
  await page.getByRole('link', { name: 'Inspect' }).first().click();
  await page.waitForURL(/\/runs\//);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${page.url().split('?')[0]}?seq=5`);
  await page.locator('.guards').getByText('hasAsked').waitFor();
  await sleep(1_000);
  await page.screenshot({ path: join(pictures, 'inspector.png') });
}

await buildPage();
await mkdir(pictures, { recursive: true });
const workspace = mkdtempSync(join(tmpdir(), 'detent-pictures-'));
await mkdir(join(workspace, 'orders'));
await writeFile(join(workspace, 'orders/restock.md'), before);
const detent = createDetent({
  workspace,
  env: {},
  model: 'shop/assistant',
  models: { shop: scriptedModel(script) },
  tools: { define: tools },
});
const gateway = createGateway(detent, { page: true });
const server = createServer(gatewayListener(gateway));
serveWebSockets(server, gateway);
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const { port } = server.address() as { port: number };
const executablePath = (await chromiumPath()) ?? undefined;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
await photograph(browser, `http://127.0.0.1:${port}`, gateway.loginCode());
await browser.close();
await gateway.close();
server.closeAllConnections();
server.close();
await detent.close();
rmSync(workspace, { recursive: true });
