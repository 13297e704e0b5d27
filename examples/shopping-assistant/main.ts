/**
 * A shop with an assistant: the customers' page, and the staff's. Without a key a stand-in answers; with the key of a provider in the
 * environment, its model.
 *
 *     PORT=8790 node examples/shopping-assistant/main.ts
 */
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway } from 'detent/gateway';
import { gatewayListener, serveWebSockets } from 'detent/node';
import { openAssistant } from './assistant.ts';
import { openSite } from './site.ts';
import { Visitors } from './visitors.ts';

process.env.SHOP_HOOK_SECRET ??= `whsec_${randomBytes(32).toString('base64')}`;
const folder = process.env.SHOP_FOLDER ?? '.shop';

// It listens first: links to pay, and what jobs deliver, name the port.
let answer: RequestListener = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
const server = createServer((request, response) => answer(request, response));
const port = Number(process.env.PORT ?? 8790);
server.once('error', ({ message }) => {
  console.error(`cannot listen at port ${port}: ${message}. Set PORT to another one.`);
  process.exit(1);
});
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const { detent, scheduler, shop, notices, close } = await openAssistant(folder, origin);
const gateway = createGateway(detent, { prefix: '/agent', page: true, scheduler });
const site = await openSite({
  detent,
  scheduler,
  shop: shop.api,
  notices,
  visitors: new Visitors(detent, shop, notices),
  secret: process.env.SHOP_HOOK_SECRET,
});
answer = gatewayListener(gateway, { otherwise: site });
serveWebSockets(server, gateway);

// The token of an earlier start may lie in a log.
for (const { id, name, revokedAt } of await detent.tokens.list())
  if (name === 'staff' && revokedAt === null) await detent.tokens.revoke(id);
const { token } = await detent.tokens.create({
  scopes: ['read', 'write', 'approve'],
  userId: 'staff',
  sees: 'tenant',
  name: 'staff',
  expiresAt: Date.now() + 12 * 3_600_000,
});
console.log(`for the staff: ${origin}/agent, with the token ${token}`);
console.log(`for customers: ${origin}`);

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

async function stop(): Promise<void> {
  // First the gateway: its event streams would keep the server open.
  await gateway.close();
  server.close();
  server.closeAllConnections();
  await close();
}
