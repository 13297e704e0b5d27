/** A worker in a process of its own: `order-worker.ts FOLDER URL VERSION` drives the orders of that version, and of earlier ones; SIGTERM ends it. */
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { ordersOf } from '../orders.ts';

const [workspace = '', url = '', version = '1'] = process.argv.slice(2);
const detent = createDetent({
  workspace,
  env: {},
  model: 'test/none',
  models: { test: scriptedModel([]) },
  workflows: ordersOf(version),
  database: { url },
  slots: 5,
  // Runs of the newer version, which the older one must not move.
  onError: () => {},
});
const alive = setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => {
  clearInterval(alive);
  void detent.close();
});
await detent.runs.resume();
process.stdout.write('ready\n');
