import { examineTickets, type TicketTables } from '../../../cluster/server-drivers.ts';
import { PostgresStore } from '../../../store/postgres.ts';
import { type Check, fail, failed, ok, type Subject, warn } from './check.ts';
import { checkRuns, type DatabaseReport } from './run-checks.ts';
import { megabytes } from './workspace-checks.ts';

/** How long a server that does not answer is waited for. */
const patienceMs = 3_000;

const subjects = {
  server: ['database', 'Database'],
  writable: ['database.writable', 'Database writable'],
  schema: ['database.schema', 'Schema'],
  driver: ['database.driver', 'Driver'],
  tickets: ['database.tickets', 'Tickets'],
} as const satisfies Record<string, Subject>;

/** Checks a PostgreSQL database, and changes nothing. */
export async function checkServerDatabase(url: string, now: number): Promise<DatabaseReport> {
  let store: PostgresStore | undefined;
  try {
    store = new PostgresStore({ url, readonly: true, patienceMs, connections: 2 });
    return await examine(store, now);
  } catch (error) {
    return { checks: [failed(subjects.server, error)], moments: [] };
  } finally {
    await store?.close();
  }
}

async function examine(store: PostgresStore, now: number): Promise<DatabaseReport> {
  const { place, version, bytes, isReadonly, schema } = await store.examine();
  const checks = [
    ok(subjects.server, `${place}, PostgreSQL ${version}, ${megabytes(bytes)}`),
    isReadonly
      ? fail(
          subjects.writable,
          'the server only reads: it is a replica, or set so',
          'name the primary server',
        )
      : ok(subjects.writable, place),
  ];
  if (schema !== 'current') {
    const found =
      schema === 'new'
        ? ok(subjects.schema, 'none yet; the first run creates its tables')
        : warn(subjects.schema, 'that of an older Detent', 'migrate it: detent db migrate');
    return { checks: [...checks, found], moments: [] };
  }
  const living = await livingIn(store);
  const driving =
    living.size === 1 ? '1 process drives runs in it' : `${living.size} processes drive runs in it`;
  const rows = await checkRuns(store, living, now);
  return {
    checks: [
      ...checks,
      ok(subjects.schema, 'the version that this program uses'),
      ok(subjects.driver, living.size === 0 ? 'no process is driving runs in it' : driving),
      ticketsCheck(await examineTickets(store)),
      ...rows.checks,
    ],
    moments: rows.moments,
  };
}

/** By what several processes learn that a run wants one of them. */
function ticketsCheck({ state }: TicketTables): Check {
  if (state === 'current') return ok(subjects.tickets, 'by pg-boss');
  if (state === 'none')
    return ok(subjects.tickets, 'none: pg-boss is not installed, so processes look at the rows');
  if (state === 'newer')
    return warn(
      subjects.tickets,
      'of a newer pg-boss, so processes look at the rows',
      'upgrade this program',
    );
  const found = state === 'new' ? 'pg-boss has no tables yet' : 'of an older pg-boss';
  return warn(subjects.tickets, `${found}, so processes look at the rows`, 'make them: detent db migrate');
}

/** The epochs of the drivers that live. */
async function livingIn(store: PostgresStore): Promise<ReadonlySet<number>> {
  const presence = store.openPresence();
  const { drivers } = await presence.drivers();
  await presence.close();
  return new Set(drivers.flatMap(({ epoch, isHeld }) => (isHeld ? [epoch] : [])));
}

/** The same of the database at an address; none where there are no tables yet. */
export async function livingOnServer(url: string): Promise<ReadonlySet<number>> {
  const store = new PostgresStore({ url, readonly: true, patienceMs, connections: 2 });
  try {
    const { schema } = await store.examine();
    return schema === 'new' ? new Set() : await livingIn(store);
  } finally {
    await store.close();
  }
}
