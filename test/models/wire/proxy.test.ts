import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proxyOf } from '../../../src/models/wire/proxy.ts';
import type * as transport from '../../../src/models/wire/transport.ts';
import { servedAt } from '../../support/listening.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

let processes = 0;

/** A proxy that answers by itself, and what it was asked. */
async function proxy() {
  const asked: unknown[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push([
      method,
      url,
      headers['proxy-authorization'],
      headers.authorization,
      headers['content-length'],
    ]);
    response.end('by the proxy');
  });
  server.on('connect', ({ url, headers }, socket) => {
    asked.push(['CONNECT', url, headers['proxy-authorization']]);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  return { asked, at: new URL(await servedAt(server)).host };
}

/** As a process with these variables sends. */
async function send(url: string, env: Record<string, string>): Promise<string> {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'])
    for (const each of [name, name.toLowerCase()]) vi.stubEnv(each, env[each]);
  // A module makes its agents once: each "process" has a module of its own.
  const { readText, send }: typeof transport = await import(
    `../../../src/models/wire/transport.ts?process=${++processes}`
  );
  const { signal } = new AbortController();
  const limits = { firstByteTimeoutMs: 5_000, idleTimeoutMs: 5_000 };
  const headers = { authorization: 'Bearer k' };
  try {
    return await readText(
      (await send({ method: 'POST', url, headers, body: '{}', signal, ...limits })).body,
      100,
    );
  } catch (error) {
    return String(error);
  }
}

describe('the proxy of the environment', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
    'of %s gets a call, with its own password',
    async (name) => {
      const { asked, at } = await proxy();
      expect(await send('http://models.test/v1', { [name]: `http://me:p%40ss@${at}` })).toBe('by the proxy');
      const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
      expect(asked).toEqual([['POST', 'http://models.test/v1', basic, 'Bearer k', '2']]);
    },
  );

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])(
    'of %s makes a tunnel, and does not see the key',
    async (name) => {
      const { asked, at } = await proxy();
      expect(await send('https://models.test/v1', { [name]: at })).toContain('failed');
      expect(asked).toEqual([['CONNECT', 'models.test:443', undefined]]);
    },
  );

  it.each([
    ['http://localhost:1/v1', {}],
    ['http://127.0.0.1:1/v1', {}],
    ['http://[::1]:1/v1', {}],
    ['http://models.invalid/v1', { NO_PROXY: 'other.test, .invalid' }],
    ['http://models.invalid/v1', { no_proxy: 'models.invalid' }],
    ['http://models.invalid/v1', { NO_PROXY: '*' }],
  ])('is left out for %s with %j', async (url, env) => {
    const { asked, at } = await proxy();
    expect(await send(url, { HTTP_PROXY: at, ...env })).toContain('failed');
    expect(asked).toEqual([]);
  });

  it.each(['socks5://me:secret@127.0.0.1:1', 'ftp://x', 'http://', ':::'])(
    'that is %s is refused, and nothing sent',
    async (value) => {
      const refused = await send('http://127.0.0.1:1/v1', { HTTPS_PROXY: value });
      expect(refused).toContain('HTTPS_PROXY is not the address of an HTTP proxy');
      expect(refused).not.toContain('secret');
    },
  );

  it('is none when no variable has a value', () => {
    expect(proxyOf({ HTTP_PROXY: '', NO_PROXY: 'a' })).toBeNull();
  });
});
