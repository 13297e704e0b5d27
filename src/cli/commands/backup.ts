import type { Backup } from '../../store/sqlite.ts';
import { isPostgresUrl } from '../../text/wording.ts';
import { makeFolderOf, rememberMade } from '../../trust/places.ts';
import { reading } from '../drive/with-detent.ts';
import { type Flags, usage, word } from '../settings/flags.ts';
import { type CliOptions, loadOptions } from '../settings/load-options.ts';
import { exit } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { DetentCommand } from './command.ts';

export function defineBackup(program: DetentCommand): void {
  program
    .command('backup')
    .summary('copy the database, even while it is in use')
    .description(
      'Copies a consistent state of the database to FILE, even while other processes work on it, checks the copy, and makes it readable only by you. A PostgreSQL database becomes a SQLite file. "detent restore" brings it back. The copy does not contain memory and other files of the workspace. Use it with --db FILE; like every copied database, it resumes unfinished runs only with --here.',
    )
    .argument('<FILE>', 'the file to write; its folder must exist')
    .option('--force', 'replace an existing file, but not an open database')
    .jsonOption()
    .placeOptions()
    .examples('detent backup ~/backups/project.db', 'detent runs list --db ~/backups/project.db')
    .performedBy(async () => backupCommand);
}

export function defineRestore(program: DetentCommand): void {
  program
    .command('restore')
    .summary('bring a backup back')
    .description(
      'Copies FILE, which "detent backup" made, to where the database belongs. A PostgreSQL database must be empty. Detent compares each row there, and the same command continues a restore that was killed. A SQLite file must not exist yet, or is replaced with --force. At the path where the backup was made, its unfinished runs can be resumed; at another path they need --here. Detent does not know what open calls have done since the backup. Memory and other files of the workspace are not in a backup.',
    )
    .argument('<FILE>', 'the backup: a SQLite file')
    .option('--force', 'replace an existing database file, but not an open one')
    .jsonOption()
    .placeOptions()
    .examples('detent restore ~/backups/project.db', 'detent restore ~/backups/project.db --force')
    .performedBy(async () => restoreCommand);
}

/** `detent backup FILE`. */
async function backupCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = await backupFile(words, io);
  const options = await loadOptions(flags, io);
  const overwrite = flags.force === true;
  const made = await reading(options, (detent) => detent.backup(file, { overwrite }));
  showMade(made, options, flags, io);
  return exit.ok;
}

/** `detent restore FILE`: a copy into a server, and a backup of the backup at the place of a file. */
async function restoreCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const from = await backupFile(words, io);
  const { copyRows, requireKept, statusOf } = await import('./db/db-command.ts');
  const options = await loadOptions(flags, io);
  requireKept(options);
  const { url, file } = options.database;
  if (url !== undefined) {
    if (flags.force) throw usage('--force replaces a file; empty the PostgreSQL database yourself');
    return copyRows(from, url, flags, io);
  }
  // Refuses what is no database of Detent, or of a newer one.
  await statusOf(from);
  makeFolderOf({ ...options, database: file });
  const { backupDatabase } = await import('../../store/sqlite.ts');
  showMade(await backupDatabase(from, file, { overwrite: flags.force === true }), options, flags, io);
  return exit.ok;
}

/** The path of a backup. An address is refused without being shown: it may hold a password. */
async function backupFile(words: readonly string[], io: Io): Promise<string> {
  const { placeOf } = await import('./db/db-command.ts');
  const file = placeOf(word(words, 0, 'FILE'), io);
  if (isPostgresUrl(file)) throw usage('FILE is a SQLite file; a server is copied by: detent db copy');
  return file;
}

function showMade(made: Backup, { env }: CliOptions, flags: Flags, io: Io): void {
  rememberMade(made.file, env);
  if (flags.json) io.json(made);
  else io.out(`${made.file}  ${(made.bytes / 2 ** 20).toFixed(1)} MB\n`);
}
