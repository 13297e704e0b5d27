/**
 * A driver in a process of its own: `drive.ts <file>` opens the database, then commits events for ever and
 * prints the seq of each once it is acknowledged.
 */

import { openSqlite } from '../../../../src/store/sql/sqlite.ts';
import { ask } from '../../../support/ask.ts';
import { driverInput, eventInput, withRuns } from '../../rows.ts';

const [file = ''] = process.argv.slice(2);
const store = await openSqlite({ file });
await store.commit(() => ask('insertDriver', driverInput({ pid: process.pid })));
await withRuns(store);
for (let seq = 1; ; seq++) {
  await store.commit(() => ask('insertEvent', eventInput({ seq })));
  process.stdout.write(`${seq}\n`);
}
