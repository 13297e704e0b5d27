import type { DetentCommand } from '../command.ts';

export function defineDb(program: DetentCommand): void {
  const db = program.command('db').summary('the database itself: a SQLite file or PostgreSQL');

  db.command('status')
    .summary('kind, version, size and rows of the database')
    .description(
      'Shows the kind of the database, its version and size, the migrations that it lacks, and how many rows each table has. It changes nothing.',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent db status', 'detent db status --json | jq .pending')
    .performedBy(async () => (await import('./db-command.ts')).statusCommand);

  db.command('migrate')
    .summary('bring the database to the version of this program')
    .description(
      'Applies the migrations that the database lacks, in one transaction and under a lock, and makes a database that does not exist yet. Every command that writes does the same. There is no way back: make a backup first.',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent db migrate')
    .performedBy(async () => (await import('./db-command.ts')).migrateCommand);

  db.command('copy')
    .summary('copy a SQLite file into PostgreSQL, or back')
    .description(
      'Copies all rows of FROM, as they are at one moment, into TO, and compares each of them at the end. FROM and TO are each a file, the address of a PostgreSQL database, or the name of a variable that holds one, which keeps the password out of the history of the shell. TO is an empty database, or a file that does not exist yet. No process may drive runs in FROM meanwhile. The same command goes on with a copy that was killed. Memory and other files of the workspace are not copied.',
    )
    .argument('<FROM>', 'a file, postgres://…, or the name of a variable that holds an address')
    .argument('<TO>', 'the same')
    .jsonOption()
    .examples('detent db copy .detent/detent.db DATABASE_URL', 'detent db copy DATABASE_URL moved.db')
    .performedBy(async () => (await import('./db-command.ts')).copyCommand);
}
