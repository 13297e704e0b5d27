/**
 * What runs leave behind: live heap, with `--expose-gc`, and bytes in the database file.
 *
 * @module
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { askedOfChild } from '../support/child.ts';
import { kilobyte, megabyte, rounded } from '../support/numbers.ts';
import { createDetentSubject } from './detent.ts';
import { checkText, Lookup, type Work } from './work.ts';

export interface SpaceTask {
  work: Work;
  /** Numbers of runs after which to look, ascending. */
  marks: number[];
}

export interface SpaceResult {
  /** At each mark. */
  heapMb: number[];
  rssMb: number[];
  /** Between the first mark and the last. */
  kbPerRun: number;
}

const { work, marks } = askedOfChild<SpaceTask>();
const file = join(work.folder, 'detent.db');
const bytes: number[] = [];
const heapMb: number[] = [];
const rssMb: number[] = [];
let subject = createDetentSubject({ store: 'FULL' }, work, new Lookup());
let done = 0;
for (const mark of marks) {
  for (; done < mark; done++) checkText(await subject.run());
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  heapMb.push(rounded(heapUsed / megabyte, 1));
  rssMb.push(rounded(rss / megabyte, 0));
  // The last to close a database moves its write-ahead log into it.
  await subject.close();
  bytes.push(statSync(file).size);
  subject = createDetentSubject({ store: 'FULL' }, work, new Lookup());
}
await subject.close();
const runs = (marks.at(-1) ?? 0) - (marks[0] ?? 0);
const grown = (bytes.at(-1) ?? 0) - (bytes[0] ?? 0);
console.log(JSON.stringify({ heapMb, rssMb, kbPerRun: rounded(grown / runs / kilobyte, 1) }));

function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  // Weak references need a second round.
  globalThis.gc();
  globalThis.gc();
}
