/** Makes the index of a folder anew, once. */

import { Memory } from '../../../src/memory/memory.ts';

const memory = new Memory({ home: process.argv[2] ?? '', isWatching: false });
process.stdout.write('ready\n');
await memory.index(true);
await memory.close();
