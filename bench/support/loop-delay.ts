import { monitorEventLoopDelay } from 'node:perf_hooks';
import { rounded } from './numbers.ts';

/** How late this thread came to what it had to do, in milliseconds. */
export interface LoopDelay {
  /** What went on meanwhile. */
  during: string;
  p50: number;
  p99: number;
  max: number;
}

/** Between two looks, in milliseconds. */
const resolution = 1;

/** Measures the delay of the event loop while something is done. */
export async function loopDelayDuring<Result>(
  during: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; delay: LoopDelay }> {
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  const result = await work();
  histogram.disable();
  const late = (nanoseconds: number) => rounded(Math.max(0, nanoseconds / 1e6 - resolution), 1);
  const delay = {
    during,
    p50: late(histogram.percentile(50)),
    p99: late(histogram.percentile(99)),
    max: late(histogram.max),
  };
  return { result, delay };
}
