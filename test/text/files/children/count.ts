/**
 * Another process that counts in a file: `count.ts <file> <times>` reads the number there and writes the next one, under
 * the file's lock; `count.ts <file> hold` takes the lock and keeps it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { whileLocked } from '../../../../src/text/files/while-locked.ts';

const [file = '', times = ''] = process.argv.slice(2);
const lock = `${file}.lock`;
const busy = () => new Error('busy');
if (times === 'hold')
  await whileLocked(lock, busy, () => {
    process.stdout.write('held');
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  });
for (let i = 0; i < Number(times); i++)
  await whileLocked(lock, busy, async () => {
    const before = Number(readFileSync(file, 'utf8'));
    await new Promise(setImmediate);
    writeFileSync(file, String(before + 1));
  });
