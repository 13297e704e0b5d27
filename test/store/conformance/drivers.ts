import { beforeEach, describe, expect, it } from 'vitest';
import type { DriverRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { driverInput, endRun, give, idOf, put, withDrivers, withRuns } from '../rows.ts';

export function describeDrivers(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('drivers', () => {
    const find = (epoch: number) => store.query('findDriver', { epoch });
    const driverOf = async (id: string) => (await store.query('loadRun', { tenant: 1, id }))?.driver;
    const first: DriverRow = {
      epoch: 1,
      pid: 70,
      startedAt: 1,
      endedAt: null,
      name: 'drv_a',
      address: null,
      token: '',
      lastError: null,
    };

    it('are numbered from 1, and read back', async () => {
      expect(await store.query('listDrivers', {})).toEqual([]);
      expect(await put(store, 'insertDriver', driverInput())).toEqual({ epoch: 1 });
      const other = { pid: 50, name: 'drv_b', address: '/tmp/b.sock', token: 'secret', at: 2 };
      expect(await put(store, 'insertDriver', other)).toEqual({ epoch: 2 });
      expect(await find(1)).toEqual(first);
      const { at, ...said } = other;
      expect(await find(2)).toEqual({ ...first, epoch: 2, ...said, startedAt: at });
      expect(await find(3)).toBeUndefined();
      expect(await find(0)).toBeUndefined();
    });

    it('keep the error because of which they gave a fact up', async () => {
      await put(store, 'insertDriver', driverInput());
      expect(await put(store, 'noteDriverError', { epoch: 1, error: '{}' })).toBe(1);
      expect(await put(store, 'noteDriverError', { epoch: 2, error: '{}' })).toBe(0);
      expect(await find(1)).toEqual({ ...first, lastError: '{}' });
    });

    it('end once, for ever, and their numbers do not come again', async () => {
      await withDrivers(store, 3);
      expect(await put(store, 'endDriver', { epoch: 3, at: 12 })).toBe(1);
      expect(await put(store, 'endDriver', { epoch: 3, at: 13 })).toBe(0);
      expect(await put(store, 'endDriver', { epoch: 4, at: 12 })).toBe(0);
      expect((await find(3))?.endedAt).toBe(12);
      expect((await store.query('listDrivers', {})).map(({ epoch }) => epoch)).toEqual([1, 2]);
      expect(await put(store, 'insertDriver', driverInput())).toEqual({ epoch: 4 });
      expect((await store.query('listDrivers', {})).map(({ epoch }) => epoch)).toEqual([1, 2, 4]);
    });

    it('leave all runs that have not ended to others, once', async () => {
      await withRuns(store, 5);
      await withDrivers(store, 2);
      await endRun(store, 5);
      for (const pk of [1, 2]) await give(store, pk, 1);
      await give(store, 3, 2);
      const ended = { pk: 2, was: 0, wasDriver: 1, seq: 1, fence: 2, state: '"done"', context: '{}' };
      await put(store, 'endRun', { ...ended, output: null, updatedAt: 12 });
      expect(await put(store, 'abandonRunsOf', { driver: 1 })).toBe(1);
      expect(await put(store, 'abandonRunsOf', { driver: 1 })).toBe(0);
      expect(await Promise.all(['r1', 'r2', 'r3', 'r4', 'r5'].map(driverOf))).toEqual([null, 1, 2, 0, 0]);
      expect(await store.query('loadRun', { tenant: 1, id: 'r1' })).toMatchObject({
        lastDriver: 1,
        fence: 2,
      });
      expect((await store.query('listAbandonedRuns', { after: 0, limit: 9 })).map(idOf)).toEqual(['r1']);
    });
  });
}
