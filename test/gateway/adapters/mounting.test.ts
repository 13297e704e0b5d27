import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { gatewayForExpress } from '../../../src/gateway/adapters/express.ts';
import { gatewayForFastify } from '../../../src/gateway/adapters/fastify.ts';
import { gatewayListener, serveWebSockets } from '../../../src/gateway/adapters/node.ts';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import { scripted } from '../../support/detent.ts';
import { rawly } from './hosts.ts';

async function gatewayAt(prefix: string): Promise<Gateway> {
  const { detent } = await scripted([]);
  const gateway = createGateway(detent, { prefix });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function listening(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe('gatewayForExpress', () => {
  it('answers where routers have cut its prefix off', async () => {
    const app = express();
    const shop = express.Router();
    shop.use('/agent', gatewayForExpress(await gatewayAt('/shop/agent')));
    app.use('/shop', shop);
    const { url } = await listening(app);
    expect(await statusOf(`${url}/shop/agent/healthz?x=1`)).toBe(200);
    expect(await statusOf(`${url}/SHOP/agent/healthz`)).toBe(404);
  });

  it('gives the host an error that names the prefix, where it is mounted elsewhere', async () => {
    const app = express();
    const errors: unknown[] = [];
    app.use('/agent', gatewayForExpress(await gatewayAt('')));
    app.use(((error, _request, response, _next) => {
      errors.push(error);
      response.sendStatus(500);
    }) satisfies express.ErrorRequestHandler);
    const { url } = await listening(app);
    expect(await statusOf(`${url}/agent/healthz`)).toBe(500);
    expect(errors).toMatchObject([
      { code: 'INVALID_CONFIG', message: expect.stringContaining('pass { prefix: "/agent" }') },
    ]);
  });

  it('takes a compressed body that a parser has unpacked', async () => {
    const app = express();
    app.use(express.json(), gatewayForExpress(await gatewayAt('/agent')));
    const { url } = await listening(app);
    const response = await fetch(`${url}/agent/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"code":"guessed"}'),
    });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'UNAUTHORIZED' }]);
  });

  it('believes the address that Express does', async () => {
    const { detent } = await scripted([]);
    const gateway = createGateway(detent, { prefix: '/agent', limits: { failuresPerMinute: 1 } });
    const app = express().set('trust proxy', 'loopback');
    app.use(gatewayForExpress(gateway));
    const { url } = await listening(app);
    const knock = async (address: string) => {
      const headers = { 'x-forwarded-for': address, authorization: 'Bearer wrong' };
      return (await fetch(`${url}/agent/api/v1/runs`, { headers })).status;
    };
    expect([await knock('203.0.113.1'), await knock('203.0.113.2'), await knock('203.0.113.1')]).toEqual([
      401, 401, 429,
    ]);
  });
});

describe('gatewayForFastify', () => {
  it('answers over HTTP/2', async () => {
    const app = fastify({ http2: true });
    app.register(gatewayForFastify(await gatewayAt('/agent')));
    onTestFinished(() => app.close());
    const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }));
    const stream = session.request({ ':path': '/agent/api/v1/login', ':method': 'POST' });
    stream.end('{"code":"guessed"}');
    expect(await text(stream)).toContain('UNSUPPORTED_MEDIA_TYPE');
    session.close();
  });

  it('answers under the prefix that it is registered with', async () => {
    const app = fastify();
    app.register(gatewayForFastify(await gatewayAt('/shop/agent')), { prefix: '/shop' });
    onTestFinished(() => app.close());
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await statusOf(`${url}/shop/agent/healthz`)).toBe(200);
    expect(await statusOf(`${url}/healthz`)).toBe(404);
  });

  it('does not start under a prefix that is not its own', async () => {
    const app = fastify();
    app.register(gatewayForFastify(await gatewayAt('')), { prefix: '/agent' });
    onTestFinished(() => app.close());
    await expect(app.ready()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it("yields to the host's routes at the root", async () => {
    const app = fastify();
    app.register(gatewayForFastify(await gatewayAt('')));
    app.get('/own', async () => 'own page');
    onTestFinished(() => app.close());
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await (await fetch(`${url}/own`)).text()).toBe('own page');
    expect(await statusOf(`${url}/healthz`)).toBe(200);
  });
});

describe('serveWebSockets', () => {
  const opens = async (url: string, prefix = '/agent') => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${prefix}/ws`);
    onTestFinished(() => socket.terminate());
    return new Promise<boolean>((resolve) => {
      socket.once('open', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
  };

  it.each(['before', 'after'])('works beside a server of WebSockets that came %s it', async (when) => {
    const gateway = await gatewayAt('/agent');
    const { server, url } = await listening(gatewayListener(gateway));
    const own = () => new WebSocketServer({ server, path: '/own' });
    if (when === 'before') own();
    serveWebSockets(server, gateway);
    if (when === 'after') own();
    expect(await opens(url)).toBe(true);
    expect(server.listenerCount('upgrade')).toBe(1);
  });

  it('leaves a request to upgrade elsewhere to the server, which answers it like any other', async () => {
    const gateway = await gatewayAt('/agent');
    const { server, url } = await listening(
      gatewayListener(gateway, { otherwise: (_request, response) => void response.end('own page') }),
    );
    serveWebSockets(server, gateway);
    const h2c = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
    expect(await rawly({ url }, h2c)).toMatch(/^HTTP\/1\.1 200 [\s\S]*own page/);
    expect(await opens(url)).toBe(true);
    expect(await opens(url)).toBe(true);
  });

  it('serves several gateways of one server', async () => {
    const [first, second] = [await gatewayAt('/first'), await gatewayAt('/second')];
    const { server, url } = await listening((_request, response) => void response.end());
    serveWebSockets(server, first);
    const stop = serveWebSockets(server, second);
    expect([await opens(url, '/first'), await opens(url, '/second')]).toEqual([true, true]);
    stop();
    expect([await opens(url, '/first'), await opens(url, '/second')]).toEqual([true, false]);
  });

  it('stops', async () => {
    const gateway = await gatewayAt('/agent');
    const { server, url } = await listening(gatewayListener(gateway));
    const stop = serveWebSockets(server, gateway);
    stop();
    expect(await opens(url)).toBe(false);
  });

  it('refuses what no one takes where Node cannot be asked to answer it', async () => {
    const server = new EventEmitter();
    serveWebSockets(server, await gatewayAt('/agent'));
    const socket = new PassThrough();
    server.emit('upgrade', { url: '/other', headers: {}, socket }, socket, Buffer.alloc(0));
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 404 /);
  });
});
