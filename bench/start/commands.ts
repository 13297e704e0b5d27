import { join } from 'node:path';
import { megabyte, rounded } from '../support/numbers.ts';
import { table } from '../support/table.ts';
import type { Started, StartTimes } from './processes.ts';

/** Multiples of `node -e 0`, and for a first run of a program of pi's. */
export const startAims = { version: 1.3, list: 3, run: 8, library: 0.75, installMb: 120, listRssMb: 80 };

/** Bare Node, and commands of an installed Detent, in a project that has runs to list. */
export function commandStarts(project: string, home: string): Started[] {
  const cli = join(project, 'node_modules/detent/dist/src/cli/main.js');
  const env = { DETENT_HOME: home, DETENT_TRUST: '1' };
  const command = (what: string, ...words: string[]): Started => ({
    what,
    args: [cli, ...words],
    cwd: project,
    env,
  });
  return [
    { what: 'node -e 0', args: ['-e', '0'], cwd: project },
    command('detent --version', '--version'),
    // Before the lists, and in each turn: they have runs to show.
    command('detent run, demo: an answer', 'run', 'hello'),
    command('detent run, demo: a calculation', 'run', 'What is 17 * 23?'),
    command('detent runs list', 'runs', 'list'),
  ];
}

/** Times beside those of the first kind, which is bare Node. */
export function startTable(times: readonly StartTimes[]): string {
  const [bare] = times;
  const row = ({ what, wallMs, cpuMs, rssMb }: StartTimes) => [
    what,
    String(wallMs),
    String(rounded(wallMs / (bare?.wallMs ?? Number.NaN))),
    String(cpuMs),
    String(rounded(cpuMs / (bare?.cpuMs ?? Number.NaN))),
    String(rssMb),
  ];
  return table([['', 'wall ms', 'times', 'CPU ms', 'times', 'RSS MB'], ...times.map(row)]);
}

export function installText(what: string, { bytes, files }: { bytes: number; files: number }): string {
  return `${what} installed: ${rounded(bytes / megabyte, 1)} MB on disk in ${files} files`;
}
