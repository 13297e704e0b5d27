import type { AnyStateMachine } from 'xstate';
import { jobMachine } from '../../../../machines/job.machine.ts';
import { runMachine } from '../../../../machines/run.machine.ts';
import { drawDot, drawMermaid } from '../../../inspect/draw.ts';
import { nearestName } from '../../../text/nearest-name.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

const machines: ReadonlyMap<string, AnyStateMachine> = new Map<string, AnyStateMachine>([
  ['run', runMachine],
  ['job', jobMachine],
]);

/** `detent machine show [run|job] --format mermaid|json|dot`. */
export async function machineCommand(
  [name = 'run']: readonly string[],
  { format }: Flags,
  io: Io,
): Promise<number> {
  const machine = machineOf(name);
  if (format === 'json') io.json(machine.config, 2);
  else io.out(format === 'dot' ? drawDot(machine) : drawMermaid(machine));
  return exit.ok;
}

function machineOf(name: string): AnyStateMachine {
  const machine = machines.get(name);
  if (machine) return machine;
  const known = [...machines.keys()];
  const nearest = nearestName(name, known);
  throw usage(
    `there is no machine "${name}"${nearest === null ? '' : `; did you mean "${nearest}"?`}; there are ${known.join(', ')}`,
  );
}
