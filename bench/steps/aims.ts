import { rounded } from '../support/numbers.ts';
import type { Measured } from './report.ts';

export interface Judged {
  what: string;
  unit: string;
  value: number;
  /** `≤ 0.6`. */
  aim: string;
  met: boolean;
}

/** Holds the figures to what Detent aims at. */
export function judge({ cpu, concurrent, space, imports }: Measured): Judged[] {
  const added = (mode: 'normal' | 'full', floor: 'floor') => cpu[mode].cpuMsPerStep - cpu[floor].cpuMsPerStep;
  const [firstHeap = 0, lastHeap = 0] = [space.heapMb[0], space.heapMb.at(-1)];
  return [
    atMost('added to the bare floor on the same transport, NORMAL', added('normal', 'floor'), 0.6, 'ms'),
    atMost('added to the bare floor on the same transport, FULL', added('full', 'floor'), 0.6, 'ms'),
    atMost('CPU of a step, durable NORMAL', cpu.normal.cpuMsPerStep, 1.2, 'ms'),
    atMost('CPU of a step, durable FULL', cpu.full.cpuMsPerStep, 1.5, 'ms'),
    atLeast('runs a second, FULL, group commit', concurrent.grouped.runsPerSecond, 150, '/s'),
    atMost('import', imports.import.ms, 60, 'ms'),
    atMost('memory after the import', imports.import.rssMb, 70, 'MB'),
    atMost('import and a first query', imports.open.ms, 60, 'ms'),
    atMost('memory after a first query', imports.open.rssMb, 70, 'MB'),
    atMost('heap after all runs', lastHeap, 20, 'MB'),
    atMost('heap that grew between the marks', lastHeap - firstHeap, 1, 'MB'),
    atMost('disk for a run', space.kbPerRun, 15, 'KB'),
  ];
}

function atMost(what: string, value: number, most: number, unit: string): Judged {
  return { what, unit, value: rounded(value), aim: `≤ ${most}`, met: value <= most };
}

function atLeast(what: string, value: number, least: number, unit: string): Judged {
  return { what, unit, value: rounded(value, 0), aim: `≥ ${least}`, met: value >= least };
}
