import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Gateway } from '../gateway.ts';

/**
 * A listener for `node:http` that answers with a gateway: `createServer(gatewayListener(gateway))`. It answers every
 * request, so mount other handlers before it.
 */
export function gatewayListener(gateway: Gateway): RequestListener {
  const listen = getRequestListener(
    (request, { incoming }) =>
      gateway.handler(request, addressOf((incoming as IncomingMessage).socket?.remoteAddress)),
    { overrideGlobalObjects: false },
  );
  return (incoming: IncomingMessage, outgoing: ServerResponse) => void listen(incoming, outgoing);
}

/** Has a server hand WebSockets that ask for the gateway's path to it. Other upgrades are left to other listeners. */
export function serveWebSockets(server: Server, gateway: Gateway): void {
  server.on('upgrade', (request, socket, head) => {
    if (gateway.handleUpgrade(request, socket, head)) return;
    // Without another listener nothing would ever answer it.
    if (server.listenerCount('upgrade') === 1) socket.destroy();
  });
}

function addressOf(address: string | undefined) {
  return address === undefined ? {} : { address };
}
