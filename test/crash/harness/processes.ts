import { type ChildProcess, spawn } from 'node:child_process';
import { compileCache } from '../../support/compile-cache.ts';
import { programFile } from '../../support/program.ts';
import { type Order, obeyOrder } from './obey-order.ts';

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Lives one that is not killed in this process: a start costs several times what it does. */
export async function live(order: Order): Promise<Finished> {
  const ended = { code: 0, signal: null, stdout: '', stderr: '' };
  try {
    return { ...ended, stdout: JSON.stringify(await obeyOrder(order)) };
  } catch (error) {
    return { ...ended, code: 1, stderr: String(error instanceof Error ? error.stack : error) };
  }
}

/** A process that takes longer hangs, also on a machine with many others: a start alone has taken ten seconds there. */
const patienceMs = 180_000;

/** A job's or a workflow's is told to end, so that it says where. */
const ending = { runs: 'SIGKILL', jobs: 'SIGTERM', workflows: 'SIGTERM' } as const;

/** Starts a process of a crash scenario, and ends it if it takes too long. */
export function spawnLife(order: Order): Promise<Finished> {
  const child: ChildProcess = spawn(
    process.execPath,
    [programFile('test/crash/harness/child'), JSON.stringify(order)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Hundreds of processes start here: what one has compiled, the others need not.
      env: { ...process.env, ...compileCache },
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (data: Buffer) => (stdout += data));
  child.stderr?.on('data', (data: Buffer) => (stderr += data));
  const timer = setTimeout(() => child.kill(ending[order.of]), patienceMs);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
