import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HttpRequest, readText, send } from '../../../src/models/wire/transport.ts';

const servers: (Server | TcpServer)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

async function listen<T extends Server | TcpServer>(server: T): Promise<string> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(url: string, request: Partial<HttpRequest> = {}) {
  return send({
    method: 'POST',
    url,
    headers: {},
    body: '{"say":"é"}',
    signal: new AbortController().signal,
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    ...request,
  });
}

describe('a request', () => {
  it('is sent whole, with its length in bytes, and its answer read as text', async () => {
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => {
        response.writeHead(418, { 'x-repeated': ['a', 'b'] });
        response.end(`${request.method} ${request.url} ${request.headers['content-length']} ${body}`);
      });
    });
    const { status, headers, body } = await ask(`http://${await listen(server)}/v1/x?y=%20z`);
    expect(status).toBe(418);
    expect(headers['x-repeated']).toBe('a, b');
    expect(await readText(body, 1_000)).toBe('POST /v1/x?y=%20z 12 {"say":"é"}');
  });

  it('has a host and a length of its own, unless its headers have', async () => {
    const server = createServer(({ headers: { host, connection, ...rest } }, response) => {
      response.end(JSON.stringify([host, connection, rest['content-length']]));
    });
    const at = await listen(server);
    const seen = async (request: Partial<HttpRequest>) =>
      JSON.parse(await readText((await ask(`http://${at}/`, request)).body, 1_000));
    expect(await seen({ body: '{}' })).toEqual([at, 'keep-alive', '2']);
    expect(await seen({ body: '' })).toEqual([at, 'keep-alive', '0']);
    expect(await seen({ body: '', method: 'GET' })).toEqual([at, 'keep-alive', null]);
    expect(await seen({ body: '{}', headers: { Host: 'other', 'content-length': '2' } })).toEqual([
      'other',
      'keep-alive',
      '2',
    ]);
  });

  it('goes over a new connection when the server has closed the idle one', async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end('ok'));
    server.on('connection', () => connections++);
    const url = `http://${await listen(server)}/`;
    for (let call = 1; call <= 3; call++) {
      const { body } = await ask(url);
      expect(await readText(body, 100)).toBe('ok');
      // The client keeps its connection; the server ends it, as servers do with idle ones.
      await new Promise((turn) => setImmediate(turn));
      server.closeAllConnections();
      await new Promise((turn) => setTimeout(turn, 20));
    }
    expect(connections).toBe(3);
  });

  it('with a header that cannot be sent is thrown as it is: the configuration is checked before', async () => {
    const sent = ask('http://127.0.0.1:9/', { headers: { authorization: 'line\nbreak' } });
    await expect(sent).rejects.toMatchObject({ code: 'ERR_INVALID_CHAR' });
  });

  it('to a server that accepts the connection and never completes TLS is given up as a time-out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const accepted = Promise.withResolvers<void>();
    const silent = createTcpServer(() => accepted.resolve());
    const failed = ask(`https://${await listen(silent)}/`).then(
      () => null,
      (error: unknown) => error,
    );
    await accepted.promise;
    vi.advanceTimersByTime(10_000);
    expect(await failed).toMatchObject({
      error: { kind: 'timeout', message: expect.stringContaining('the connection timed out') },
    });
  });
});

describe('a body', () => {
  it('that breaks off rejects with a failure of the network, after its pieces', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => setImmediate(() => response.destroy()));
    });
    const { body } = await ask(`http://${await listen(server)}/`);
    const pieces: string[] = [];
    const read = body.read((chunk) => {
      pieces.push(Buffer.from(chunk).toString());
      return false;
    });
    await expect(read).rejects.toMatchObject({ error: { kind: 'network' } });
    expect(pieces.join('')).toBe('half');
  });

  it('that is cancelled closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      request.socket.on('close', () => closed.resolve());
      response.write('begun');
    });
    const stop = new AbortController();
    const { body } = await ask(`http://${await listen(server)}/`, { signal: stop.signal });
    const read = body.read(() => {
      stop.abort();
      return false;
    });
    await expect(read).rejects.toMatchObject({ error: { kind: 'aborted' } });
    await closed.promise;
  });
});
