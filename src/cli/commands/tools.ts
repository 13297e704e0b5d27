import type { ToolView } from '../../index.ts';
import { builtinToolsets } from '../../tools/registry.ts';
import { withDetent } from '../drive/with-detent.ts';
import type { Flags } from '../settings/flags.ts';
import { loadOptions } from '../settings/load-options.ts';
import { type Column, clipped, columns, listed } from '../terminal/columns.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { approveOption, type DetentCommand } from './command.ts';

export function defineTools(program: DetentCommand): void {
  const tools = program.command('tools').summary('the tools that runs may use');

  tools
    .command('list')
    .summary('each tool, its class, and whether it asks')
    .description(
      'Each tool with its class (what a repeat of a call would do), whether it asks a person and by which rule, and whether it is off; then the sets of tools.',
    )
    .jsonOption()
    .placeOptions()
    .examples(
      'detent tools list',
      `detent tools list --json | jq '.tools[] | select(.name == "read_file").parameters'`,
    )
    .performedBy(async () => listTools);

  tools
    .command('call')
    .summary('call a tool, without a model')
    .description(
      'Makes one tool call as a separate run: durably, and under the policy of an agent. The result goes to stdout. If the call needs approval, Detent asks on the terminal; without a terminal the run waits, with exit code 5. A refused or failed call exits with 1.',
    )
    .argument('<TOOL>', 'name of the tool, as "detent tools list" prints it')
    .argument('[JSON|@FILE]', 'its arguments, an object in quotes; "-" reads them from stdin')
    .option(
      '--agent <NAME>',
      'the agent of the configuration whose tools and limits count (default: "default")',
    )
    .option(
      '--session <K>',
      'make the call in the conversation K, whose agent then sees it (default: a new one)',
    )
    .addOption(approveOption('ask a person (default)'))
    .option('--key <WORD>', 'a second call with the same key and arguments gets the run of the first')
    .jsonOption()
    .servedPlaceOptions()
    .examples(
      `detent tools call read_file '{"path":"README.md"}'`,
      `detent tools call calculator '{"expression":"17 * 23"}' --json | jq -r .call.result`,
      'detent tools call write_file @note.json --approve all',
    )
    .performedBy(async () => (await import('./call-tool.ts')).callTool);
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

function useOf({ asks, why, reason, disabled }: ToolView): string {
  if (disabled !== null) return `off (${disabled})`;
  // The row has named the tool.
  const rule = reason?.code === 'tool_default' ? 'tool default' : why;
  return `${askingInWords(asks)} (${rule})`;
}

function askingInWords(asks: boolean | null): string {
  if (asks === null) return 'may ask';
  return asks ? 'asks' : 'does not ask';
}
