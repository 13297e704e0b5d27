/** Has the conversations of a database indexed, again and again from nothing, until it is killed. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Conversations } from '../../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../../src/memory/index/index-client.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';

const folder = process.argv[2] ?? '';
const file = join(folder, 'search.db');
const store = await openSqlite({ file: join(folder, 'runs.db'), readonly: true });
const conversations = new Conversations({ store, thread: new IndexThread(), indexFile: () => file });
process.stdout.write('ready\n');
for (;;) {
  const { pending } = await conversations.search({ tenant: 1, userId: null }, ['heron']);
  if (pending === 0) for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}
