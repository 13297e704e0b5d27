import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Has a server answer at a port of its own on this machine. Resolves with its address, as `http://127.0.0.1:1234`. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same, until the test has finished. */
export async function servedAt(server: Server): Promise<string> {
  const url = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const url = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return Number(new URL(url).port);
}
