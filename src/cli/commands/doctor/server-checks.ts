import { PostgresStore } from '../../../store/postgres.ts';
import { type Check, fail, failed, ok, type Subject, warn } from './check.ts';
import { unfinishedRuns } from './run-checks.ts';
import { megabytes } from './workspace-checks.ts';

/** How long a server that does not answer is waited for. */
const patienceMs = 3_000;

const subjects = {
  server: ['database', 'Database'],
  writable: ['database.writable', 'Database writable'],
  schema: ['database.schema', 'Schema'],
  driver: ['database.driver', 'Driver'],
} as const satisfies Record<string, Subject>;

/** Checks a PostgreSQL database, and changes nothing. */
export async function checkServerDatabase(url: string): Promise<{ checks: Check[]; moments: [] }> {
  let store: PostgresStore | undefined;
  try {
    store = new PostgresStore({ url, readonly: true, patienceMs, connections: 2 });
    return { checks: await examine(store), moments: [] };
  } catch (error) {
    return { checks: [failed(subjects.server, error)], moments: [] };
  } finally {
    await store?.close();
  }
}

async function examine(store: PostgresStore): Promise<Check[]> {
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
  if (schema === 'new') return [...checks, ok(subjects.schema, 'none yet; the first run creates its tables')];
  if (schema === 'older')
    return [...checks, warn(subjects.schema, 'that of an older Detent', 'migrate it: detent db migrate')];
  const living = await livingIn(store);
  const driving =
    living.size === 1 ? '1 process drives runs in it' : `${living.size} processes drive runs in it`;
  return [
    ...checks,
    ok(subjects.schema, 'the version that this program uses'),
    ok(subjects.driver, living.size === 0 ? 'no process is driving runs in it' : driving),
    ...(await unfinishedRuns(store, living)).checks,
  ];
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
