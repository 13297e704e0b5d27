import type { AnyStateMachine } from 'xstate';
import type { MachineHost } from '../../../engine/machine-host.ts';
import { PureMachine } from '../../../engine/pure-machine.ts';
import type { Machines } from '../../../engine/replay.ts';
import type { RunRow } from '../../../store/rows.ts';

/** One guard that the machine asked, and its answer. */
export interface GuardResult {
  guard: string;
  passed: boolean;
}

/** The same machines, recording which guards xstate asked, in which order, and what each answered. */
export interface WatchedMachines {
  machines: Machines;
  /** The guards asked since the last `take`. */
  take(): GuardResult[];
}

/**
 * Wraps every guard of the machines.
 *
 * @param machines the host of each run's machine, in its version.
 */
export function watched(machines: { of(run: RunRow): MachineHost }): WatchedMachines {
  let results: GuardResult[] = [];
  const hosts = new Map<MachineHost, MachineHost>();
  const watchedHost = (host: MachineHost): MachineHost => ({
    ...host,
    machine: new PureMachine(withGuards(host.machine.definition, (result) => results.push(result))),
  });
  return {
    machines: {
      of(run) {
        const host = machines.of(run as RunRow);
        const known = hosts.get(host) ?? watchedHost(host);
        hosts.set(host, known);
        return known;
      },
    },
    take() {
      const taken = results;
      results = [];
      return taken;
    },
  };
}

function withGuards(machine: AnyStateMachine, note: (result: GuardResult) => void): AnyStateMachine {
  const guards: Record<string, (...args: never[]) => boolean> = {};
  for (const [guard, ask] of Object.entries(machine.implementations.guards)) {
    // A composed guard (and, or, not) cannot be wrapped by name. xstate asks its parts, which are wrapped.
    if (typeof ask !== 'function' || 'check' in ask) continue;
    guards[guard] = (...args) => {
      const passed = (ask as (...args: unknown[]) => boolean)(...args);
      note({ guard, passed });
      return passed;
    };
  }
  return machine.provide({ guards });
}
