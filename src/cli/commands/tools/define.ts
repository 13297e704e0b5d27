import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

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
  performedBy(list, async () => (await import('./tools-command.ts')).listTools);
}
