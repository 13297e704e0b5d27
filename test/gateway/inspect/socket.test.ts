import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { InspectSocket } from '../../../src/gateway/inspect/socket.ts';

/** More than the kernel takes for a client that reads nothing. */
const large = { text: 'x'.repeat(8_000_000) };

async function pair({ stallMs }: { stallMs: number }) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened = new Promise<WebSocket>((resolve) => sockets.once('connection', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => {});
  onTestFinished(() => {
    client.terminate();
    server.close();
    server.closeAllConnections();
  });
  const caller = { tenantId: 1, userId: null, scopes: ['read'] } as const;
  const who = {
    caller,
    holder: 'a',
    again: () => Promise.reject(new Error('not asked')),
    hasExpired: () => false,
  };
  const socket = new InspectSocket(await opened, {
    who,
    scope: 'read',
    limits: { maxBufferedBytes: 1_000, stallMs },
    report: () => {},
  });
  if (client.readyState !== client.OPEN) await new Promise((resolve) => client.once('open', resolve));
  return { client, socket };
}

it('waits for a client that reads slowly', async () => {
  const { client, socket } = await pair({ stallMs: 60_000 });
  client.pause();
  const delivered = socket.deliver(large);
  client.resume();
  expect(await delivered).toBe(true);
});

it('sends a client away that reads nothing', async () => {
  const { client, socket } = await pair({ stallMs: 20 });
  client.pause();
  expect(await socket.deliver(large)).toBe(false);
  expect(await socket.deliver(large)).toBe(false);
});

it('delivers nothing to a client that has gone', async () => {
  const { client, socket } = await pair({ stallMs: 60_000 });
  client.terminate();
  await new Promise((resolve) => socket.gone.addEventListener('abort', resolve));
  expect(await socket.deliver({})).toBe(false);
});
