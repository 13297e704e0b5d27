import { runMachine } from '../../../../machines/run.machine.ts';
import { drawDot, drawMermaid } from '../../../inspect/draw.ts';
import type { Flags } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent machine show --format mermaid|json|dot`. */
export async function machineCommand(_: readonly string[], { format }: Flags, io: Io): Promise<number> {
  if (format === 'json') io.json(runMachine.config, 2);
  else io.out(format === 'dot' ? drawDot(runMachine) : drawMermaid(runMachine));
  return exit.ok;
}
