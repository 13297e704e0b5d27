/**
 * Another process at a lock: `lock.ts <file> hold` takes the lock and keeps it, `lock.ts <file> ask` asks for ever
 * whether a process holds it. Both print a word once they do.
 */

import { isLocked, takeFileLock } from '../../../../src/store/sql/file-lock.ts';

const [file = '', what] = process.argv.slice(2);
if (what === 'hold') {
  const lock = takeFileLock(file);
  process.stdout.write(lock ? 'held' : 'refused');
  setInterval(() => undefined, 60_000);
} else {
  isLocked(file);
  process.stdout.write('asking');
  setImmediate(function ask() {
    for (let i = 0; i < 100; i++) isLocked(file);
    setImmediate(ask);
  });
}
