import { callMachine, callMachineVersion } from '../../machines/call.machine.ts';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import type { MachineHost } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';

const known = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));

/** As much of the host of agents' runs as a replay needs. */
export const runHost = {
  id: 'run',
  version: runMachineVersion,
  machine: new PureMachine(runMachine),
  effects: known('effect.callModel', 'effect.runTool', 'effect.flush', 'effect.compact'),
  rows: known('confirm.request', 'call.close'),
} as unknown as MachineHost;

/** The same of runs of one call. */
export const callHost = {
  id: 'call',
  version: callMachineVersion,
  machine: new PureMachine(callMachine),
  effects: known('effect.runTool'),
  rows: known('confirm.request', 'question.close', 'call.close'),
} as unknown as MachineHost;
