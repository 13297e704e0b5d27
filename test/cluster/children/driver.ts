/** A driver in a process of its own: `driver.ts FILE` joins, prints its epoch, and lives until it is killed. Or `driver.ts URL`. */

import { openStore } from '../../../src/runtime/parts/store.ts';
import { openPostgres } from '../../../src/store/postgres.ts';

const [database = ''] = process.argv.slice(2);
const isServer = database.startsWith('postgres:');
const { ownership } = isServer
  ? await openStore({ store: await openPostgres({ url: database }) }, null)
  : await openStore({}, database);
process.stdout.write(`${await ownership.join()}\n`);
setInterval(() => undefined, 60_000);
