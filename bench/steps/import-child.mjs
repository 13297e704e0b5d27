/**
 * What the built package costs a fresh process. Copied into the package, so that `detent` is the package itself; plain
 * JavaScript, because Node's type stripper would be in the figures.
 *
 * @module
 */

import { performance } from 'node:perf_hooks';

const { upTo, file, url, model } = JSON.parse(process.argv[2]);
const start = performance.now();
const { createDetent } = await import('detent');
const detent =
  upTo !== 'import' &&
  createDetent({
    model,
    database: { file },
    models: { mock: { baseUrl: url, apiKeyEnv: 'MOCK_KEY' } },
    env: { MOCK_KEY: 'x' },
  });
if (upTo === 'open') await detent.runs.list();
if (upTo === 'answer') await detent.run('go').result;
const ms = performance.now() - start;
// What is needed, and not how far the collector has got: that alone is a sixth of it.
globalThis.gc();
const rssMb = process.memoryUsage().rss / 2 ** 20;
if (detent) await detent.close();
console.log(JSON.stringify({ ms, rssMb }));
