/**
 * The shop in Hono.
 *
 *     PORT=3000 node examples/backend/hono.ts
 */
import { serve } from '@hono/node-server';
import { createGateway } from 'detent/gateway';
import { gatewayForHono } from 'detent/hono';
import { serveWebSockets } from 'detent/node';
import { Hono } from 'hono';
import { authenticate, logIn, openShop } from './shop.ts';

const detent = await openShop();
const gateway = createGateway(detent, { prefix: '/agent', authenticate });

const app = new Hono();
app.use(gatewayForHono(gateway));
app.get('/', (context) => context.text('The shop.'));
app.post('/login', async (context) => {
  const token = logIn(await context.req.json().catch(() => null));
  return context.text(token ?? 'wrong name or password', token ? 200 : 401);
});

const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info) => {
  console.log(`http://localhost:${info.port}`);
});
serveWebSockets(server, gateway);

process.once('SIGTERM', async () => {
  // First the gateway: its event streams would keep the server open.
  await gateway.close();
  server.close();
  await detent.close();
});
