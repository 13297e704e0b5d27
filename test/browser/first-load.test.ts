import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { servedPage, visit } from './support.ts';

const maxBytes = 200 * 1024;

it(`loads in ${maxBytes / 1024} KiB at the first visit, fonts and headers included, and asks for nothing of the inspector`, async () => {
  const gateway = await servedPage([]);
  const { page, context } = await visit(gateway, '/trust');
  // The first visit of a browser that knows nothing of the page yet.
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.clearBrowserCache');
  const sizes = new Map<string, number>();
  const names = new Map<string, string>();
  devtools.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = names.get(requestId);
    // Without a name it is what the page before had asked for.
    if (url === undefined) return;
    const { pathname } = new URL(url);
    if (!pathname.startsWith('/api/')) sizes.set(pathname, encodedDataLength);
  });
  await page.goto(`${gateway.url}/chat`, { waitUntil: 'networkidle' });
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const lines = [...sizes].map(([path, bytes]) => `${String(bytes).padStart(7)} ${path}`);
  console.log(`first load: ${total} bytes\n${lines.join('\n')}`);
  expect([...sizes.keys()].some((path) => path.endsWith('.woff2'))).toBe(true);
  expect([...sizes.keys()].filter((path) => /inspector|jobs|usage/.test(path))).toEqual([]);
  expect(total).toBeLessThanOrEqual(maxBytes);
  // The order of the layers is that of the first stylesheet.
  const button = page.locator('.btn.primary').first();
  const [color, ink] = await button.evaluate((one) =>
    [one, document.body].map((of) => getComputedStyle(of).color),
  );
  expect(color).not.toBe(ink);
});

it('has no path of the machine that built it, whatever its NODE_ENV is', () => {
  const root = join(import.meta.dirname, '../..');
  const files = globSync('web/dist/assets/*.js', { cwd: root });
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => readFileSync(join(root, file), 'utf8').includes(root))).toEqual([]);
});
