/**
 * The shop in a plain server of Node.
 *
 *     PORT=3000 node examples/backend/node.ts
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createGateway } from 'detent/gateway';
import { gatewayListener, serveWebSockets } from 'detent/node';
import { authenticate, logIn, openShop } from './shop.ts';

const detent = await openShop();
const gateway = createGateway(detent, { prefix: '/agent', authenticate });

const pages: RequestListener = async (request, response) => {
  if (request.url === '/') return response.end('The shop.');
  if (request.url !== '/login') return response.writeHead(404).end('not found');
  const token = logIn(await json(request).catch(() => null));
  return response.writeHead(token ? 200 : 401).end(token ?? 'wrong name or password');
};

const server = createServer(gatewayListener(gateway, { otherwise: pages }));
serveWebSockets(server, gateway);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  // First the gateway: its event streams would keep the server open.
  await gateway.close();
  server.close();
  await detent.close();
});
