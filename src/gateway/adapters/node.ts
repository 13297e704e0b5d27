import type { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Gateway } from '../gateway.ts';
import { type AdapterOptions, answer, isUnder, peerAt } from './answer.ts';

export type { AdapterOptions } from './answer.ts';

export interface ListenerOptions extends AdapterOptions<IncomingMessage> {
  /** Gets the requests outside of the gateway's prefix. Without it the gateway answers them with 404. */
  otherwise?: RequestListener;
}

/**
 * A listener for `node:http` that answers with a gateway.
 *
 * @example
 * ```ts
 * const gateway = createGateway(detent, { prefix: '/agent' });
 * const server = createServer(gatewayListener(gateway, { otherwise: (request, response) => response.end('my shop') }));
 * serveWebSockets(server, gateway);
 * ```
 */
export function gatewayListener(gateway: Gateway, options: ListenerOptions = {}): RequestListener {
  const { otherwise, address = socketAddress } = options;
  return (incoming, outgoing) => {
    const { url = '/' } = incoming;
    if (otherwise && !isUnder(gateway.prefix, url)) return otherwise(incoming, outgoing);
    void answer({ gateway, incoming, outgoing, url, address: address(incoming) });
  };
}

/** What the gateway needs of a server of `node:http`, `node:https` or `node:http2`. */
export interface UpgradingServer extends EventEmitter {
  /** Of Node since 24.9: whether an upgrade is offered to listeners, or answered like any request. */
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
}

/**
 * Passes the WebSockets of a server that ask for a path of the gateway to it. Other listeners of the server do not get
 * these, since a server of `ws` answers 400 to every path but its own; they get all others as before.
 *
 * @returns stops it
 */
export function serveWebSockets(
  server: UpgradingServer,
  gateway: Gateway,
  { address = socketAddress }: AdapterOptions<IncomingMessage> = {},
): () => void {
  let isServing = true;
  const emit = server.emit;
  server.emit = function (this: UpgradingServer, event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'upgrade' || !isServing) return emit.call(this, event, ...args);
    const [request, socket, head] = args as [IncomingMessage, Duplex, Buffer];
    server.off('upgrade', stand);
    return (
      gateway.handleUpgrade(request, socket, head, peerAt(address(request))) ||
      emit.call(this, event, ...args)
    );
  };
  const offer = server.shouldUpgradeCallback;
  if (typeof offer === 'function')
    server.shouldUpgradeCallback = (request) => {
      if (!isServing || !gateway.takesWebSocket(request.url ?? '')) return offer.call(server, request);
      // Node ends a connection whose upgrade has no listener. This listener is removed again, because frameworks count
      // listeners.
      if (server.listenerCount('upgrade') === 0) server.on('upgrade', stand);
      return true;
    };
  else server.on('upgrade', refuseWhenAlone);
  return () => {
    isServing = false;
    server.off('upgrade', refuseWhenAlone);
  };

  /** Without another listener nothing would ever answer the request. */
  function refuseWhenAlone(_request: IncomingMessage, socket: Duplex): void {
    if (server.listenerCount('upgrade') === 1)
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  }
}

function stand(): void {}

function socketAddress({ socket }: IncomingMessage): string | undefined {
  return socket?.remoteAddress;
}
