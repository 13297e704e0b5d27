import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayListener, serveWebSockets } from '../../../gateway/adapters/node.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import type { ServePlace } from './serve-place.ts';

/**
 * Limits of the HTTP server itself. None of them ends an answer that is being sent, so event streams last; WebSockets are out
 * of its hands after the upgrade, and have limits in the gateway.
 */
const serverLimits = {
  /** From the connection to the end of the headers: a client that sends a byte now and then is cut off. */
  headersTimeout: 10_000,
  /** To the end of the body: an upload of 20 MiB over a slow line takes minutes. */
  requestTimeout: 300_000,
  /** How often the server looks for requests that took too long. */
  connectionsCheckingInterval: 2_000,
  /** Longer than the minute for which proxies keep idle connections, else they would send into a closed one. */
  keepAliveTimeout: 65_000,
  /** Of all headers of a request. */
  maxHeaderSize: 16 * 1024,
};

/** Then the client connects again. */
const maxRequestsPerSocket = 1_000;
/** A little more than the gateway's own limit, which answers with a reason. */
const maxSockets = 21_000;
/** How long answers under way get before their connections are cut. */
const lastAnswersMs = 1_000;

/**
 * A server that answers with the gateway.
 *
 * @param limits other ones than those of `detent serve`
 */
export function httpServer(gateway: Gateway, limits: Partial<typeof serverLimits> = {}): Server {
  const server = createServer(
    {
      ...serverLimits,
      ...limits,
      requireHostHeader: true,
      // Others, such as the offer of HTTP/2 (h2c), are ignored, as HTTP allows.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    gatewayListener(gateway),
  );
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  server.maxConnections = maxSockets;
  serveWebSockets(server, gateway);
  return server;
}

/**
 * Listens, and resolves with the port.
 *
 * @throws DetentError `CANNOT_LISTEN`.
 */
export async function listen(
  server: Server,
  { host, port, mayMove }: Pick<ServePlace, 'host' | 'port' | 'mayMove'>,
): Promise<number> {
  try {
    await listenAt(server, host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && mayMove) return listen(server, { host, port: 0, mayMove: false });
    throw new DetentError(
      'CANNOT_LISTEN',
      `cannot listen at ${host}, port ${port}: ${listenFailure(code, error)}`,
      {
        details: { host, port, cause: code ?? null },
      },
    );
  }
  return (server.address() as AddressInfo).port;
}

function listenAt(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function listenFailure(code: string | undefined, error: unknown): string {
  if (code === 'EADDRINUSE')
    return 'another program listens there, perhaps another "detent serve"; name another port with --port, or take any free one with --any-port';
  if (code === 'EACCES') return 'this user may not use that port; name one above 1023 with --port';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'this is not an address of this machine; name one with --host';
  return messageOf(error);
}

/** Stops listening. Connections that do not end in time are cut. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const cut = setTimeout(() => server.closeAllConnections(), lastAnswersMs);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  clearTimeout(cut);
}
