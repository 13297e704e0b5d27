import type { Command } from 'commander';
import { rememberMade } from '../../trust/places.ts';
import { reading } from '../drive/with-detent.ts';
import { type Flags, word } from '../settings/flags.ts';
import { loadOptions } from '../settings/load-options.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { PerformedBy } from './command.ts';
import { examples, jsonOption, placeOptions } from './options.ts';

export function defineBackup(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('backup')
    .summary('copy the database, even while it is in use')
    .description(
      'Copies a consistent state of the database to FILE, even while other processes work on it, checks the copy, and makes it readable only by you. A PostgreSQL database becomes a SQLite file, which "detent db copy" brings back. The copy does not contain memory and other files of the workspace. Use it with --db FILE; like every copied database, it resumes unfinished runs only with --here.',
    )
    .argument('<FILE>', 'the file to write; its folder must exist')
    .option('--force', 'replace an existing file, but not an open database');
  placeOptions(jsonOption(command));
  examples(command, 'detent backup ~/backups/project.db', 'detent runs list --db ~/backups/project.db');
  performedBy(command, async () => backupCommand);
}

/** `detent backup FILE`. */
async function backupCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = io.path(word(words, 0, 'FILE'));
  const options = await loadOptions(flags, io);
  const overwrite = flags.force === true;
  const made = await reading(options, (detent) => detent.backup(file, { overwrite }));
  rememberMade(made.file, options.env);
  if (flags.json) io.json(made);
  else io.out(`${made.file}  ${(made.bytes / 2 ** 20).toFixed(1)} MB\n`);
  return exit.ok;
}
