import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import { ask } from '../../support/ask.ts';
import { isDeep } from '../../support/size.ts';
import { describeCommits } from '../conformance/commits.ts';
import { describeStore } from '../conformance.ts';
import { twoTenants } from '../two-tenants.ts';

describeStore('SQLite', async () => openSqlite({ file: await twoTenants(), synchronous: 'NORMAL' }));
describeStore(
  'SQLite without group commit',
  async () => openSqlite({ file: await twoTenants(), synchronous: 'NORMAL', groupCommit: false }),
  isDeep ? undefined : [describeCommits],
);

it.each([true, false])(
  'tells by its moment of each commit, its own and others’ (group commit: %s)',
  async (groupCommit) => {
    const file = await twoTenants();
    const [one, other] = [await openSqlite({ file, groupCommit }), await openSqlite({ file, groupCommit })];
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()]);
    });
    const moments = [one.moment()];
    for (const store of [one, other, one, other, other]) {
      await store.commit(() =>
        ask('insertSession', { tenant: 1, key: `s${moments.length}`, user: null, at: 1 }),
      );
      const moment = one.moment();
      expect(moments).not.toContain(moment);
      expect(one.moment()).toBe(moment);
      moments.push(moment);
    }
  },
);
