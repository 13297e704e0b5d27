import { runMachine } from '../../machines/run.machine.ts';
import { drawDot, drawMermaid } from '../inspect/draw.ts';
import { exit } from './exit-codes.ts';
import type { Flags } from './flags.ts';
import { out } from './say.ts';

/** `detent machine show --format mermaid|json|dot`. */
export async function machineCommand(_: readonly string[], { format }: Flags): Promise<number> {
  if (format === 'json') out(`${JSON.stringify(runMachine.config, null, 2)}\n`);
  else out(format === 'dot' ? drawDot(runMachine) : drawMermaid(runMachine));
  return exit.ok;
}
