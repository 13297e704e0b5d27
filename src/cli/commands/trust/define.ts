import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples } from '../options.ts';

export function defineTrust(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('trust')
    .summary('agree to what a folder brings, list it, or take it back')
    .description(
      "A folder that brings a configuration, a .mcp.json or a .detent folder of somebody else's is used only after you agreed to it on a terminal: Detent lists what it wants and asks once, and again when it changes. Agreements are kept in DETENT_HOME (default: ~/.detent).",
    )
    .argument('[DIR]', 'the folder (default: here)')
    .option('--list', 'the folders that you trust')
    .option('--revoke', 'trust the folder no longer')
    .optionsGroup('Output:')
    .option('--json', 'JSON, for programs');
  examples(
    command,
    'detent trust',
    'detent trust ~/src/their-project',
    'detent trust --list',
    'detent trust --revoke',
  );
  performedBy(command, async () => (await import('./trust-command.ts')).trustCommand);
}
