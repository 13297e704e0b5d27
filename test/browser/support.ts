import AxeBuilder from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { ServeOptions } from '../../src/gateway/gateway.ts';
import type { DetentOptions } from '../../src/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { type Served, served } from '../gateway/support.ts';
import { afterwards } from '../support/afterwards.ts';
import { chromiumPath } from './chromium.ts';

/** One browser a test file: a context a test is as fresh as a browser, and a hundred times as fast. */
let launched: Promise<Browser> | null = null;

export function browser(): Promise<Browser> {
  if (launched === null) {
    launched = launch();
    afterwards(async () => {
      const own = launched;
      launched = null;
      await (await own)?.close();
    });
  }
  return launched;
}

async function launch(): Promise<Browser> {
  const executablePath = await chromiumPath();
  if (executablePath === null)
    throw new Error('NOT RUN: there is no Chromium; install one, or name one in DETENT_CHROMIUM');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** What a test may say of the browser besides playwright's own options. */
export interface ViewOptions extends BrowserContextOptions {
  /** Messages on the console that a test expects. */
  expects?: RegExp;
  /** What the page reads every few seconds it reads eight times as often: for a test that would wait for it. */
  isQuick?: boolean;
}

/** A person's browser at a gateway. */
interface Visit {
  page: Page;
  context: BrowserContext;
  /** Every address that the browser asked for, WebSockets included. */
  requests: string[];
}

/** A gateway with the page, over a Detent whose model follows a script. */
export function servedPage(
  script: readonly ScriptLine[],
  options: DetentOptions = {},
  gatewayOptions: ServeOptions = {},
): Promise<Served> {
  return served(script, options, { page: true, ...gatewayOptions });
}

/**
 * Opens the page, logged in by a link. Fails the test if the browser asks for an address that is not of the gateway, or reports
 * an error.
 */
export async function visit(
  { url, gateway }: { url: string; gateway: Pick<Served['gateway'], 'loginCode'> },
  path = '/chat',
  options: ViewOptions = {},
): Promise<Visit> {
  const { expects, isQuick = false, ...view } = options;
  const context = await (await browser()).newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...view,
  });
  context.setDefaultTimeout(60_000);
  if (isQuick) await context.addInitScript(shortenIntervals);
  const requests: string[] = [];
  const problems: string[] = [];
  const origin = new URL(url).host;
  context.on('request', (request) => requests.push(request.url()));
  context.on('page', (page) => {
    page.on('websocket', (socket) => requests.push(socket.url()));
    page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !expects?.test(message.text())) problems.push(message.text());
    });
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
    expect(foreign(requests, origin)).toEqual([]);
  });
  const page = await context.newPage();
  await page.goto(`${url}${path}#login=${gateway.loginCode()}`);
  await page.getByRole('navigation').first().waitFor();
  return { page, context, requests };
}

/** Logs the tab in anew, with a token, at a path. */
export async function logInWith(token: string, page: Page, address: string): Promise<void> {
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(address);
  await page.reload();
  await page.getByLabel('Login link or token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Runs in the page, before its own scripts. */
function shortenIntervals(): void {
  const { setInterval } = window;
  const shortened = (run: () => void, ms = 0) => setInterval(run, ms >= 1_000 && ms <= 5_000 ? ms / 8 : ms);
  window.setInterval = shortened as typeof window.setInterval;
}

function foreign(requests: readonly string[], host: string): string[] {
  return requests.filter((address) => !/^(?:data|blob):/.test(address) && new URL(address).host !== host);
}

/** What axe-core finds wrong with the page as it is shown, by the rules of WCAG 2.2 AA: none is right. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Evaluated by the debugger: the page's own policy allows no scripts that it did not bring. It stays until the page is left.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AxeBuilder.source);
  const found = await page.evaluate(async (of) => {
    const { axe } = window as unknown as { axe: typeof AxeBuilder };
    const result = await axe.run(document, {
      // What it found right it would list, too, with a selector for each element.
      resultTypes: ['violations'],
      runOnly: of ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return result.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, rules);
  return found;
}

/** Expects a page without such faults in both themes. It stays dark. @param where is named with a fault */
export async function expectAccessible(page: Page, where = ''): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((one) => {
      document.documentElement.dataset.theme = one;
    }, theme);
    // Themes differ in colours alone.
    const rules = theme === 'light' ? undefined : ['color-contrast'];
    expect(await violations(page, rules), `${where} ${theme}`).toEqual([]);
  }
}
