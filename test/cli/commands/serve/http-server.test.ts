import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeServer, httpServer, listen } from '../../../../src/cli/commands/serve/http-server.ts';
import { servePlace } from '../../../../src/cli/commands/serve/serve-place.ts';
import { createGateway } from '../../../../src/gateway/gateway.ts';
import { scripted } from '../../../support/detent.ts';

async function listening(limits: Parameters<typeof httpServer>[1] = {}) {
  const { detent } = await scripted([]);
  const errors: unknown[] = [];
  const gateway = createGateway(detent, { onError: (error) => errors.push(error) });
  const server = httpServer(gateway, limits);
  const port = await listen(server, servePlace({ port: '0' }));
  onTestFinished(async () => {
    await gateway.close();
    await closeServer(server);
  });
  return { port, server, errors };
}

/** Writes text to the server and resolves with all that it answers until it closes the connection. */
function speak(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

const slow = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };

it('ends a connection that sends nothing, and one that never ends its headers', async () => {
  const { port } = await listening(slow);
  const [silent, trickling] = await Promise.all([
    speak(port, ''),
    speak(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
  ]);
  for (const answer of [silent, trickling]) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

it('ends a request whose body never comes, which is no error of the gateway', async () => {
  const { port, errors } = await listening(slow);
  const head = 'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  expect(await speak(port, `${head}Content-Length: 1000\r\n\r\n{"co`)).toMatch(/^HTTP\/1\.1 (?:400|408) /);
  expect(errors).toEqual([]);
});

it('refuses headers that are too large, none at all of a host, and two lengths of a body', async () => {
  const { port } = await listening();
  const closing = 'Host: localhost\r\nConnection: close\r\n';
  const [large, nameless, smuggled] = await Promise.all([
    speak(port, `GET /healthz HTTP/1.1\r\n${closing}X-Large: ${'x'.repeat(17_000)}\r\n\r\n`),
    speak(port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'),
    speak(
      port,
      `POST /api/v1/login HTTP/1.1\r\n${closing}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ),
  ]);
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
  expect(nameless).toMatch(/^HTTP\/1\.1 400 /);
  expect(smuggled).toMatch(/^HTTP\/1\.1 400 /);
});

it('answers a client that offers HTTP/2 as if it did not', async () => {
  const { port } = await listening();
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    request({ port, host: '127.0.0.1', path: '/healthz', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});

it('closes while an idle connection is open', async () => {
  const { port, server } = await listening();
  const idle = speak(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await new Promise((resolve) => server.once('request', resolve));
  await closeServer(server);
  expect(await idle).toMatch(/^HTTP\/1\.1 200 /);
});
