import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, rounded } from '../support/numbers.ts';
import { tell } from '../support/tell.ts';

const reporter = fileURLToPath(new URL('./report-usage.cjs', import.meta.url));

/** A command for Node. */
export interface Started {
  what: string;
  args: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** Before each start, uncounted. */
  prepare?(): Promise<void>;
}

export interface StartTimes {
  what: string;
  wallMs: number;
  cpuMs: number;
  /** The highest of all. */
  rssMb: number;
}

interface Usage {
  cpuMs: number;
  rssMb: number;
}

/** Starts one of each in turns, so that what else the machine does falls on all of them; the first two do not count. */
export async function measureStarts(starts: number, kinds: readonly Started[]): Promise<StartTimes[]> {
  const found = kinds.map(() => [] as (Usage & { wallMs: number })[]);
  for (let i = -2; i < starts; i += 1)
    for (const [n, kind] of kinds.entries()) {
      tell(`${kind.what}: ${Math.max(0, i + 1)} of ${starts}`);
      await kind.prepare?.();
      const began = performance.now();
      const usage = await startOnce(kind);
      if (i >= 0) found[n]?.push({ ...usage, wallMs: performance.now() - began });
    }
  tell('');
  return kinds.map(({ what }, n) => {
    const runs = found[n] ?? [];
    return {
      what,
      wallMs: rounded(median(runs.map(({ wallMs }) => wallMs)), 0),
      cpuMs: rounded(median(runs.map(({ cpuMs }) => cpuMs)), 0),
      rssMb: rounded(Math.max(...runs.map(({ rssMb }) => rssMb)), 0),
    };
  });
}

/** @throws Error when the process fails, with what it wrote to stderr. */
async function startOnce({ what, args, cwd, env }: Started): Promise<Usage> {
  const child = spawn(process.execPath, ['--require', reporter, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [, , errors, report] = child.stdio;
  let said = '';
  let usage = '';
  errors?.on('data', (piece) => (said += piece));
  report?.on('data', (piece) => (usage += piece));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${what} ended with ${code}: ${said}`);
  return JSON.parse(usage) as Usage;
}
