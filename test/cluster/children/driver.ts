/** A driver in a process of its own: `driver.ts FILE` joins, prints its epoch, and lives until it is killed. */

import { openStore } from '../../../src/runtime/parts/store.ts';

const [file = ''] = process.argv.slice(2);
const { ownership } = await openStore({}, file);
process.stdout.write(`${await ownership.join()}\n`);
setInterval(() => undefined, 60_000);
