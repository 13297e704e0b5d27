/**
 * A driver in a process of its own: `drive.ts <file>` takes the lock and the database, then commits events for ever and
 * prints the seq of each once it is acknowledged.
 */

import { takeDriverLock } from '../../../../src/store/sql/driver-lock.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite.ts';
import { ask } from '../../../support/ask.ts';
import { eventInput, withRuns } from '../../rows.ts';

const [file = ''] = process.argv.slice(2);
await takeDriverLock(file, 0, () => undefined);
const store = await openSqlite({ file });
await store.commit(() => ask('insertDriver', { pid: process.pid, at: 1 }));
await withRuns(store);
for (let seq = 1; ; seq++) {
  await store.commit(() => ask('insertEvent', eventInput({ seq })));
  process.stdout.write(`${seq}\n`);
}
