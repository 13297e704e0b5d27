import type { PgBoss, Queue } from 'pg-boss';
import { DetentError } from '../../protocol/error.ts';
import type { Sql, Store } from '../../store/store.ts';

/** Of the tables of pg-boss. No other program uses it. */
const ticketSchema = 'detent_tickets';

export const queue = 'wanted';

/** The rows are looked at every 15 s, so what is older tells nothing. */
export const queueOptions: Omit<Queue, 'name'> = {
  expireInSeconds: 60,
  retryLimit: 0,
  retentionSeconds: 600,
  deleteAfterSeconds: 60,
};

/** Null where pg-boss is not installed. @param isKeeper whether it removes what is old */
export async function bossOf(sql: Sql, isKeeper: boolean, migrate = false): Promise<PgBoss | null> {
  const { PgBoss } = (await packageThere()) ?? {};
  if (!PgBoss) return null;
  return new PgBoss({
    db: { executeSql: sql },
    schema: ticketSchema,
    migrate,
    supervise: isKeeper,
    schedule: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
}

async function packageThere(): Promise<typeof import('pg-boss') | null> {
  try {
    return await import('pg-boss');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** The version of the tables that the installed pg-boss works with. */
async function ownVersion(): Promise<number> {
  const { default: manifest } = await import('pg-boss/package.json', { with: { type: 'json' } });
  return manifest.pgboss.schema;
}

/** Which tables of pg-boss a database has, beside those that this program's pg-boss needs. */
export interface TicketTables {
  /** `none`: no pg-boss is installed; `new`: it has no tables yet. */
  state: 'none' | 'new' | 'older' | 'current' | 'newer';
}

async function ticketTables(boss: PgBoss): Promise<Exclude<TicketTables['state'], 'none'>> {
  if (!(await boss.isInstalled())) return 'new';
  const version = (await boss.schemaVersion()) ?? 0;
  const own = await ownVersion();
  if (version === own) return 'current';
  return version < own ? 'older' : 'newer';
}

/** Why tickets cannot be used; null when they can. */
export async function ticketsError(boss: PgBoss): Promise<DetentError | null> {
  const state = await ticketTables(boss);
  if (state === 'current') return null;
  if (state === 'newer') return newerTickets();
  return new DetentError(
    'DATABASE_OLDER',
    `pg-boss is installed and has ${state === 'new' ? 'no tables' : 'older tables'} in the database: until "detent db migrate", processes look at the rows alone for runs that want a driver`,
    { details: { schema: ticketSchema } },
  );
}

const newerTickets = () =>
  new DetentError(
    'DATABASE_NEWER',
    `the tables of pg-boss in the schema ${ticketSchema} are those of a newer version: upgrade this program`,
    { details: { schema: ticketSchema } },
  );

type Place = Pick<Store, 'accompany'>;

/** The tables of pg-boss in a database, beside those that the installed pg-boss needs. Only reads. */
export async function examineTickets(store: Place): Promise<TicketTables> {
  const boss = await bossIn(store, false);
  return { state: boss ? await ticketTables(boss) : 'none' };
}

/**
 * Makes the tables of pg-boss, or brings them to the version of the installed one. Does nothing where it is not installed.
 *
 * @throws DetentError `DATABASE_NEWER`
 */
export async function migrateTickets(store: Place): Promise<void> {
  const boss = await bossIn(store, true);
  if (!boss) return;
  const state = await ticketTables(boss);
  if (state === 'newer') throw newerTickets();
  // Without a version it would not make them again, and what they held tells nothing.
  if (state === 'older' && (await boss.schemaVersion()) === null)
    await store.accompany?.(null)(`drop schema ${ticketSchema} cascade`);
  await boss.start();
  await boss.createQueue(queue, queueOptions);
  await boss.stop();
}

async function bossIn(store: Place, migrate: boolean) {
  const sql = store.accompany?.(null);
  return sql ? bossOf(sql, false, migrate) : null;
}
