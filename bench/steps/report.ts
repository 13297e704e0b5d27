import type { MachineFacts } from '../support/machine-facts.ts';
import { rounded } from '../support/numbers.ts';
import { table } from '../support/table.ts';
import { type Judged, slowness } from './aims.ts';
import { type CpuModeName, type CpuResults, cpuModes } from './cpu.ts';
import type { Measured } from './measured.ts';

interface ReportedSizes {
  processes: number;
  warmUps: number;
  runs: number;
  concurrent: number;
  marks: readonly number[];
}

const labels: Readonly<Record<CpuModeName, string>> = {
  floor: "loop over Detent's transport",
  floorNormal: '  and two commits a round, NORMAL',
  floorFull: '  and two commits a round, FULL',
  fetch: 'loop over fetch',
  fetchNormal: '  and two commits a round, NORMAL',
  fetchFull: '  and two commits a round, FULL',
  inProcess: 'Detent, in process',
  normal: 'Detent, SQLite NORMAL',
  full: 'Detent, SQLite FULL',
};

/** The floor that writes as often, as safely. */
const floorOf = { inProcess: 'floor', normal: 'floorNormal', full: 'floorFull' } as const;

/** Everything, for people. */
export function report(
  machine: MachineFacts,
  sizes: ReportedSizes,
  measured: Measured,
  judged: readonly Judged[],
): string {
  const { cpu, concurrent, space, imports } = measured;
  const { date, node, platform, cores, cpu: processor, memoryGb } = machine;
  const { processes, warmUps, runs, marks } = sizes;
  return [
    `${date}, Node ${node}, ${platform}, ${cores} cores (${processor}), ${memoryGb} GB`,
    `a run: 10 tool rounds and an answer; a step: a tenth of it; median of ${processes} processes, ${warmUps} + ${runs} runs each`,
    '',
    table([
      ['', 'CPU ms/step', 'over bare', 'over same commits', 'wall ms/step', 'run ms', 'p95'],
      ...(Object.keys(cpuModes) as CpuModeName[]).map((mode) => cpuRow(mode, cpu)),
    ]),
    '',
    table([
      [`${sizes.concurrent} runs at once, FULL`, 'runs/s', 'CPU ms/step'],
      ['group commit on', text(concurrent.grouped.runsPerSecond), text(concurrent.grouped.cpuMsPerStep)],
      ['group commit off', text(concurrent.single.runsPerSecond), text(concurrent.single.cpuMsPerStep)],
    ]),
    '',
    table([
      ['built package, fresh process', 'ms', 'RSS MB'],
      ['import', text(imports.import.ms), text(imports.import.rssMb)],
      ['and a query on a database', text(imports.open.ms), text(imports.open.rssMb)],
      ['and a first model call', text(imports.answer.ms), text(imports.answer.rssMb)],
    ]),
    '',
    table([
      ['SQLite FULL, after runs', 'live heap MB', 'RSS MB'],
      ...marks.map((mark, i) => [String(mark), text(space.heapMb[i]), text(space.rssMb[i])]),
    ]),
    `a run leaves ${space.kbPerRun} KB in the database`,
    '',
    `The loop over fetch ran ${rounded(slowness(measured), 1)} times slower here than where the aims were set: times are judged as scaled by that.`,
    '',
    table([
      ['aim', 'measured', 'scaled', 'bound', ''],
      ...judged.map(({ what, value, scaled, unit, aim, met }) => [
        what,
        `${value} ${unit}`,
        String(scaled),
        aim,
        met ? 'met' : 'MISSED',
      ]),
    ]),
  ].join('\n');
}

function cpuRow(mode: CpuModeName, cpu: CpuResults): string[] {
  const { cpuMsPerStep, wallMsPerStep, runMsMedian, runMsP95 } = cpu[mode];
  const over = (floor: CpuModeName) => text(rounded(cpuMsPerStep - cpu[floor].cpuMsPerStep));
  const same = mode in floorOf ? floorOf[mode as keyof typeof floorOf] : null;
  return [
    labels[mode],
    text(rounded(cpuMsPerStep)),
    same ? over('floor') : '',
    same ? over(same) : '',
    text(rounded(wallMsPerStep)),
    text(rounded(runMsMedian, 1)),
    text(rounded(runMsP95, 1)),
  ];
}

function text(value: number | undefined): string {
  return String(value ?? '');
}
