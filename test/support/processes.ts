import { readdirSync, readFileSync } from 'node:fs';

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

/** What is left of them after some time to die in. */
export async function leftOf(marker: string): Promise<string[]> {
  for (let i = 0; i < 200 && processesWith(marker).length > 0; i += 1) await pause(50);
  return processesWith(marker);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
