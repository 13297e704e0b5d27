/**
 * The shop in Fastify.
 *
 *     PORT=3000 node examples/backend/fastify.ts
 */

import { gatewayForFastify } from 'detent/fastify';
import { createGateway } from 'detent/gateway';
import fastify from 'fastify';
import { authenticate, logIn, openShop } from './shop.ts';

const detent = await openShop();
const gateway = createGateway(detent, { prefix: '/agent', authenticate });

const app = fastify();
app.register(gatewayForFastify(gateway));
app.get('/', async () => 'The shop.');
app.post('/login', async ({ body }, reply) => {
  const token = logIn(body);
  return reply.code(token ? 200 : 401).send(token ?? 'wrong name or password');
});

console.log(await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' }));

process.once('SIGTERM', async () => {
  // Closes the gateway, too.
  await app.close();
  await detent.close();
});
