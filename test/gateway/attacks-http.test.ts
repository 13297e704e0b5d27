import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, httpServer, listen } from '../../src/cli/commands/serve/http-server.ts';
import { servePlace } from '../../src/cli/commands/serve/serve-place.ts';
import { createGateway, type ServeOptions } from '../../src/gateway/gateway.ts';
import { scripted } from '../support/detent.ts';
import { head, rawSocket, speak, statusOf, upgrade } from './sockets.ts';
import { served } from './support.ts';

const token = 'a-token';
const shop = 'https://shop.example';

/** The server of `detent serve`, and what it has stored. */
async function listening(options: ServeOptions = {}, limits: Parameters<typeof httpServer>[1] = {}) {
  const { detent, workspace } = await scripted([{ text: 'hello' }]);
  const errors: unknown[] = [];
  const gateway = createGateway(detent, {
    origins: [shop],
    authenticate: (shown) =>
      shown === token ? { tenantId: 1, userId: null, scopes: ['read', 'write', 'approve', 'admin'] } : null,
    onError: (error) => errors.push(error),
    ...options,
    limits: { drainMs: 200, ...options.limits },
  });
  const server = httpServer(gateway, limits);
  const port = await listen(server, servePlace({ port: '0' }));
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    await closeServer(server);
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    server,
    gateway,
    detent,
    workspace,
    errors,
    runs: async () => (await detent.runs.list()).length,
  };
}

const bearer = `Authorization: Bearer ${token}`;
const json = 'Content-Type: application/json';
const body = '{"prompt":"hello"}';
const length = `Content-Length: ${body.length}`;

describe('the header Host', () => {
  it.each([
    ['a name of the gateway', ['Host: localhost'], 200],
    ['with a port', ['Host: localhost:99'], 200],
    ['in capitals', ['Host: LocalHost'], 200],
    ['IPv6', ['Host: [::1]:7420'], 200],
    ['of a page that points its name here', ['Host: evil.example'], 403],
    ['with a dot at its end', ['Host: localhost.'], 403],
    ['that begins like a name', ['Host: localhost.evil.example'], 403],
    ['that ends like a name', ['Host: evil-localhost'], 403],
    ['with a user', ['Host: localhost@evil.example'], 400],
    ['with a port that is none', ['Host: localhost:x'], 400],
    ['IPv6 without brackets', ['Host: ::1'], 400],
    ['another IPv6', ['Host: [::2]'], 403],
    ['of 127.0.0.1 as a number', ['Host: 2130706433'], 403],
    ['twice', ['Host: localhost', 'Host: evil.example'], 403],
    ['twice the same', ['Host: localhost', 'Host: localhost'], 403],
    ['missing', [], 400],
    ['empty', ['Host:'], 400],
  ])('%s', async (_, headers, status) => {
    const { url } = await listening();
    const answer = statusOf(await speak(url, head('GET /healthz HTTP/1.1', ...headers)));
    expect(status === 200 ? answer : answer >= 400 && answer < 500).toBe(status === 200 ? 200 : true);
    const ws = await rawSocket(url);
    ws.write(upgrade('/ws', ...headers));
    if (status === 200) expect(await ws.saw('101')).toContain('101 Switching');
    else expect(statusOf(await ws.closed)).toBeGreaterThanOrEqual(400);
  });

  it('is the one that counts: a first line that names another host is refused', async () => {
    const { url } = await listening();
    const asked = (line: string, host: string) => speak(url, head(`GET ${line} HTTP/1.1`, `Host: ${host}`));
    expect(statusOf(await asked('http://evil.example/healthz', 'localhost'))).toBe(400);
    expect(statusOf(await asked('http://localhost/healthz', 'evil.example'))).toBe(400);
    expect(statusOf(await asked('http://evil.example/healthz', 'evil.example'))).toBe(403);
    expect(statusOf(await asked('http://localhost/healthz', 'localhost'))).toBe(200);
    expect(statusOf(await asked('*', 'localhost'))).toBe(400);
  });
});

describe('a page', () => {
  const from = (origin: string, ...more: string[]) =>
    head('POST /api/v1/runs HTTP/1.1', 'Host: localhost', `Origin: ${origin}`, bearer, ...more, length) +
    body;

  it.each([
    'http://evil.example',
    'null',
    'http://localhost.evil.example',
    'https://shop.example.evil',
    'http://localhost:1',
    '',
    'file://',
    'http://localhost, https://shop.example',
    'http://[',
    'HTTPS://SHOP.EXAMPLE',
  ])(
    'of the origin "%s" starts nothing, over HTTP or a WebSocket, and may read no answer',
    async (origin) => {
      const { url, runs } = await listening();
      for (const type of [json, 'Content-Type: text/plain'])
        if (origin !== '') expect(statusOf(await speak(url, from(origin, type)))).toBe(403);
      const ws = await speak(url, upgrade('/ws', 'Host: localhost', `Origin: ${origin || 'null'}`));
      expect(statusOf(ws)).toBe(403);
      const preflight = await speak(
        url,
        head('OPTIONS /api/v1/runs HTTP/1.1', 'Host: localhost', `Origin: ${origin || 'null'}`),
      );
      expect(preflight).not.toMatch(/access-control/i);
      const read = await speak(
        url,
        head('GET /api/v1/runs HTTP/1.1', 'Host: localhost', `Origin: ${origin}`, bearer),
      );
      expect(read).not.toMatch(/access-control/i);
      expect(await runs()).toBe(0);
    },
  );

  it('that points its own name here is refused, though its origin is that name', async () => {
    const { url, runs } = await listening();
    const evil = ['Host: evil.example', 'Origin: http://evil.example'];
    const asked = head('POST /api/v1/runs HTTP/1.1', ...evil, bearer, json, length) + body;
    expect(statusOf(await speak(url, asked))).toBe(403);
    expect(statusOf(await speak(url, upgrade('/ws', ...evil)))).toBe(403);
    expect(await runs()).toBe(0);
  });

  it('of a listed origin is let in, and its browser may read answers and errors', async () => {
    const { url } = await listening();
    const preflight = await speak(
      url,
      head('OPTIONS /api/v1/runs HTTP/1.1', 'Host: localhost', `Origin: ${shop}`),
    );
    expect(preflight).toMatch(/204[\s\S]*access-control-allow-origin: https:\/\/shop\.example\r\n/i);
    expect(preflight).not.toMatch(/allow-credentials/i);
    const started = await speak(url, from(shop, json));
    expect(started).toMatch(/202[\s\S]*access-control-allow-origin: https:\/\/shop\.example\r\n/i);
    const failed = await speak(url, from(shop, 'Content-Type: text/plain'));
    expect(failed).toMatch(/415[\s\S]*access-control-allow-origin: https:\/\/shop\.example\r\n/i);
  });

  it('cannot log in by a cookie, and gets none', async () => {
    const { url } = await listening();
    const cookies = ['Host: localhost', `Cookie: token=${token}; authorization=Bearer ${token}`];
    const answer = await speak(url, head('GET /api/v1/runs HTTP/1.1', ...cookies));
    expect(statusOf(answer)).toBe(401);
    expect(answer).not.toMatch(/set-cookie/i);
  });
});

describe('a path', () => {
  it.each([
    ['/api/v1/../../etc/passwd', 404],
    ['/api/v1/%2e%2e/healthz', 404],
    ['/api/v1/runs/%2e%2e', 404],
    ['/api/v1/runs/..%2f..%2fetc%2fpasswd', 404],
    ['/api/v1/runs/..%5c..', 404],
    ['//evil.example/api/v1/runs', 404],
    ['/api/v1//runs', 404],
    ['/API/V1/runs', 404],
    ['/api/v1/runs;x=1', 404],
    ['/api/v1/runs/%00', 404],
    ['/api/v1/runs/%', 404],
    ['/api/v1/runs/%ff%fe', 404],
    ['/api/v1/runs/%0d%0aSet-Cookie:%20x=1', 404],
    [`/api/v1/runs/${'x'.repeat(201)}`, 400],
    [`/api/v1/runs/${'%f0%9f%98%80'.repeat(1_000)}`, 400],
    ['/api/v1/sessions/%00', 400],
    ['/api/v1/sessions/a%0d%0ab', 400],
    ['/api/v1/sessions/..%2f..%2f..', 404],
    ['/api/v1/artifacts/..%2f..%2fetc%2fpasswd', 404],
    ['/api/v1/artifacts/%0d%0aX-Evil:%201', 404],
    ['/api/v1/memory/file?path=../../etc/passwd', 400],
    ['/api/v1/memory/file?path=/etc/passwd', 400],
    ['/api/v1/memory/file?path=memory/..%2f..%2f..%2fetc%2fpasswd', 400],
    ['/api/v1/memory/file?path=memory/x%00.md', 400],
    ['/api/v1/runs?limit=1e9', 400],
    ['/api/v1/runs?limit=99999999999999999999', 400],
    ['/api/v1/runs?limit=-1', 400],
    ['/api/v1/runs?__proto__=1', 400],
    ['/api/v1/runs?constructor=1', 400],
    ['/api/v1/runs?status=done%27%20OR%201=1', 400],
    [`/${'x'.repeat(20_000)}`, 431],
    ['/ws', 404],
    ['/api/v1/ws', 404],
  ])('%s is answered %i, and tells nothing', async (path, status) => {
    const { url, workspace, errors } = await listening();
    const answer = await speak(url, head(`GET ${path} HTTP/1.1`, 'Host: localhost', bearer));
    expect(statusOf(answer)).toBe(status);
    expect(answer.split('\r\n\r\n')[0]).not.toMatch(/set-cookie|x-evil/i);
    for (const secret of [workspace, 'root:', 'node_modules', '    at ', 'SQLITE', 'select ', 'src/'])
      expect(answer).not.toContain(secret);
    expect(errors).toEqual([]);
  });

  it.each(['/ws/', '/WS', '//ws', '/ws/../ws', '/%77s', '/api/v1/runs', '/'])(
    '%s is no WebSocket',
    async (path) => {
      const { url } = await listening();
      expect(await speak(url, upgrade(path, 'Host: localhost'))).not.toContain('101');
    },
  );
});

describe('a request that proxies and servers may read in two ways', () => {
  const run = 'POST /api/v1/runs HTTP/1.1';
  const usual = ['Host: localhost', bearer, json];
  it.each([
    ['a length and chunks', [run, ...usual, length, 'Transfer-Encoding: chunked'], `${body}`],
    ['two lengths', [run, ...usual, length, 'Content-Length: 4'], body],
    ['two equal lengths', [run, ...usual, length, length], body],
    ['a list of lengths', [run, ...usual, `${length}, ${body.length}`], body],
    ['a length with a sign', [run, ...usual, `Content-Length: +${body.length}`], body],
    ['a negative length', [run, ...usual, 'Content-Length: -1'], body],
    ['a length in hex', [run, ...usual, 'Content-Length: 0x12'], body],
    ['an unknown coding', [run, ...usual, 'Transfer-Encoding: xchunked'], body],
    ['chunks that are not last', [run, ...usual, 'Transfer-Encoding: chunked, identity'], body],
    ['a header on two lines', [run, ...usual, 'X-Folded: a', ' b', length], body],
    ['a space before the colon', [run, ...usual, `Content-Length : ${body.length}`], body],
    ['a header without a name', [run, ...usual, ': x', length], body],
    ['a null byte in a header', [run, ...usual, 'X-Null: a\0b', length], body],
    ['a chunk that is too long', [run, ...usual, 'Transfer-Encoding: chunked'], 'FFFFFFFFFFFFFFFFF\r\n'],
    ['a chunk with a negative length', [run, ...usual, 'Transfer-Encoding: chunked'], '-1\r\n'],
    ['a method that is none', ['P0ST /api/v1/runs HTTP/1.1', ...usual, length], body],
    ['HTTP/9.9', ['POST /api/v1/runs HTTP/9.9', ...usual, length], body],
  ])('is refused, and the connection closed: %s', async (_, lines, rest) => {
    const { url, runs } = await listening();
    const raw = await rawSocket(url);
    // Whatever follows must not be read as a second request.
    raw.write(`${lines.join('\r\n')}\r\n\r\n${rest}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const answer = await raw.closed;
    expect(statusOf(answer)).toBe(400);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await runs()).toBe(0);
  });

  it('is refused with lines that end in a bare LF', async () => {
    const { url, runs } = await listening();
    const answer = await speak(url, `${run}\n${usual.join('\n')}\n${length}\n\n${body}`);
    expect(statusOf(answer)).toBe(400);
    expect(await runs()).toBe(0);
  });
});

describe('a body', () => {
  const post = (type: string, ...more: string[]) =>
    head('POST /api/v1/runs HTTP/1.1', 'Host: localhost', bearer, type, ...more);
  const small = { limits: { maxBodyBytes: 1_000, maxUploadBytes: 1_000 } };

  it.each([
    ['no JSON', '{'],
    ['nothing but a number', '1'],
    ['a list', '[{"prompt":"hello"}]'],
    ['null', 'null'],
    ['100,000 brackets', `{"prompt":"hello","output":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['100,000 braces', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a prototype', '{"__proto__":{"prompt":"hello"}}'],
    ['a prototype beside the fields', '{"prompt":"hello","__proto__":{"approve":"all"}}'],
    ['a constructor', '{"prompt":"hello","constructor":{"prototype":{"approve":"all"}}}'],
    ['a field too many', '{"prompt":"hello","tenantId":2}'],
    ['a principal', '{"prompt":"hello","principal":{"tenantId":2}}'],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from('\ufeff{"prompt":"hello"}', 'utf16le')],
    ['NaN', '{"prompt":"hello","limits":NaN}'],
  ])('of %s starts nothing', async (_, sent) => {
    const { url, runs, errors } = await listening();
    const bytes = Buffer.from(sent as string);
    const answer = await speak(
      url,
      Buffer.concat([Buffer.from(post(json, `Content-Length: ${bytes.length}`)), bytes]),
    );
    expect([statusOf(answer), await runs(), errors]).toEqual([400, 0, []]);
    expect(({} as { prompt?: string; approve?: string }).prompt).toBeUndefined();
  });

  it('has the last of two fields of one name', async () => {
    const { url, detent } = await listening();
    const sent = '{"prompt":"first","prompt":"second"}';
    expect(statusOf(await speak(url, post(json, `Content-Length: ${sent.length}`) + sent))).toBe(202);
    const [run] = await detent.runs.list();
    expect(JSON.stringify(await detent.runs.events(run?.runId ?? ''))).toMatch(/^(?!.*first).*second/);
  });

  it('that is too large is refused before it has all come, whether it says so or not', async () => {
    const { url, runs } = await listening(small);
    for (const start of [
      post(json, 'Content-Length: 1000000000') + 'x'.repeat(2_000),
      `${post(json, 'Transfer-Encoding: chunked')}800\r\n${'x'.repeat(2_048)}\r\n`,
    ]) {
      const raw = await rawSocket(url);
      raw.write(start);
      expect(statusOf(await raw.saw('\r\n\r\n'))).toBe(413);
      await raw.closed;
    }
    expect(await runs()).toBe(0);
  });

  it('is not read for those who may not send it', async () => {
    const { url } = await listening({
      ...small,
      authenticate: () => ({ tenantId: 1, userId: null, scopes: ['read'] }),
    });
    const raw = await rawSocket(url);
    raw.write(post(json, 'Content-Length: 900'));
    expect(statusOf(await raw.saw('\r\n\r\n'))).toBe(403);
  });

  it('that never ends is cut off, and so is a head that never ends', async () => {
    const { url, server } = await listening(
      {},
      { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 },
    );
    const all = await Promise.all(Array.from({ length: 20 }, () => rawSocket(url)));
    for (const [i, raw] of all.entries())
      raw.write(
        [
          post(json, 'Content-Length: 100'),
          'GET /healthz HTTP/1.1\r\nHost: loc',
          upgrade('/ws', 'Host: localhost').slice(0, -2),
          `${post(json, 'Transfer-Encoding: chunked')}5\r\n{"p`,
        ][i % 4] as string,
      );
    for (const answer of await Promise.all(all.map(({ closed }) => closed)))
      expect([400, 408]).toContain(statusOf(answer));
    expect(statusOf(await speak(url, head('GET /healthz HTTP/1.1', 'Host: localhost')))).toBe(200);
    for (const { socket } of all) socket.destroy();
    await expect.poll(() => countOf(server)).toBe(0);
  });

  it('in the address of a POST is refused: addresses end up in logs', async () => {
    const { url, runs } = await listening();
    const asked = post(json, 'Content-Length: 0').replace('/runs', '/runs?prompt=hello&approve=all');
    expect(statusOf(await speak(url, asked))).toBe(400);
    expect(await runs()).toBe(0);
  });
});

const countOf = (server: { getConnections(done: (error: unknown, count: number) => void): unknown }) =>
  new Promise<number>((resolve) => void server.getConnections((_, count) => resolve(count)));

describe('an event stream', () => {
  it('is none for HEAD, which would be counted for ever', async () => {
    const { http, gateway } = await served([{ text: 'hi' }], {}, { limits: { maxConnections: 2 } });
    const { body: started } = await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' } });
    for (let i = 0; i < 5; i++)
      expect((await http(`/api/v1/runs/${started.runId}/events`, { method: 'HEAD' })).status).toBe(200);
    expect((await http(`/api/v1/runs/${started.runId}/events`)).status).toBe(200);
    await gateway.close();
  });

  it('begins at a place that is a number', async () => {
    const { http } = await served([{ text: 'hi' }]);
    const { body: started } = await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' } });
    const from = (last: string) =>
      http(`/api/v1/runs/${started.runId}/events`, { headers: { 'last-event-id': last } });
    for (const last of ['x', '-1', '1.5', '9'.repeat(30)]) expect((await from(last)).status).toBe(400);
    expect((await from('0')).status).toBe(200);
  });

  it('is refused after the gateway has stopped, as are WebSockets', async () => {
    const { http, gateway, url } = await served([{ text: 'hi' }]);
    const { body: started } = await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' } });
    await gateway.close();
    expect((await http(`/api/v1/runs/${started.runId}/events`)).status).toBe(503);
    expect(statusOf(await speak(url, upgrade('/ws', 'Host: localhost')))).toBe(503);
  });
});

it('an upgrade that is refused leaves no socket, though its client keeps its end open', async () => {
  const { url, server } = await listening();
  const refused = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const raw = await rawSocket(url);
      raw.write(upgrade('/ws', 'Host: evil.example'));
      return raw.closed;
    }),
  );
  expect(refused.map(statusOf)).toEqual(Array(20).fill(403));
  await expect.poll(() => countOf(server)).toBe(0);
});
