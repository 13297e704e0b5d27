import { type Place, startPlace } from '../harness/server.ts';

/** How long a sender waits for an answer. */
export const patienceMs = 1_500;

/** A request that a receiver got. */
export interface Received {
  /** The same for each attempt at a delivery. */
  id: string;
  /** Whether the receiver took it and said so. */
  isTaken: boolean;
}

export interface Receiver extends Place {
  received: readonly Received[];
}

/**
 * Gets deliveries, each path in its own way: `/ok` takes them, `/gone` never does, and the others take a delivery the second
 * time that they get it: `/fails-once`, `/hangs-up-once`, `/slow-once`.
 */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const place = await startPlace((request, response) => {
    const id = String(request.headers['webhook-id']);
    const path = request.url ?? '';
    const isRepeated = received.some((one) => one.id === id);
    const isTaken = path === '/ok' || (path !== '/gone' && isRepeated);
    received.push({ id, isTaken });
    if (isTaken) response.writeHead(204).end();
    else if (path === '/gone') response.writeHead(410).end();
    else if (path === '/fails-once') response.writeHead(500).end();
    else if (path === '/hangs-up-once') request.socket.destroy();
    else setTimeout(() => response.writeHead(204).end(), 2 * patienceMs);
  });
  return { ...place, received };
}
