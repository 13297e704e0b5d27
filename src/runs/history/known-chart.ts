import type { MachineHost, MachineHosts } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';

/** The very chart of a run; null if this program lacks it, or has another one of the same version. */
export function knownChart(hosts: MachineHosts, row: RunRow): MachineHost | null {
  try {
    return hosts.of(row);
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    return null;
  }
}
