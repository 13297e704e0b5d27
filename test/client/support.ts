import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type ClientEvent, type ClientOptions, createClient } from '../../src/client/index.ts';
import type { Served } from '../gateway/support.ts';

/** A client of a gateway that ends with the test. It tries again soon. */
export function clientOf(options: ClientOptions): Client {
  const client = createClient({ reconnect: { minMs: 5, maxMs: 50 }, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A client with a token of all scopes. */
export async function clientFor(served: Served, options: Partial<ClientOptions> = {}): Promise<Client> {
  return clientOf({ url: served.url, token: await served.token(), ...options });
}

/** Those that are in the log. */
export function logged(events: readonly ClientEvent[]): ClientEvent[] {
  return events.filter((event) => 'seq' in event);
}

/** A way to a server that can be cut. */
export interface Wire {
  url: string;
  /** Breaks all connections, without a word. */
  cut(): void;
  /** Whether new connections are refused. */
  isDown: boolean;
  /** Passes so many bytes of the server's on, and then cuts that connection; null passes all. */
  cutAfterBytes: number | null;
  connections: number;
  /** Where new connections lead. */
  port: number;
}

/** A wire to a port of loopback. */
export async function wireTo(port: number): Promise<Wire> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (wire.isDown) return near.destroy();
    wire.connections++;
    const far = connect(wire.port, '127.0.0.1');
    const end = () => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    open.add(near);
    let left = wire.cutAfterBytes;
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => {
      if (left === null) return near.write(data);
      const some = data.subarray(0, left);
      left -= some.length;
      near.write(some, () => left === 0 && end());
    });
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire: Wire = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    cut: () => {
      for (const socket of [...open]) socket.resetAndDestroy();
    },
    isDown: false,
    cutAfterBytes: null,
    connections: 0,
    port,
  };
  onTestFinished(async () => {
    wire.cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return wire;
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Resolves when it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}
