import { expect, it } from 'vitest';
import { openDriver } from '../../../src/store/sql/driver-store.ts';
import { openNodeSqlite } from '../../support/node-sqlite.ts';
import { describeStore } from '../conformance.ts';
import { driverInput, put } from '../rows.ts';
import { temporaryFile } from '../support.ts';
import { otherTenant } from '../two-tenants.ts';

describeStore('SQLite over the driver of a host', async () => {
  const store = openDriver(openNodeSqlite(':memory:'), 'memory');
  await put(store, 'insertTenant', otherTenant);
  return store;
});

it('a database over the driver of a host has its rows when it is opened again', async () => {
  const file = await temporaryFile();
  const store = openDriver(openNodeSqlite(file), file);
  await put(store, 'insertDriver', driverInput({ pid: 7 }));
  await store.close();
  const again = openDriver(openNodeSqlite(file), file);
  expect(await again.query('listDrivers', {})).toMatchObject([{ pid: 7 }]);
  await again.close();
});
