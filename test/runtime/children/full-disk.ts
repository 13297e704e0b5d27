/** Tells whether a gateway is ready while the disk of its database has room, has none, and has some again. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { createDetent } from '../../../src/index.ts';

const [, , folder = ''] = process.argv;
const detent = createDetent({
  workspace: folder,
  database: { file: join(folder, 'detent.db') },
  model: 'demo/demo',
  env: {},
});
const gateway = createGateway(detent, { authenticate: async () => null, onError: () => {} });
await detent.run('hello').result;

const answers: { status: number; body: unknown }[] = [];
const ask = async () => {
  const answer = await gateway.handler(new Request('http://localhost/readyz'));
  answers.push({ status: answer.status, body: await answer.json() });
};
const filler = join(folder, 'filler');

await ask();
try {
  writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024));
} catch {
  // As much as there was room for.
}
await ask();
rmSync(filler);
await ask();
await gateway.close();
await detent.close();
console.log(JSON.stringify(answers));
