import type { BuiltPackage } from '../support/built-package.ts';
import { measureInChild } from '../support/child.ts';
import { median } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import type { CpuResult, CpuTask } from './cpu-child.ts';
import type { Work } from './work.ts';

type CpuMode = CpuTask['mode'];

/** Names of the modes, as the report knows them. */
export const cpuModes = {
  floor: { floor: { transport: 'transport', commits: 'none' } },
  floorNormal: { floor: { transport: 'transport', commits: 'NORMAL' } },
  floorFull: { floor: { transport: 'transport', commits: 'FULL' } },
  fetch: { floor: { transport: 'fetch', commits: 'none' } },
  fetchNormal: { floor: { transport: 'fetch', commits: 'NORMAL' } },
  fetchFull: { floor: { transport: 'fetch', commits: 'FULL' } },
  inProcess: { detent: { store: 'in-process' } },
  normal: { detent: { store: 'NORMAL' } },
  full: { detent: { store: 'FULL' } },
} as const satisfies Record<string, CpuMode>;

export type CpuModeName = keyof typeof cpuModes;
export type CpuResults = Record<CpuModeName, CpuResult>;

interface CpuSizes {
  processes: number;
  warmUps: number;
  runs: number;
}

/**
 * Measures every mode in `processes` fresh processes and takes the median of each figure.
 *
 * The modes take turns, so that a machine that is slow for a while is slow for all of them.
 */
export async function measureCpu(
  { url, rounds }: Work,
  built: BuiltPackage,
  { processes, warmUps, runs }: CpuSizes,
  tell: (what: string) => void,
): Promise<CpuResults> {
  const names = Object.keys(cpuModes) as CpuModeName[];
  const all = new Map<CpuModeName, CpuResult[]>(names.map((name) => [name, []]));
  for (let i = 1; i <= processes; i++)
    for (const name of names) {
      tell(`${name} ${i}/${processes}`);
      const result = await inScratchFolder((folder) => {
        const task: CpuTask = { mode: cpuModes[name], work: { url, rounds, folder }, warmUps, runs };
        return measureInChild<CpuResult>(built.script('steps/cpu-child'), task);
      });
      all.get(name)?.push(result);
    }
  return Object.fromEntries(names.map((name) => [name, middle(all.get(name) ?? [])])) as CpuResults;
}

function middle(results: readonly CpuResult[]): CpuResult {
  const of = (figure: keyof CpuResult) => median(results.map((result) => result[figure]));
  return {
    cpuMsPerStep: of('cpuMsPerStep'),
    wallMsPerStep: of('wallMsPerStep'),
    runMsMedian: of('runMsMedian'),
    runMsP95: of('runMsP95'),
  };
}
