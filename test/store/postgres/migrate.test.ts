import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { schema } from '../../../src/store/postgres/schema.ts';
import { openPostgres, PostgresStore } from '../../../src/store/postgres.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { driverInput, put } from '../rows.ts';
import { expectCode } from '../support.ts';

const place = 'postgres://here';
/** What a later Detent would bring. */
const changing = { ...schema, '9998_changing': ['alter table sessions add column changing bigint'] };
const adding = { ...schema, '9999_adding_additive': ['create table labels (name text)'] };

let url: string;
let store: PostgresStore;
let client: pg.Client;

beforeAll(async () => {
  url = await newDatabase();
  store = await openPostgres({ url });
  client = new pg.Client(url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await store.close();
});

const migrations = async () => {
  const [found] = await administer(url, 'select name from detent_migrations order by name');
  return found?.rows.map(({ name }) => name);
};

describe('a database of an older Detent', () => {
  it('is not migrated by who only reads', async () => {
    await expectCode(migrate(client, place, true, changing), 'DATABASE_OLDER');
  });

  it('is not migrated while a driver lives, unless the migration only adds', async () => {
    const presence = store.openPresence();
    const { name } = driverInput();
    await put(store, 'insertDriver', driverInput());
    await presence.hold(name);
    await expectCode(migrate(client, place, false, changing), 'DATABASE_LOCKED');
    expect(await migrations()).toEqual(Object.keys(schema));
    await migrate(client, place, false, adding);
    expect(await migrations()).toEqual(Object.keys(adding));
    await presence.close();
  });

  it('is migrated by one of several that open it at once', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const other = new pg.Client(url);
        await other.connect();
        return other;
      }),
    );
    // The driver of before is dead once the server has noticed the end of its connection.
    await expect
      .poll(async () => {
        // Others of this server hold locks in databases of theirs.
        const [held] = await administer(
          url,
          `select 1 from pg_locks where locktype = 'advisory'
            and database = (select oid from pg_database where datname = current_database())`,
        );
        return held?.rowCount;
      })
      .toBe(0);
    await Promise.all(others.map((other) => migrate(other, place, false, { ...adding, ...changing })));
    await Promise.all(others.map((other) => other.end()));
    expect(await migrations()).toEqual([...Object.keys(schema), '9998_changing', '9999_adding_additive']);
  });
});

describe('a database of a newer Detent', () => {
  it('is refused, but for migrations that only add', async () => {
    await expectCode(openPostgres({ url }), 'DATABASE_NEWER');
    await administer(url, "delete from detent_migrations where name = '9998_changing'");
    const later = await openPostgres({ url });
    expect(await later.query('findDriver', { epoch: 1 })).toBeDefined();
    await later.close();
    const seen = new PostgresStore({ url });
    expect(await seen.examine()).toMatchObject({ schema: 'current', pending: [] });
    await seen.close();
  });
});
