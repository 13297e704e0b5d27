import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type ServeOptions } from '../../src/gateway/gateway.ts';
import { scripted } from '../support/detent.ts';
import { hosting, hosts } from './adapters/hosts.ts';
import { serve } from './support.ts';

const script = 'export const page = "built";';
const html = `<!doctype html>
<html lang="en">
  <head>
    <title>Detent</title>
    <link rel="icon" href="/mark.svg" />
    <script type="module" crossorigin src="./assets/main-4fK2mP9q.js"></script>
    <link rel="stylesheet" href="/assets/main-8sQx1zTe.css" />
  </head>
  <body></body>
</html>
`;

/** A built page beside a secret. */
let folder: string;
let page: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detent-page-'));
  page = join(folder, 'dist');
  await mkdir(join(page, 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'of the machine');
  await symlink(join(folder, 'secret.txt'), join(page, 'link.txt'));
  await writeFile(join(page, '.built'), 'of the build');
  await writeFile(join(page, 'index.html'), html);
  await writeFile(join(page, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(page, 'assets/main-4fK2mP9q.js'), script);
  await writeFile(join(page, 'assets/main-4fK2mP9q.js.br'), brotliCompressSync(script));
  await writeFile(join(page, 'assets/main-4fK2mP9q.js.gz'), gzipSync(script));
  await writeFile(join(page, 'assets/main-8sQx1zTe.css'), ':root{}');
  await writeFile(join(page, 'assets/sans-77aa.woff2'), 'font');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
};

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/** A request as it is written, with nothing normalised and nothing unpacked. */
async function ask(url: string, path: string, headers = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ hostname, port, path, method, headers, agent: false }, resolve).on('error', reject).end();
  });
  const bytes = await buffer(response);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: String(bytes) };
}

/** A gateway with the page, and what it answers. */
async function paged(options: ServeOptions = {}) {
  const { detent } = await scripted([]);
  const { url } = await serve(detent, { page: { folder: page }, ...options });
  return (path: string, headers = {}, method = 'GET') => ask(url, path, headers, method);
}

const asset = '/assets/main-4fK2mP9q.js';

describe('the page of a gateway', () => {
  it.each(['/', '/runs/run_x1?seq=9', '/chat/holiday', '/jobs', '/runs/a.b', '/?x=1'])(
    'opens at %s in a browser, without a token',
    async (path) => {
      const get = await paged();
      const { status, headers, text } = await get(path, { accept: browser.accept });
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toContain('<title>Detent</title>');
    },
  );

  it('leaves / to programs as the text that says what is where', async () => {
    const get = await paged();
    const { headers, text } = await get('/', { accept: '*/*' });
    expect(text).toContain('WebSocket   /ws');
    expect(headers).toMatchObject({ 'content-type': expect.stringContaining('text/plain'), vary: 'accept' });
    expect((await get('/', { accept: 'text/html;q=0, */*' })).text).toBe(text);
    expect((await get('/')).text).toBe(text);
    expect(text).toContain('Page        / in a browser');
  });

  it('lets nothing in the page load, send or run what is not its own', async () => {
    const get = await paged();
    const { headers } = await get('/', browser);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    const directives = headers['content-security-policy']?.toString().split('; ');
    expect(directives).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]),
    );
    expect(String(directives)).not.toMatch(/unsafe|\*|http/);
    const { headers: ofAsset } = await get('/mark.svg');
    expect(ofAsset['content-security-policy']).toBe(headers['content-security-policy']);
  });

  it.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'gzip;q=1.0', gunzipSync],
    ['gzip', 'br;q=0, *', gunzipSync],
    ['br', '*', brotliDecompressSync],
  ])('is sent as %s to a client that takes %s', async (encoding, accepted, unpack) => {
    const get = await paged();
    for (const path of [asset, '/']) {
      const { headers, bytes } = await get(path, { accept: 'text/html', 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers.vary).toContain('accept-encoding');
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(String(unpack(bytes))).toContain(path === '/' ? '<title>' : script);
    }
  });

  it.each(['', 'identity', 'zstd', 'br;q=0, gzip;q=0.000'])(
    'is sent as it is to a client that takes "%s"',
    async (accepted) => {
      const get = await paged();
      const { headers, text } = await get(asset, { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBeUndefined();
      expect(text).toBe(script);
    },
  );

  it('keeps hashed files in caches for ever, and asks each time for the others', async () => {
    const get = await paged();
    const cached = async (path: string) => (await get(path, browser)).headers['cache-control'];
    expect(await cached(asset)).toBe('public, max-age=31536000, immutable');
    expect([await cached('/'), await cached('/runs'), await cached('/mark.svg')]).toEqual(
      Array(3).fill('no-cache'),
    );
  });

  it.each([
    [asset, 'text/javascript; charset=utf-8'],
    ['/assets/main-8sQx1zTe.css', 'text/css; charset=utf-8'],
    ['/assets/sans-77aa.woff2', 'font/woff2'],
    ['/mark.svg', 'image/svg+xml'],
  ])('says what %s is', async (path, type) => {
    const get = await paged();
    expect((await get(path)).headers['content-type']).toBe(type);
  });

  it('is not sent again to a client that has it', async () => {
    const get = await paged();
    for (const path of ['/', asset]) {
      const { headers } = await get(path, browser);
      const plain = await get(path, { accept: 'text/html' });
      // Another representation has another tag.
      expect(plain.headers.etag).not.toBe(headers.etag);
      for (const tag of [headers.etag, `"other", W/${headers.etag}`, '*']) {
        const again = await get(path, { ...browser, 'if-none-match': tag });
        expect([again.status, again.text]).toEqual([304, '']);
        expect(again.headers).toMatchObject({
          etag: headers.etag,
          'cache-control': headers['cache-control'],
          vary: headers.vary,
        });
      }
      expect((await get(path, { ...browser, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it('answers HEAD like GET, without the content', async () => {
    const get = await paged();
    for (const path of ['/', '/jobs', asset]) {
      const [full, head] = [await get(path, browser), await get(path, browser, 'HEAD')];
      expect([head.status, head.text]).toEqual([200, '']);
      const { date: _, ...headers } = full.headers;
      expect(head.headers).toMatchObject(headers);
    }
  });

  it.each(['POST', 'PUT', 'DELETE'])('is no answer to %s', async (method) => {
    const get = await paged();
    for (const path of ['/', '/runs', asset])
      expect(await get(path, browser, method)).toMatchObject({
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
      });
  });

  it.each([
    '/assets/none-11.js',
    '/assets/',
    '/assets',
    '/assets/main-4fK2mP9q.js.br',
    '/assets/main-4fK2mP9q.js/',
  ])('is no answer for a file that is not there: %s', async (path) => {
    const get = await paged();
    const { status, headers } = await get(path, browser);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
  });

  it.each(['/api/v1/none', '/api', '/v1/none', '/ws', '/inspect/run_x', '/healthz/x'])(
    'is no answer under an interface: %s',
    async (path) => {
      const get = await paged();
      const { status, headers } = await get(path, browser);
      expect(status).toBe(404);
      expect(headers['content-type']).toMatch(/json/);
    },
  );

  it('leaves the interfaces to a browser as they are', async () => {
    const get = await paged();
    expect((await get('/healthz', browser)).text).toBe('{"ok":true}');
    expect((await get('/api/v1/runs', browser)).status).toBe(401);
    expect(JSON.parse((await get('/api/v1/openapi.json', browser)).text)).toMatchObject({ openapi: '3.1.0' });
  });

  it('is no answer for programs elsewhere than at its files', async () => {
    const get = await paged();
    expect((await get('/runs', { accept: '*/*' })).status).toBe(404);
    expect((await get('/index.html')).text).toContain('<title>');
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
    '/link.txt',
    '/.built',
    '/assets/%00',
    '/secret.txt%00.html',
    '/__proto__',
    '/constructor',
    'http://127.0.0.1/../secret.txt',
  ])('reads no other file of the machine: %s', async (path) => {
    const get = await paged();
    for (const headers of [{}, browser]) {
      const { text } = await get(path, { ...headers, 'accept-encoding': 'identity' });
      expect(text).not.toMatch(/of the machine|of the build/);
    }
    expect((await get(path)).status).toBeGreaterThanOrEqual(400);
  });

  it('goes by the same names as the gateway', async () => {
    const get = await paged();
    for (const path of ['/', asset]) {
      const { status, text } = await get(path, { ...browser, host: 'evil.example' });
      expect([status, JSON.parse(text).code]).toEqual([403, 'HOST_NOT_ALLOWED']);
    }
  });

  it('may not be read by pages of other origins, not even by those that may use the gateway', async () => {
    const origin = 'https://shop.example';
    const get = await paged({ origins: [origin] });
    expect((await get('/healthz', { origin })).headers['access-control-allow-origin']).toBe(origin);
    for (const path of ['/', asset]) {
      const { headers } = await get(path, { ...browser, origin });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('is off unless a program turns it on', async () => {
    const { detent } = await scripted([]);
    const { url } = await serve(detent);
    const { headers, text } = await ask(url, '/', browser);
    expect(headers['content-type']).toContain('text/plain');
    expect(text).not.toContain('web page');
    expect((await ask(url, '/runs', browser)).status).toBe(404);
  });

  it('must be in the folder that a program names', async () => {
    const { detent } = await scripted([]);
    for (const wrong of [join(folder, 'none'), folder])
      expect(() => createGateway(detent, { page: { folder: wrong } })).toThrow(/no index\.html in/);
  });
});

describe('the page under a prefix', () => {
  it('finds its files and its gateway', async () => {
    const get = await paged({ prefix: '/shop/agent' });
    for (const path of ['/shop/agent', '/shop/agent/', '/shop/agent/runs/run_x']) {
      const { status, text } = await get(path, { accept: 'text/html' });
      expect(status).toBe(200);
      expect(text).toContain('<meta name="detent-prefix" content="/shop/agent" />');
      const urls = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url);
      expect(urls).toHaveLength(3);
      for (const url of urls) expect((await get(url)).status).toBe(200);
    }
    expect((await get('/', browser)).status).toBe(404);
    expect((await get('/shop/agents', browser)).status).toBe(404);
    expect((await get(asset)).status).toBe(404);
  });

  it('is told that it has none at the root', async () => {
    const get = await paged();
    const { text } = await get('/', { accept: 'text/html' });
    expect(text).toContain('<meta name="detent-prefix" content="" />');
    expect(text).toContain('src="/assets/main-4fK2mP9q.js"');
  });

  it.each(hosts)('opens in a server of %s, beside its own pages', async (name) => {
    const { detent } = await scripted([]);
    const { url } = await hosting(name, detent, { page: { folder: page }, compresses: true });
    const opened = await ask(url, '/agent/runs/run_x', browser);
    expect(opened).toMatchObject({ status: 200, headers: { 'content-encoding': 'br', 'x-host': 'yes' } });
    expect(String(brotliDecompressSync(opened.bytes))).toContain('content="/agent"');
    expect((await ask(url, '/agent', { accept: 'text/html' })).text).toContain('<title>Detent</title>');
    expect((await ask(url, `/agent${asset}`)).text).toBe(script);
    expect((await ask(url, '/own', { accept: browser.accept })).text).toBe('own page');
    expect((await ask(url, '/agent/api/v1/runs', browser)).status).toBe(401);
    expect((await ask(url, '/runs', { accept: browser.accept })).text).toBe('host: not found');
  });
});
