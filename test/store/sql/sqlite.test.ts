import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { describeStore } from '../conformance.ts';
import { twoTenants } from '../two-tenants.ts';

describeStore('SQLite', async () => openSqlite({ file: await twoTenants(), synchronous: 'NORMAL' }));
describeStore('SQLite without group commit', async () =>
  openSqlite({ file: await twoTenants(), synchronous: 'NORMAL', groupCommit: false }),
);
