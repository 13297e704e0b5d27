import type { AnyStateMachine } from 'xstate';
import { earlierRunMachine } from '../../machines/run.earlier.ts';
import { runMachine } from '../../machines/run.machine.ts';
import { runSetup } from '../../machines/run.setup.ts';
import type { MachineHost } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';

function withoutSubRuns(config: unknown): unknown {
  if (Array.isArray(config)) return config.map(withoutSubRuns);
  if (typeof config !== 'object' || config === null) return config;
  const entries = Object.entries(config).filter(([key]) => !key.startsWith('subrun.'));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutSubRuns(value)]));
}

const firstMachine = runSetup.createMachine(
  withoutSubRuns(runMachine.config) as never,
) as unknown as AnyStateMachine;

/** The second version of the run machine: it had no output schemas. */
export function secondVersion(host: MachineHost): MachineHost {
  const migrate = (host.migrate ?? []).filter(({ from }) => from === 1);
  return { ...host, version: 2, machine: new PureMachine(earlierRunMachine), migrate };
}

/** The first version of the run machine: it did not hear of sub-runs that wait. */
export function firstVersion(host: MachineHost): MachineHost {
  return { ...host, version: 1, machine: new PureMachine(firstMachine), migrate: [] };
}
