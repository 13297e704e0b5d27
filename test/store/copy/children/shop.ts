/** Another process, `shop.ts <database> <workspace>`: says which of its runs waits for a person, and which one is in the midst of a call. */

import { createDetent } from '../../../../src/index.ts';
import { calls, shopOptions } from '../shop.ts';

const [place = '', workspace = ''] = process.argv.slice(2);
let waits = '';
const detent = createDetent(
  shopOptions(place, workspace, [calls('buy'), calls('look')], () => {
    process.stdout.write(`${JSON.stringify({ waits, looks: looking.runId })}\n`);
    return new Promise(() => setInterval(() => {}, 60_000));
  }),
);
waits = (await detent.run('Buy one.').result).runId;
const looking = detent.run('Look.');
