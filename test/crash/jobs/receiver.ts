import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a sender waits for an answer. */
export const patienceMs = 1_500;

/** A request that a receiver got. */
export interface Received {
  /** The same for each attempt at a delivery. */
  id: string;
  /** Whether the receiver took it and said so. */
  isTaken: boolean;
}

export interface Receiver {
  url: string;
  received: readonly Received[];
  close(): Promise<void>;
}

/**
 * Gets deliveries, each path in its own way: `/ok` takes them, `/gone` never does, and the others take a delivery the second
 * time that they get it: `/fails-once`, `/hangs-up-once`, `/slow-once`.
 */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const path = request.url ?? '';
    const isRepeated = received.some((one) => one.id === id);
    const isTaken = path === '/ok' || (path !== '/gone' && isRepeated);
    received.push({ id, isTaken });
    // The process that sent it may be dead by then.
    response.on('error', () => {});
    request.resume();
    if (isTaken) response.writeHead(204).end();
    else if (path === '/gone') response.writeHead(410).end();
    else if (path === '/fails-once') response.writeHead(500).end();
    else if (path === '/hangs-up-once') request.socket.destroy();
    else setTimeout(() => response.writeHead(204).end(), 2 * patienceMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
