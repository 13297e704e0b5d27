import { refuseDriven } from '../../../cluster/living-drivers.ts';
import type { TicketTables } from '../../../cluster/server-drivers.ts';
import { DetentError } from '../../../protocol/error.ts';
import type { DatabaseStatus, PostgresStore } from '../../../store/postgres.ts';
import { counted, isPostgresUrl, shownDatabase } from '../../../text/wording.ts';
import { rememberMade } from '../../../trust/places.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { livingOnServer } from '../doctor/server-checks.ts';
import { megabytes } from '../doctor/workspace-checks.ts';

/** `detent db status`. */
export async function statusCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  requireKept(options);
  if (!hasDatabase(options))
    throw new DetentError(
      'NOT_FOUND',
      `there is no database ${options.database.file} yet; the first run makes it, or: detent db migrate`,
    );
  show(await statusOf(place(options)), flags, io);
  return exit.ok;
}

/** `detent db migrate`. */
export async function migrateCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  requireKept(options);
  // To open a database for writing migrates it.
  await withDetent(options, async () => {});
  const { migrateTickets } = await import('../../../cluster/server-drivers.ts');
  await withServer(place(options), migrateTickets);
  show(await statusOf(place(options)), flags, io);
  return exit.ok;
}

/** `detent db copy FROM TO`. */
export async function copyCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const from = placeOf(word(words, 0, 'FROM'), io);
  const to = placeOf(word(words, 1, 'TO'), io);
  return copyRows(from, to, flags, io);
}

/** Copies one database into another, and says what came of it. */
export async function copyRows(from: string, to: string, flags: Flags, io: Io): Promise<number> {
  await refuseDrivenSource(from);
  const { copyDatabase } = await import('../../../store/postgres.ts');
  const rows = await copyDatabase(from, to, {
    onTable: (table, count) => io.say(`copied ${table}: ${counted(count, 'row')}`),
  });
  if (!isPostgresUrl(to)) rememberMade(to, io.env);
  if (flags.json) io.json({ from: shown(from), to: shown(to), rows });
  else io.out(`${shown(to)}  ${counted(total(rows), 'row')}, each compared with ${shown(from)}\n`);
  return exit.ok;
}

/** `tickets`: the tables of pg-boss on a server. */
type Status = DatabaseStatus & { tickets?: TicketTables['state'] };

export async function statusOf(place: string): Promise<Status> {
  const { databaseStatus } = await import('../../../store/postgres.ts');
  const status = await databaseStatus(place);
  const { examineTickets } = await import('../../../cluster/server-drivers.ts');
  const found = await withServer(place, examineTickets);
  return { ...status, ...(found && { tickets: found.state }) };
}

/** Works with the server of a database; undefined for a file. */
async function withServer<T>(
  place: string,
  work: (store: PostgresStore) => Promise<T>,
): Promise<T | undefined> {
  if (!isPostgresUrl(place)) return undefined;
  const { PostgresStore } = await import('../../../store/postgres.ts');
  const store = new PostgresStore({ url: place, connections: 2 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const place = ({ database }: CliOptions) => database.url ?? database.file;

/** What a database has of the tables of pg-boss. */
const ticketWords: Readonly<Record<TicketTables['state'], string>> = {
  none: 'none, as pg-boss is not installed: processes look at the rows for runs that want one of them',
  new: 'none yet: detent db migrate',
  older: 'of an older pg-boss: detent db migrate',
  current: 'by pg-boss, the version that this program uses',
  newer: 'of a newer pg-boss: upgrade this program',
};

function show(status: Status, flags: Flags, io: Io): void {
  if (flags.json) {
    io.json(status);
    return;
  }
  const { kind, place, version, bytes, pending, rows, tickets } = status;
  const name = kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const schema =
    pending.length === 0
      ? 'the version that this program uses'
      : `lacks ${counted(pending.length, 'migration')} (${pending.join(', ')}): detent db migrate`;
  const lines = Object.entries(rows).map(([table, count]) => `  ${table.padEnd(16)} ${count}`);
  io.out(
    io.asTyped(
      `${place}\n${name} ${version}, ${megabytes(bytes)}\nSchema: ${schema}\n${tickets ? `Tickets: ${ticketWords[tickets]}\n` : ''}Rows:   ${total(rows)}\n${lines.map((line) => `${line}\n`).join('')}`,
    ),
  );
}

const total = (rows: Readonly<Record<string, number>>) =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);

/** @throws DetentError `NO_DATABASE_FILE` for a database in memory, of which each command has its own. */
export function requireKept({ database }: CliOptions): void {
  if (database.url === undefined && database.file === ':memory:')
    throw new DetentError('NO_DATABASE_FILE', 'the database is in memory: each command has an empty one');
}

/** A file, or the address of a server that is typed or in a variable. */
export function placeOf(typed: string, io: Io): string {
  if (isPostgresUrl(typed)) return typed;
  const value = io.env[typed];
  if (value !== undefined && isPostgresUrl(value)) return value;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value ?? typed)) return io.path(typed);
  // Without the address, which may hold a password.
  throw new DetentError(
    'INVALID_ARGUMENTS',
    'a database is named by its file, postgres://user:password@host:port/database, or the name of a variable that holds such an address',
  );
}

const shown = (place: string) => (isPostgresUrl(place) ? shownDatabase(place) : place);

/** Both databases would go on with the same runs. */
async function refuseDrivenSource(from: string): Promise<void> {
  if (!isPostgresUrl(from)) return refuseDriven(from, 'is to be copied');
  if ((await livingOnServer(from)).size === 0) return;
  throw new DetentError(
    'DATABASE_LOCKED',
    `database ${shownDatabase(from)} is to be copied, and another process is at work in it: stop it; then try again`,
    { retryable: true },
  );
}
