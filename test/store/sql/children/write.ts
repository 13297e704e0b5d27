/**
 * Another process with the same database: `write.ts <file> <store options, JSON>` commits commands to run 1 for ever,
 * each as soon as the last one is durable, and says so after the first.
 */

import { openSqlite } from '../../../../src/store/sql/sqlite.ts';
import { commandInput, put } from '../../rows.ts';

const [file = '', options = '{}'] = process.argv.slice(2);
const store = await openSqlite({ file, ...JSON.parse(options) });
await put(store, 'insertCommand', commandInput({ kind: 'theirs' }));
process.stdout.write('writing');
for (;;) await put(store, 'insertCommand', commandInput({ kind: 'theirs' }));
