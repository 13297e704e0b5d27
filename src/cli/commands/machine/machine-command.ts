import type { AnyStateMachine } from 'xstate';
import { callMachine, callMachineVersion } from '../../../../machines/call.machine.ts';
import { jobMachine, jobMachineVersion } from '../../../../machines/job.machine.ts';
import { runMachine, runMachineVersion } from '../../../../machines/run.machine.ts';
import { drawDot, drawMermaid } from '../../../inspect/draw.ts';
import { definitionOf } from '../../../runtime/chart.ts';
import { nearestName } from '../../../text/wording.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

interface Shown {
  machine: AnyStateMachine;
  version: number;
}

const machines: ReadonlyMap<string, Shown> = new Map<string, Shown>([
  ['run', { machine: runMachine, version: runMachineVersion }],
  ['call', { machine: callMachine, version: callMachineVersion }],
  ['job', { machine: jobMachine, version: jobMachineVersion }],
]);

/** `detent machine show [run|call|job|RUN] --format mermaid|json|dot`. */
export async function machineCommand(
  [name = 'run']: readonly string[],
  flags: Flags,
  io: Io,
): Promise<number> {
  const { format } = flags;
  if (name === 'last' || name.startsWith('run_'))
    return (await import('./show-run-chart.ts')).showRunChart(name, flags, io);
  const { machine, version } = machineOf(name);
  if (format === 'json') io.json(machine.config, 2);
  else {
    const definition = definitionOf(name, version, machine);
    io.out(format === 'dot' ? drawDot(definition) : drawMermaid(definition));
  }
  return exit.ok;
}

function machineOf(name: string): Shown {
  const machine = machines.get(name);
  if (machine) return machine;
  const known = [...machines.keys()];
  const nearest = nearestName(name, known);
  throw usage(
    `there is no machine "${name}"${nearest === null ? '' : `; did you mean "${nearest}"?`}; there are ${known.join(', ')}, and the chart of a run, by its id`,
  );
}
