import { parentPort, workerData } from 'node:worker_threads';
import { add, type Counts } from './checks.ts';
import { Draws } from './draws.ts';
import { explain, type Failure, liveOnce, type StoreKind } from './life.ts';

/** Which seeds a worker lives: every `of`-th from `first` to before `end`. */
export interface Share {
  first: number;
  end: number;
  of: number;
  kind: StoreKind;
}

export interface Report {
  counts: Counts;
  failures: Failure[];
}

/** After so many failures the rest would say nothing new. */
const maxFailures = 3;

// Thousands of arguments that are no JSON are parsed, and a trace of each of those errors takes most of the time.
Error.stackTraceLimit = 0;

const { first, end, of, kind } = workerData as Share;
const report: Report = { counts: {}, failures: [] };
for (let seed = first; seed < end && report.failures.length < maxFailures; seed += of) {
  try {
    add(report.counts, await liveOnce(new Draws(seed), kind));
  } catch (error) {
    report.failures.push(await explain(seed, kind, error));
  }
}
parentPort?.postMessage(report);
