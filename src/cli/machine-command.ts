import { runMachine } from '../../machines/run.machine.ts';
import { drawDot, drawMermaid } from '../inspect/draw.ts';
import { exit } from './exit-codes.ts';
import { oneOf, parse, usage } from './parse.ts';
import { out } from './say.ts';

/** `detent machine show --format mermaid|json|dot`. */
export async function machineCommand([verb, ...args]: readonly string[]): Promise<number> {
  if (verb !== 'show') throw usage('"detent machine" knows show');
  const { flags } = parse(args, { format: { type: 'string' } }, 0);
  const format = oneOf<'mermaid' | 'json' | 'dot'>(flags, 'format', ['mermaid', 'json', 'dot']) ?? 'mermaid';
  if (format === 'json') out(`${JSON.stringify(runMachine.config, null, 2)}\n`);
  else out(format === 'dot' ? drawDot(runMachine) : drawMermaid(runMachine));
  return exit.ok;
}
