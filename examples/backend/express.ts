/**
 * The shop in Express.
 *
 *     PORT=3000 node examples/backend/express.ts
 */
import type { AddressInfo } from 'node:net';
import { gatewayForExpress } from 'detent/express';
import { createGateway } from 'detent/gateway';
import { serveWebSockets } from 'detent/node';
import express from 'express';
import { authenticate, logIn, openShop } from './shop.ts';

const detent = await openShop();
const gateway = createGateway(detent, { prefix: '/agent', authenticate });

const app = express();
app.use(gatewayForExpress(gateway));
app.get('/', (_request, response) => void response.send('The shop.'));
app.post('/login', express.json(), ({ body }, response) => {
  const token = logIn(body);
  response
    .status(token ? 200 : 401)
    .type('text')
    .send(token ?? 'wrong name or password');
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`);
});
serveWebSockets(server, gateway);

process.once('SIGTERM', async () => {
  // First the gateway: its event streams would keep the server open.
  await gateway.close();
  server.close();
  await detent.close();
});
