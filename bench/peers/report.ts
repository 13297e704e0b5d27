import { installText, startAims, startTable } from '../start/commands.ts';
import type { StartTimes } from '../start/processes.ts';
import type { MachineFacts } from '../support/machine-facts.ts';
import { megabyte, rounded } from '../support/numbers.ts';
import { table } from '../support/table.ts';
import type { StepTimes } from './steps.ts';

export interface PeerFigures {
  starts: readonly StartTimes[];
  steps: readonly StepTimes[];
  installs: readonly { what: string; bytes: number; files: number }[];
}

/** Of Detent's steps: multiples of pi's, which keeps nothing, and sizes. */
const stepAims = { 'in process': 0.75, NORMAL: 1, FULL: 1.15, heapMb: 22, kbPerRun: 15 };

/** Everything, for people. */
export function report({ date, node, platform, cores, cpu }: MachineFacts, figures: PeerFigures): string {
  const { starts, steps, installs } = figures;
  const pi = piOf(steps);
  const times = (ms: number) => (pi ? String(rounded(ms / pi.cpuMsPerStep)) : '');
  return [
    `${date}, Node ${node}, ${platform}, ${cores} cores (${cpu})`,
    '',
    startTable(starts),
    '',
    ...installs.map((size) => installText(size.what, size)),
    '',
    table([
      ['a step', '', 'CPU ms', "times pi's", 'wall ms', 'heap MB', 'import ms', 'KB a run'],
      ...steps.map(({ name, mode, cpuMsPerStep, wallMsPerStep, heapMb, importMs, kbPerRun }) => [
        name,
        mode,
        String(rounded(cpuMsPerStep)),
        times(cpuMsPerStep),
        String(rounded(wallMsPerStep)),
        String(heapMb),
        String(importMs),
        String(kbPerRun ?? ''),
      ]),
    ]),
    '',
    table([['aim', 'measured', 'bound', ''], ...aimsOf(figures)]),
  ].join('\n');
}

function piOf(steps: readonly StepTimes[]): StepTimes | undefined {
  return steps.find(({ name }) => name === 'pi');
}

/** Without pi, those that are not multiples of its figures. */
function aimsOf({ starts, steps, installs }: PeerFigures): string[][] {
  const [bare] = starts;
  const ofStart = (what: string) => starts.find((start) => start.what.startsWith(what));
  const bareTimes = (what: string) => (ofStart(what)?.wallMs ?? Number.NaN) / (bare?.wallMs ?? Number.NaN);
  const own = steps.filter(({ name }) => name === 'Detent');
  const pi = piOf(steps);
  const piStart = ofStart('first run of a program, pi');
  const ofPi = (mode: 'in process' | 'NORMAL' | 'FULL') => {
    const step = own.find((one) => one.mode === mode);
    return aim(
      `CPU of a step, ${mode}: times pi's`,
      (step?.cpuMsPerStep ?? Number.NaN) / (pi?.cpuMsPerStep ?? Number.NaN),
      stepAims[mode],
    );
  };
  const kbPerRun = Math.max(...own.flatMap((one) => one.kbPerRun ?? []));
  const installMb = (installs.find(({ what }) => what === 'Detent')?.bytes ?? Number.NaN) / megabyte;
  return [
    aim('--version: times node -e 0', bareTimes('detent --version'), startAims.version),
    aim('runs list: times node -e 0', bareTimes('detent runs list'), startAims.list),
    aim('run, demo: times node -e 0', bareTimes('detent run, demo: an answer'), startAims.run),
    aim('RSS of a listing, MB', ofStart('detent runs list')?.rssMb ?? Number.NaN, startAims.listRssMb),
    aim('install, MB', installMb, startAims.installMb),
    aim('heap, MB', Math.max(...own.map(({ heapMb }) => heapMb)), stepAims.heapMb),
    aim('database of a run, KB', kbPerRun, stepAims.kbPerRun),
    ...(pi && piStart
      ? [
          aim(
            "first run of a program: times pi's",
            (ofStart('first run of a program, Detent')?.wallMs ?? Number.NaN) / piStart.wallMs,
            startAims.library,
          ),
          ofPi('in process'),
          ofPi('NORMAL'),
          ofPi('FULL'),
        ]
      : []),
  ];
}

function aim(what: string, value: number, bound: number): string[] {
  return [what, String(rounded(value)), `≤ ${bound}`, value <= bound ? 'met' : 'MISSED'];
}
