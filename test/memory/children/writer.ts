/** Writes numbered entries into the memory of a folder until it has written so many, or is killed. */

import { Memory } from '../../../src/memory/memory.ts';

const [home = '', name = '', count = '0'] = process.argv.slice(2);
const memory = new Memory({ home, isWatching: false });
const at = new Date(2026, 2, 5, 12).getTime();
// Longer than a page, so that a kill can come in the middle of it.
const filling = 'x'.repeat(3_000);

process.stdout.write('ready\n');
for (let n = 0; n < Number(count); n++) {
  const lines = ['first', 'second', 'third'].map((which) => ({
    text: `${name} ${n} ${which} ${filling} end`,
    isUntrusted: false,
  }));
  await memory.write(lines, { at, key: `run_${name}:${n}` });
}
await memory.close();
