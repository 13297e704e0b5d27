import { openPostgres } from '../../../src/store/postgres.ts';
import { administer, newDatabase } from '../../support/postgres.ts';
import { isDeep } from '../../support/size.ts';
import { describeClaims } from '../conformance/claims.ts';
import { describeCommits } from '../conformance/commits.ts';
import { describeEffects } from '../conformance/effects.ts';
import { describeLanes } from '../conformance/lanes.ts';
import { describeRuns } from '../conformance/runs.ts';
import { describeSessions } from '../conformance/sessions.ts';
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
      // Without foreign keys, in any order: to truncate some thirty tables takes ten times as long.
      `do $$ declare emptied text; begin
        set local session_replication_role = replica;
        for emptied in select tablename from pg_tables where schemaname = 'public' and tablename <> 'detent_migrations' loop
          execute format('delete from %I', emptied);
        end loop;
        perform setval(seqrelid, 1, false) from pg_sequence;
      end $$`,
      `insert into tenants (name) values ('default')`,
    );
  return url;
}

/** What runs live by; random programs have every statement. */
const daily = isDeep
  ? undefined
  : [describeSessions, describeRuns, describeLanes, describeClaims, describeEffects, describeCommits];

describeStore(
  'PostgreSQL',
  async () => {
    const store = await openPostgres({ url: await emptied() });
    await put(store, 'insertTenant', otherTenant);
    return store;
  },
  daily,
);
