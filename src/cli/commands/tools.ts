import type { Command } from 'commander';
import type { ToolView } from '../../index.ts';
import { builtinToolsets } from '../../tools/registry/name-patterns.ts';
import { withDetent } from '../drive/with-detent.ts';
import type { Flags } from '../settings/flags.ts';
import { loadOptions } from '../settings/load-options.ts';
import { type Column, clipped, columns, listed } from '../terminal/columns.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { PerformedBy } from './command.ts';
import { examples, jsonOption, placeOptions } from './options.ts';

export function defineTools(program: Command, performedBy: PerformedBy): void {
  const tools = program.command('tools').summary('the tools that runs may use');
  const list = tools
    .command('list')
    .summary('each tool, what a repeat would do, and whether it asks')
    .description(
      'Each tool with its class (what a repeat of a call would do), whether it asks a person and by which rule, and whether it is off; then the sets of tools.',
    );
  placeOptions(jsonOption(list));
  examples(
    list,
    'detent tools list',
    `detent tools list --json | jq '.tools[] | select(.name == "read_file").parameters'`,
  );
  performedBy(list, async () => listTools);
}

/** `detent tools list`. */
async function listTools(_: readonly string[], flags: Flags, io: Io): Promise<number> {
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
  io.out(listed(tools, toolColumns, io.stdout));
  for (const { name, reason } of servers)
    if (reason !== null) io.say(`detent: MCP server ${name}: ${reason}`);
  io.out(`\n${columns(Object.entries(sets).map(([name, tools]) => [`@${name}`, tools.join(', ')]))}`);
  return exit.ok;
}

const toolColumns: readonly Column<ToolView>[] = [
  { title: 'tool', cell: ({ name }) => name, min: 20 },
  { title: 'class', cell: ({ sideEffect }) => sideEffect ?? 'depends', rank: 1 },
  { title: 'asks', cell: useOf, min: 12 },
  { title: 'what it does', cell: ({ description }) => clipped(description, 200), min: 16 },
];

function useOf({ name, asks, why, disabled }: ToolView): string {
  if (disabled !== null) return `off (${disabled})`;
  // The row has named the tool.
  const rule = why === `tool default: ${name}` ? 'tool default' : why;
  return `${askingInWords(asks)} (${rule})`;
}

function askingInWords(asks: boolean | null): string {
  if (asks === null) return 'may ask';
  return asks ? 'asks' : 'does not ask';
}
