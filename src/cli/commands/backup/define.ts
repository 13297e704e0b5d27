import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

export function defineBackup(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('backup')
    .summary('copy the database while others work on it')
    .description(
      'Copies the database to FILE, also while other processes work on it: the state at one moment, checked, in one file that only you can read. Memory and other files of the workspace are not in it. Use it with --db FILE; like every database that was copied, it resumes unfinished runs only with --here.',
    )
    .argument('<FILE>', 'the file to write; its folder must exist')
    .option('--force', 'replace a file that exists, but no database that is open');
  placeOptions(jsonOption(command));
  examples(command, 'detent backup ~/backups/project.db', 'detent runs list --db ~/backups/project.db');
  performedBy(command, async () => (await import('./backup-command.ts')).backupCommand);
}
