import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { driversFolder, lockFileOf } from '../../src/cluster/driver-files.ts';
import { isDriven } from '../../src/cluster/living-drivers.ts';
import { takeFileLock } from '../../src/store/sql/file-lock.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';

it('knows the drivers of a database from those of another one in the same folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'detent-drivers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [mine, other] = [join(folder, 'mine.db'), join(folder, 'other.db')];
  for (const file of [mine, other]) await (await openSqlite({ file })).close();
  await mkdir(driversFolder(mine));
  const lock = takeFileLock(lockFileOf(mine, 'drv_1'));
  expect([isDriven(mine), isDriven(other)]).toEqual([true, false]);
  lock?.release();
  expect(isDriven(mine)).toBe(false);
});
