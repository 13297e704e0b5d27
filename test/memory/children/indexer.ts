/** Indexes a folder, again and again from nothing, until it is killed. */

import { Memory } from '../../../src/memory/memory.ts';

const memory = new Memory({ home: process.argv[2] ?? '', isWatching: false });
process.stdout.write('ready\n');
await memory.index(false);
for (;;) await memory.index(true);
