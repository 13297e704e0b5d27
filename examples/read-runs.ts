/**
 * Reads the runs of a database with Kysely.
 *
 *     npm install kysely better-sqlite3
 *     npm install -D @types/better-sqlite3   # for `npx tsc`
 *     node examples/read-runs.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { createDetent } from 'detent';
import type { DetentTables } from 'detent/kysely';
import { Kysely, SqliteDialect } from 'kysely';

const workspace = await mkdtemp(join(tmpdir(), 'detent-example-'));
const detent = createDetent({ workspace, model: 'demo/demo' });
await detent.run('What is 17 * 23?', { sessionId: 'sums' }).result;
await detent.run('write "milk" to list.txt', { sessionId: 'errands' }).result;
// A process that has a Detent open must not open its files by other means; another process may at any time.
await detent.close();

const file = new SQLite(join(workspace, '.detent/detent.db'), { readonly: true });
const database = new Kysely<DetentTables>({ dialect: new SqliteDialect({ database: file }) });
const runs = await database
  .selectFrom('runs')
  .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
  .select(['sessions.key', 'runs.state', 'runs.created_at'])
  .where('runs.tenant_id', '=', 1)
  .orderBy('runs.pk')
  .execute();
for (const { key, state } of runs) console.log(`${key}: ${state}`);

await database.destroy();
await rm(workspace, { recursive: true });
