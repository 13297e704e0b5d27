import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Ids of the processes of this machine (Linux) that have this in their command line. */
export function processesWith(marker: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}

/**
 * The same, with those that work in this folder: what has just been started has no command line of its own yet on a
 * busy machine.
 */
export function processesAt(folder: string): string[] {
  const inside = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
  return [...new Set([...processesWith(folder), ...inside])];
}

/** What is left of them after some time to die in. One that is just being started is not seen by every look. */
export async function leftOf(marker: string): Promise<string[]> {
  let found: string[] = [];
  for (let i = 0, without = 0; i < 500 && without < 5; i += 1) {
    if (i > 0) await pause(20);
    found = processesWith(marker);
    without = found.length === 0 ? without + 1 : 0;
  }
  return found;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Kills a process of this test, and waits until it has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
