/** Another process with a budget that it shares: `spender.ts OPTIONS FROM TO` makes runs with these numbers, all at once. */

import { createDetent } from '../../../../src/runtime/create-detent.ts';

const [options = '{}', from = '0', to = '0'] = process.argv.slice(2);
const detent = createDetent(JSON.parse(options));
const numbers = Array.from({ length: Number(to) - Number(from) }, (_, i) => Number(from) + i);
await Promise.all(numbers.map((i) => detent.run(`job ${i}.`, { budget: 'team' }).result));
await detent.close();
