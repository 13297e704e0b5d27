import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import compression from 'compression';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { gatewayForExpress } from '../../../src/gateway/adapters/express.ts';
import { type FastifyRequest, gatewayForFastify } from '../../../src/gateway/adapters/fastify.ts';
import { gatewayForHono } from '../../../src/gateway/adapters/hono.ts';
import { gatewayListener, serveWebSockets } from '../../../src/gateway/adapters/node.ts';
import { createGateway, type ServeOptions } from '../../../src/gateway/gateway.ts';
import type { Detent } from '../../../src/index.ts';
import { listening } from '../../support/listening.ts';

/** What reads bodies before the gateway: a parser, or something that keeps nothing. */
type Reading = 'json' | 'text' | 'bytes' | 'nothing kept';

export interface HostOptions extends ServeOptions {
  /** Reads every body before the gateway does. */
  reads?: Reading;
  compresses?: boolean;
  /** Believes the header `x-real-ip`. */
  isBehindProxy?: boolean;
}

/** A server of one framework, with pages and WebSockets of its own beside a gateway at `/agent`. */
interface Host {
  url: string;
  detent: Detent;
  server: Server;
}

type Build = (parts: Parts) => Promise<Server> | Server;

interface Parts extends HostOptions {
  gateway: ReturnType<typeof createGateway>;
}

const realIp = ({ headers }: Pick<IncomingMessage, 'headers'>) => headers['x-real-ip']?.toString();

const builds: Readonly<Record<string, Build>> = {
  express({ gateway, reads, compresses, isBehindProxy }) {
    const app = express();
    if (compresses) app.use(compression());
    app.use((_request, response, next) => {
      response.setHeader('x-host', 'yes');
      next();
    });
    if (reads === 'json') app.use(express.json());
    if (reads === 'text') app.use(express.text({ type: '*/*' }));
    if (reads === 'bytes') app.use(express.raw({ type: '*/*' }));
    if (reads === 'nothing kept')
      app.use(async (request, _response, next) => {
        await buffer(request);
        next();
      });
    app.use(gatewayForExpress(gateway, isBehindProxy ? { address: realIp } : {}));
    app.get('/own', (_request, response) => void response.send('own page'));
    app.post('/own', express.json(), (request, response) => void response.json(request.body));
    app.get('/own/error', () => {
      throw new Error('of the host');
    });
    app.use((_request, response) => void response.status(404).send('host: not found'));
    app.use(((_error, _request, response, _next) => {
      response.status(418).send('host: error');
    }) satisfies express.ErrorRequestHandler);
    const server = createServer(app);
    serveWebSockets(server, gateway, isBehindProxy ? { address: realIp } : {});
    return server;
  },
  async fastify({ gateway, reads, isBehindProxy }) {
    const app = fastify();
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-host', 'yes'));
    if (reads === 'text')
      app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
    if (reads === 'bytes')
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    if (reads === 'nothing kept')
      app.addHook('preParsing', async (request, _reply, payload) => {
        await buffer(request.raw);
        return payload;
      });
    const address = ({ raw }: FastifyRequest) => realIp(raw);
    app.register(gatewayForFastify(gateway, isBehindProxy ? { address } : {}));
    app.get('/own', async () => 'own page');
    app.post('/own', async ({ body }) => body);
    app.get('/own/error', async () => {
      throw new Error('of the host');
    });
    app.setNotFoundHandler((_request, reply) => void reply.code(404).send('host: not found'));
    app.setErrorHandler((_error, _request, reply) => void reply.code(418).send('host: error'));
    await app.ready();
    onTestFinished(() => app.close());
    return app.server;
  },
  hono({ gateway, reads, compresses, isBehindProxy }) {
    const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
    if (compresses) app.use(compress());
    app.use(async (context, next) => {
      await next();
      context.header('x-host', 'yes');
    });
    app.use(async ({ req }, next) => {
      if (req.method === 'POST') {
        if (reads === 'json') await req.json().catch(() => null);
        if (reads === 'text') await req.text();
        if (reads === 'bytes') await req.arrayBuffer();
        if (reads === 'nothing kept') await req.raw.arrayBuffer();
      }
      await next();
    });
    const address = ({ env }: { env: unknown }) => realIp((env as { incoming: IncomingMessage }).incoming);
    app.use(gatewayForHono(gateway, isBehindProxy ? { address } : {}));
    app.get('/own', (context) => context.text('own page'));
    app.post('/own', async (context) => context.json(await context.req.json()));
    app.get('/own/error', () => {
      throw new Error('of the host');
    });
    app.notFound((context) => context.text('host: not found', 404));
    app.onError((_error, context) => context.text('host: error', 418));
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    serveWebSockets(server, gateway, isBehindProxy ? { address: realIp } : {});
    return server;
  },
  node({ gateway, reads, isBehindProxy }) {
    const otherwise: RequestListener = async (request, response) => {
      if (request.url === '/own/error') return response.writeHead(418).end('host: error');
      if (request.url !== '/own') return response.writeHead(404).end('host: not found');
      return response.end(request.method === 'POST' ? await buffer(request) : 'own page');
    };
    const listen = gatewayListener(gateway, { otherwise, ...(isBehindProxy && { address: realIp }) });
    const server = createServer(async (request: IncomingMessage & { body?: unknown }, response) => {
      response.setHeader('x-host', 'yes');
      if (reads) {
        const bytes = await buffer(request);
        const texts = {
          json: () => JSON.parse(String(bytes)),
          text: () => String(bytes),
          bytes: () => bytes,
        };
        if (reads !== 'nothing kept') request.body = bytes.length === 0 ? undefined : texts[reads]();
      }
      listen(request, response);
    });
    serveWebSockets(server, gateway);
    return server;
  },
};

export const hosts = Object.keys(builds);

/** Starts a host on loopback; it ends with the test. */
export async function hosting(name: string, detent: Detent, options: HostOptions = {}): Promise<Host> {
  const gateway = createGateway(detent, {
    prefix: '/agent',
    ...options,
    limits: { drainMs: 500, ...options.limits },
  });
  const server = await builds[name]?.({ ...options, gateway });
  if (!server) throw new Error(`there is no host ${name}`);
  const sockets = new WebSocketServer({ server, path: '/own/ws' });
  sockets.on('connection', (socket) => void socket.on('message', (data) => socket.send(`host: ${data}`)));
  const url = await listening(server);
  onTestFinished(async () => {
    await gateway.close();
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return { url, detent, server };
}

/** Sends bytes to a host as they are, and resolves with what came back until it closed the connection. */
export async function rawly({ url }: Pick<Host, 'url'>, text: string, isCutOff = false): Promise<string> {
  const socket = new Socket();
  onTestFinished(() => void socket.destroy());
  socket.connect(Number(new URL(url).port), '127.0.0.1');
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  socket.on('error', () => {});
  let said = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  await new Promise<void>((resolve) => void socket.write(text, () => resolve()));
  if (isCutOff) socket.destroy();
  await closed;
  return said;
}
