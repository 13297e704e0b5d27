import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureInChild } from '../support/child.ts';
import { median, rounded } from '../support/numbers.ts';
import { tell } from '../support/tell.ts';
import type { Subject } from './subjects.ts';

/** A subject whose packages are installed in a folder, with its program. */
export interface Installed {
  subject: Subject;
  folder: string;
}

interface StepSizes {
  processes: number;
  warmUps: number;
  runs: number;
}

/** What one process of one mode measured. */
interface Measured {
  cpuMsPerStep: number;
  wallMsPerStep: number;
  /** Live after all runs. */
  heapMb: number;
  /** From the first import to its end. */
  importMs: number;
  /** What a run leaves on the disk; null where nothing is kept, or not counted. */
  kbPerRun: number | null;
}

export interface StepTimes extends Measured {
  name: string;
  mode: string;
}

const rounds = 10;

/** The task of a process, as `programs/child.mjs` reads it. */
export function taskOf(
  { program }: Subject,
  mode: string,
  url: string,
  scratch: string,
  sizes: object,
): string {
  return JSON.stringify({ program, mode, url, rounds, folder: scratch, ...sizes });
}

/** Measures all modes of all subjects in turns, in fresh processes, and takes the median of each figure. */
export async function measureSteps(
  installed: readonly Installed[],
  url: string,
  scratch: string,
  { processes, warmUps, runs }: StepSizes,
): Promise<StepTimes[]> {
  const kinds = installed.flatMap(({ subject, folder }) =>
    subject.modes.map((mode) => ({ subject, folder, mode, found: [] as Measured[] })),
  );
  for (let i = 1; i <= processes; i++)
    for (const { subject, folder, mode, found } of kinds) {
      tell(`${subject.name}, ${mode}: ${i} of ${processes}`);
      const task = JSON.parse(taskOf(subject, mode, url, scratch, { warmUps, runs }));
      const child = pathToFileURL(join(folder, 'child.mjs'));
      found.push(await measureInChild<Measured>(child, task, ['--expose-gc', '--no-warnings']));
    }
  tell('');
  return kinds.map(({ subject, mode, found }) => {
    const middle = (figure: keyof Measured, digits: number) =>
      rounded(median(found.map((one) => one[figure] ?? Number.NaN)), digits);
    return {
      name: subject.name,
      mode,
      cpuMsPerStep: middle('cpuMsPerStep', 3),
      wallMsPerStep: middle('wallMsPerStep', 3),
      heapMb: middle('heapMb', 1),
      importMs: middle('importMs', 0),
      kbPerRun: found.some(({ kbPerRun }) => kbPerRun === null) ? null : middle('kbPerRun', 1),
    };
  });
}
