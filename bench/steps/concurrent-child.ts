/**
 * Many runs at once, each in a session of its own, in a process of its own.
 *
 * @module
 */

import { performance } from 'node:perf_hooks';
import { askedOfChild } from '../support/child.ts';
import { median, rounded } from '../support/numbers.ts';
import { createDetentSubject } from './detent.ts';
import { checkExecutions, checkText, Lookup, type Work } from './work.ts';

export interface ConcurrentTask {
  work: Work;
  groupCommit: boolean;
  concurrent: number;
  /** How often; the first does not count. */
  waves: number;
}

export interface ConcurrentResult {
  runsPerSecond: number;
  cpuMsPerStep: number;
}

const { work, groupCommit, concurrent, waves } = askedOfChild<ConcurrentTask>();
const lookup = new Lookup();
const subject = createDetentSubject({ store: 'FULL', groupCommit }, work, lookup);
await wave();
const measured: ConcurrentResult[] = [];
for (let i = 1; i < waves; i++) measured.push(await wave());
await subject.close();
console.log(
  JSON.stringify({
    runsPerSecond: rounded(median(measured.map((one) => one.runsPerSecond)), 1),
    cpuMsPerStep: rounded(median(measured.map((one) => one.cpuMsPerStep)), 3),
  }),
);

async function wave(): Promise<ConcurrentResult> {
  lookup.executions = 0;
  const [cpuBefore, wallBefore] = [process.cpuUsage(), performance.now()];
  const texts = await Promise.all(Array.from({ length: concurrent }, () => subject.run()));
  const wallMs = performance.now() - wallBefore;
  const { user, system } = process.cpuUsage(cpuBefore);
  texts.forEach(checkText);
  checkExecutions(lookup, concurrent, work);
  return {
    runsPerSecond: (concurrent * 1000) / wallMs,
    cpuMsPerStep: (user + system) / 1000 / concurrent / work.rounds,
  };
}
