/** A driver in a process of its own: `hanging.ts WORKSPACE` starts a run whose model never answers, and prints its id. */

import { createDetent } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

const [workspace = ''] = process.argv.slice(2);
const asked = Promise.withResolvers<void>();
const hung = () => {
  asked.resolve();
  return new Promise<never>(() => {});
};
const detent = createDetent({
  workspace,
  env: {},
  model: 'test/script',
  models: { test: scriptedModel([hung]) },
});
const runId = await detent.run('go').started;
await asked.promise;
process.stdout.write(runId);
setInterval(() => undefined, 60_000);
