/**
 * One mode in a process of its own: warm-up, then runs one after the other, with the CPU time of the whole process.
 *
 * @module
 */

import { performance } from 'node:perf_hooks';
import { askedOfChild } from '../support/child.ts';
import { quantile, rounded } from '../support/numbers.ts';
import { createDetentSubject, type DetentMode } from './detent.ts';
import { createFloor, type FloorMode } from './floor.ts';
import { checkExecutions, checkText, Lookup, type Subject, type Work } from './work.ts';

export interface CpuTask {
  mode: { floor: FloorMode } | { detent: DetentMode };
  work: Work;
  warmUps: number;
  runs: number;
}

export interface CpuResult {
  cpuMsPerStep: number;
  wallMsPerStep: number;
  runMsMedian: number;
  runMsP95: number;
}

const { mode, work, warmUps, runs } = askedOfChild<CpuTask>();
const lookup = new Lookup();
const subject = await create();
for (let i = 0; i < warmUps; i++) checkText(await subject.run());
console.log(JSON.stringify(await measure()));
await subject.close();

async function create(): Promise<Subject> {
  return 'floor' in mode
    ? createFloor(mode.floor, work, lookup)
    : createDetentSubject(mode.detent, work, lookup);
}

async function measure(): Promise<CpuResult> {
  lookup.executions = 0;
  const runMs: number[] = [];
  const [cpuBefore, wallBefore] = [process.cpuUsage(), performance.now()];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    checkText(await subject.run());
    runMs.push(performance.now() - start);
  }
  const wallMs = performance.now() - wallBefore;
  const { user, system } = process.cpuUsage(cpuBefore);
  checkExecutions(lookup, runs, work);
  const steps = runs * work.rounds;
  return {
    cpuMsPerStep: rounded((user + system) / 1000 / steps, 3),
    wallMsPerStep: rounded(wallMs / steps, 3),
    runMsMedian: rounded(quantile(runMs, 0.5)),
    runMsP95: rounded(quantile(runMs, 0.95)),
  };
}
