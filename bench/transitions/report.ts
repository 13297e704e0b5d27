import { loadavg } from 'node:os';
import type { MachineFacts } from '../support/machine-facts.ts';
import { rounded } from '../support/numbers.ts';
import { table } from '../support/table.ts';
import type { FlowTimes, Installed, Times } from './measure.ts';

export interface FlowFigures {
  flows: readonly FlowTimes[];
  /** What could not be installed or run, and why. */
  notRun: readonly { name: string; why: string }[];
  /** Of the machine, when the measurement ended: the mean of a minute. */
  load: number;
}

/** How many processes wanted to run, on average of the last minute. */
export function loadNow(): number {
  return rounded(loadavg()[0] ?? 0, 1);
}

/** Everything, for people. The multiples are of Detent's steps at the same setting of `synchronous`. */
export function report(
  { date, node, platform, cores, cpu }: MachineFacts,
  { flows, notRun, load }: FlowFigures,
  installed: readonly Installed[],
): string {
  const ofMode = (level: string) => flows.find(({ mode }) => mode === `steps, ${level}`);
  const times = (flow: FlowTimes, of: (one: FlowTimes) => number) => {
    const base = ofMode(flow.mode.endsWith('NORMAL') ? 'NORMAL' : 'FULL');
    return base ? String(rounded(of(flow) / of(base))) : '';
  };
  const columns = (flow: FlowTimes, of: (one: FlowTimes) => Times) => [
    String(rounded(of(flow).wallMs)),
    times(flow, (one) => of(one).wallMs),
    String(rounded(of(flow).cpuMs)),
    times(flow, (one) => of(one).cpuMs),
  ];
  return [
    `${date}, Node ${node}, ${platform}, ${cores} cores (${cpu}), load ${load}`,
    '',
    table([
      ['', '', 'a run of 3 steps: wall ms', 'times', 'CPU ms', 'times', 'commits'],
      ...flows.map((flow) => [
        flow.name,
        flow.mode,
        ...columns(flow, ({ run }) => run),
        String(flow.commits.run),
      ]),
    ]),
    '',
    table([
      ['', '', 'one step more: wall ms', 'times', 'CPU ms', 'times', 'commits'],
      ...flows.map((flow) => [
        flow.name,
        flow.mode,
        ...columns(flow, ({ step }) => step),
        String(flow.commits.step),
      ]),
    ]),
    '',
    table([
      ['100 runs of 3 steps at once', '', 'runs/s', 'times'],
      ...flows.map((flow) => [
        flow.name,
        flow.mode,
        String(flow.perSecond),
        times(flow, ({ perSecond }) => perSecond),
      ]),
    ]),
    '',
    'times: those of the steps of Detent at the same setting of synchronous',
    ...installed.map(({ subject: { name, guarantee } }) => `${name}: ${guarantee}`),
    ...notRun.map(({ name, why }) => `NOT RUN: ${name}: ${why}`),
  ].join('\n');
}
