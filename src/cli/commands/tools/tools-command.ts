import type { ToolView } from '../../../index.ts';
import { builtinToolsets } from '../../../tools/registry/toolsets.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { columns, fitted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent tools list`. */
export async function listTools(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const { tools, servers } = await withDetent({ ...options, store: 'in-process' }, async (detent) => ({
    tools: await detent.tools.describe(),
    servers: await detent.tools.servers(),
  }));
  const sets = { ...builtinToolsets, ...options.tools?.sets };
  if (flags.json) {
    io.json({ tools, sets });
    return exit.ok;
  }
  io.out(columns(fitted(tools.map(rowOf), 60, io.stdout)));
  for (const { name, reason } of servers)
    if (reason !== null) io.say(`detent: MCP server ${name}: ${reason}`);
  io.out(`\n${columns(Object.entries(sets).map(([name, tools]) => [`@${name}`, tools.join(', ')]))}`);
  return exit.ok;
}

function rowOf({ name, sideEffect, asks, why, disabled, description }: ToolView): string[] {
  const kind = sideEffect ?? 'depends';
  if (disabled !== null) return [name, kind, `off (${disabled})`, description];
  // The row has named the tool.
  const rule = why === `tool default: ${name}` ? 'tool default' : why;
  return [name, kind, `${askingInWords(asks)} (${rule})`, description];
}

function askingInWords(asks: boolean | null): string {
  if (asks === null) return 'may ask';
  return asks ? 'asks' : 'does not ask';
}
