import { openPostgres } from '../../../src/store/postgres.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { describeStore } from '../conformance.ts';
import { put } from '../rows.ts';
import { otherTenant } from '../two-tenants.ts';

let database: Promise<string> | undefined;

/** An empty database with two tenants: emptying one takes less time than making one. */
async function emptied(): Promise<string> {
  const isNew = database === undefined;
  database ??= newDatabase();
  const url = await database;
  if (!isNew)
    await administer(
      url,
      `do $$ begin execute (
        select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity cascade'
          from pg_tables where schemaname = 'public' and tablename <> 'detent_migrations'); end $$`,
      `insert into tenants (name) values ('default')`,
    );
  return url;
}

describeStore('PostgreSQL', async () => {
  const store = await openPostgres({ url: await emptied() });
  await put(store, 'insertTenant', otherTenant);
  return store;
});
