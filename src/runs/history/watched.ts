import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import type { Machines } from '../../engine/log.ts';
import { edgeIdOf, type MachineHost, stateIdOf } from '../../engine/machine.ts';
import type { RunRow } from '../../store/rows.ts';

/** One guard that the machine asked, and its answer. */
export interface GuardResult {
  guard: string;
  passed: boolean;
}

/** What a machine did for one event. */
interface Seen {
  /** In the order in which the machine asked them. */
  guards: GuardResult[];
  /** Ids of the edges that it took, in order. A transition without a change of state has none. */
  edges: string[];
}

/** The same machines, recording which guards they asked and which transitions they took. */
export interface WatchedMachines {
  machines: Machines;
  /** What was seen since the last `take`. */
  take(): Seen;
}

/**
 * Watches the machines.
 *
 * @param machines the host of each run's machine, in its version.
 */
export function watched(machines: { of(run: RunRow): MachineHost }): WatchedMachines {
  let seen: Seen = { guards: [], edges: [] };
  const watch = {
    began() {
      seen = { guards: [], edges: [] };
    },
    took: (transition: AnyTransitionDefinition) => seen.edges.push(...edgesOf(transition)),
  };
  const hosts = new Map<MachineHost, MachineHost>();
  const watchedHost = (host: MachineHost): MachineHost => {
    const machine = withGuards(host.machine.definition, (result) => seen.guards.push(result));
    return { ...host, machine: host.machine.watched(machine, watch) };
  };
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
      const taken = seen;
      watch.began();
      return taken;
    },
  };
}

function edgesOf({ source, target = [] }: AnyTransitionDefinition): string[] {
  return target.map((one) => edgeIdOf(stateIdOf(source), stateIdOf(one)));
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
