import { rounded } from '../support/numbers.ts';
import type { Measured } from './measured.ts';

/**
 * What the loop over fetch cost on the machine that the aims in milliseconds were set on. A machine that is slower at
 * the loop is as much slower at everything else, so times are judged after division by that ratio.
 */
const referenceFetchMs = 0.36;

export interface Judged {
  what: string;
  unit: string;
  value: number;
  /** What the value would be on the machine that the aim was set on; the value itself where speed is not in it. */
  scaled: number;
  /** `≤ 0.6`. */
  aim: string;
  met: boolean;
}

/** How many times slower than the aims' machine this one was, in this very run. */
export function slowness({ cpu }: Measured): number {
  return cpu.fetch.cpuMsPerStep / referenceFetchMs;
}

/** Holds the figures to what Detent aims at. */
export function judge(measured: Measured): Judged[] {
  const { cpu, concurrent, space, imports } = measured;
  const slow = slowness(measured);
  const { inProcess, normal, full, floor, floorNormal, floorFull } = cpu;
  const [firstHeap = 0, lastHeap = 0] = [space.heapMb[0], space.heapMb.at(-1)];
  const time = (what: string, ms: number, most: number) => atMost(what, ms, ms / slow, most, 'ms');
  const size = (what: string, value: number, most: number, unit: string) =>
    atMost(what, value, value, most, unit);
  return [
    time('engine adds to the same transport, in process', inProcess.cpuMsPerStep - floor.cpuMsPerStep, 0.6),
    time('engine adds to the same commits, NORMAL', normal.cpuMsPerStep - floorNormal.cpuMsPerStep, 0.6),
    time('engine adds to the same commits, FULL', full.cpuMsPerStep - floorFull.cpuMsPerStep, 0.6),
    time(
      'engine and durability add to the bare floor, NORMAL',
      normal.cpuMsPerStep - floor.cpuMsPerStep,
      0.6,
    ),
    time('engine and durability add to the bare floor, FULL', full.cpuMsPerStep - floor.cpuMsPerStep, 0.6),
    time('CPU of a step, durable NORMAL', normal.cpuMsPerStep, 1.2),
    time('CPU of a step, durable FULL', full.cpuMsPerStep, 1.5),
    atLeast(
      'runs a second, FULL, group commit',
      concurrent.grouped.runsPerSecond,
      concurrent.grouped.runsPerSecond * slow,
      150,
      '/s',
    ),
    time('import', imports.import.ms, 60),
    size('memory after the import', imports.import.rssMb, 70, 'MB'),
    size('heap after all runs', lastHeap, 20, 'MB'),
    size('heap that grew between the marks', lastHeap - firstHeap, 1, 'MB'),
    size('disk for a run', space.kbPerRun, 15, 'KB'),
  ];
}

function atMost(what: string, value: number, scaled: number, most: number, unit: string): Judged {
  return {
    what,
    unit,
    value: rounded(value),
    scaled: rounded(scaled),
    aim: `≤ ${most}`,
    met: scaled <= most,
  };
}

function atLeast(what: string, value: number, scaled: number, least: number, unit: string): Judged {
  return {
    what,
    unit,
    value: rounded(value, 0),
    scaled: rounded(scaled, 0),
    aim: `≥ ${least}`,
    met: scaled >= least,
  };
}
