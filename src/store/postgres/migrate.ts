import type { ClientBase } from 'pg';
import { DetentError } from '../../protocol/error.ts';
import { compareMigrations, isAdditive } from '../schema/migrations.ts';
import { presentDrivers } from './presence.ts';
import { schema } from './schema.ts';

const table = 'detent_migrations';
/** Of the lock under which databases are migrated: any number that nobody else uses. */
const lock = 0x64_65_74;

/** By name, the statements of each migration, in order. */
type Migrations = Readonly<Record<string, readonly string[]>>;

/**
 * Brings a database to this program's schema, forward only, in one transaction and under a lock.
 *
 * @param place the database without its password
 * @param isReadonly of a database that was made already, refuses to change anything
 * @throws DetentError `DATABASE_NEWER` if a newer Detent has migrated it; `DATABASE_FOREIGN` if another program's tables are there;
 * `DATABASE_OLDER` if it needs a migration and is only read; `DATABASE_LOCKED` if it needs one and another process is at work in it.
 */
export async function migrate(
  client: ClientBase,
  place: string,
  isReadonly: boolean,
  known: Migrations = schema,
): Promise<void> {
  // Reads alone where there is nothing to do, so that a user who may not create tables can open it.
  const { schema: state } = await schemaOf(client, place, known);
  if (state === 'current') return;
  if (state === 'older' && isReadonly) throw older(place);
  await client.query('BEGIN');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    await client.query(
      `create table if not exists ${table} (name text collate "C" primary key, at timestamptz not null default now())`,
    );
    const lacking = await missing(client, place, known);
    if (state === 'older' && !lacking.every(isAdditive)) await refuseWhileDriven(client, place);
    for (const name of lacking) {
      for (const statement of known[name] ?? []) await client.query(statement);
      await client.query(`insert into ${table} (name) values ($1)`, [name]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * What a database has of this program's schema: nothing yet, all of it, or that of an older Detent. Only reads.
 *
 * @throws DetentError `DATABASE_NEWER`, `DATABASE_FOREIGN`.
 */
export async function schemaOf(
  client: ClientBase,
  place: string,
  known: Migrations = schema,
): Promise<{ schema: 'new' | 'older' | 'current'; pending: readonly string[] }> {
  const pending = await missing(client, place, known);
  if (pending.length === 0) return { schema: 'current', pending };
  return { schema: pending.length < Object.keys(known).length ? 'older' : 'new', pending };
}

/** Notes how far a copy into a database has come; there is none but while one is being made. */
export const copyTable = 'detent_copy';

/**
 * A database that is only half there must not be driven.
 *
 * @throws DetentError `DATABASE_UNFINISHED`.
 */
export async function refuseCopy(client: ClientBase, place: string): Promise<void> {
  if (!(await isThere(client, copyTable))) return;
  throw new DetentError(
    'DATABASE_UNFINISHED',
    `database ${place} holds a part of a copy: finish it with the same "detent db copy" or "detent restore"`,
    { details: { database: place } },
  );
}

export async function isThere(client: ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 where to_regclass($1) is not null', [name]);
  return rowCount === 1;
}

/** A migration changes what all processes read and write, and so does a copy. */
export async function refuseWhileDriven(client: ClientBase, place: string): Promise<void> {
  const { rows } = await client.query<{ isHeld: boolean }>(presentDrivers);
  if (!rows.some(({ isHeld }) => isHeld)) return;
  throw new DetentError(
    'DATABASE_LOCKED',
    `database ${place} is to change, and another process is at work in it: wait for it to end, or stop it; then try again`,
    { details: { database: place }, retryable: true },
  );
}

const older = (place: string) =>
  new DetentError(
    'DATABASE_OLDER',
    `database ${place} was written by an older Detent; migrate it first: detent db migrate`,
    { details: { database: place } },
  );

async function missing(client: ClientBase, place: string, known: Migrations): Promise<string[]> {
  const names = Object.keys(known);
  const done = await applied(client);
  if (done === null) {
    if (await isThere(client, 'runs'))
      throw new DetentError(
        'DATABASE_FOREIGN',
        `${place} has tables of another program; name another database`,
        { details: { database: place } },
      );
    return names;
  }
  const { newer, missing: lacking } = compareMigrations(names, done);
  if (newer.length > 0)
    throw new DetentError(
      'DATABASE_NEWER',
      `database ${place} was written by a newer Detent (migrations ${newer.join(', ')}); upgrade this program`,
      { details: { database: place, newer } },
    );
  return lacking;
}

/** The migrations that a database has; null for one that no Detent has written. */
async function applied(client: ClientBase): Promise<string[] | null> {
  if (!(await isThere(client, table))) return null;
  const { rows: done } = await client.query<{ name: string }>(`select name from ${table} order by name`);
  return done.map(({ name }) => name);
}
