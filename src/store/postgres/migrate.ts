import type { ClientBase } from 'pg';
import { DetentError } from '../../protocol/error.ts';
import { presentDrivers } from './presence.ts';
import { schema } from './schema.ts';

const table = 'detent_migrations';
/** Of the lock under which databases are migrated: any number that nobody else uses. */
const lock = 0x64_65_74;

const names = Object.keys(schema);

/**
 * Brings a database to this program's schema, forward only, in one transaction and under a lock.
 *
 * @param place the database without its password
 * @param isReadonly of a database that was made already, refuses to change anything
 * @throws DetentError `DATABASE_NEWER` if a newer Detent has migrated it; `DATABASE_FOREIGN` if another program's tables are there;
 * `DATABASE_OLDER` if it needs a migration and is only read; `DATABASE_LOCKED` if it needs one and another process is at work in it.
 */
export async function migrate(client: ClientBase, place: string, isReadonly: boolean): Promise<void> {
  // Reads alone where there is nothing to do, so that a user who may not create tables can open it.
  const state = await schemaOf(client, place);
  if (state === 'current') return;
  if (state === 'older' && isReadonly) throw older(place);
  await client.query('BEGIN');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    await client.query(
      `create table if not exists ${table} (name text collate "C" primary key, at timestamptz not null default now())`,
    );
    if (state === 'older') await refuseWhileDriven(client, place);
    for (const name of await missing(client, place)) {
      for (const statement of schema[name] ?? []) await client.query(statement);
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
export async function schemaOf(client: ClientBase, place: string): Promise<'new' | 'older' | 'current'> {
  const lacking = (await missing(client, place)).length;
  if (lacking === 0) return 'current';
  return lacking < names.length ? 'older' : 'new';
}

/** A migration changes what all processes read and write. */
async function refuseWhileDriven(client: ClientBase, place: string): Promise<void> {
  const { rows } = await client.query<{ isHeld: boolean }>(presentDrivers);
  if (!rows.some(({ isHeld }) => isHeld)) return;
  throw new DetentError(
    'DATABASE_LOCKED',
    `database ${place} is of an older version, and another process is at work in it: wait for it to end, or stop it; then try again`,
    { details: { database: place }, retryable: true },
  );
}

const older = (place: string) =>
  new DetentError(
    'DATABASE_OLDER',
    `database ${place} was written by an older Detent; migrate it first with a command that writes: detent runs resume --all`,
    { details: { database: place } },
  );

async function missing(client: ClientBase, place: string): Promise<string[]> {
  const done = await applied(client);
  if (done === null) {
    const { rowCount } = await client.query("select 1 where to_regclass('runs') is not null");
    if (rowCount)
      throw new DetentError(
        'DATABASE_FOREIGN',
        `${place} has tables of another program; name another database`,
        { details: { database: place } },
      );
    return names;
  }
  const newer = done.filter((name) => !names.includes(name));
  if (newer.length > 0)
    throw new DetentError(
      'DATABASE_NEWER',
      `database ${place} was written by a newer Detent (migrations ${newer.join(', ')}); upgrade this program`,
      { details: { database: place, newer } },
    );
  return names.filter((name) => !done.includes(name));
}

/** The migrations that a database has; null for one that no Detent has written. */
async function applied(client: ClientBase): Promise<string[] | null> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ]);
  if (!rows[0]?.there) return null;
  const { rows: done } = await client.query<{ name: string }>(`select name from ${table} order by name`);
  return done.map(({ name }) => name);
}
