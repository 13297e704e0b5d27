/** A driver in a process of its own: `driver.ts FILE` joins, prints its epoch, and lives until it is killed, or with `leave` leaves. Or `driver.ts URL`. */

import { openStore } from '../../../src/runtime/parts/store.ts';

const [database = '', then] = process.argv.slice(2);
const { ownership, close } = await openStore({}, database);
process.stdout.write(`${await ownership.join()}\n`);
if (then === 'leave') await close();
else setInterval(() => undefined, 60_000);
