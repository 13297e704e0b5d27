import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { put, withRuns } from '../rows.ts';
import { expectCode, opened, temporaryFile } from '../support.ts';

it('a group of commits waits once, not once each, for a lock that some other program keeps', async () => {
  const file = await temporaryFile();
  const store = await withRuns(await opened({ file }));
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const began = Date.now();
  const refused = [1, 2, 3].map(() => put(store, 'countFault', { pk: 1 }));
  await Promise.allSettled(refused);
  expect(Date.now() - began).toBeLessThan(9_000);
  for (const one of refused) await expectCode(one, 'DATABASE_BUSY');
  other.exec('ROLLBACK');
  expect(await put(store, 'countFault', { pk: 1 })).toBe(1);
  expect(await store.query('loadRun', { tenant: 1, id: 'r1' })).toMatchObject({ faults: 1 });
});
