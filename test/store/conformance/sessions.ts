import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/engine/store.ts';
import { put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeSessions(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('sessions', () => {
    it('begins with its head before everything', async () => {
      const made = await put(store, 'insertSession', { tenant: 1, key: 's1', at: 5 });
      expect(made).toEqual({ pk: 1 });
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toEqual({
        pk: 1,
        headRun: 0,
        headSeq: 0,
      });
    });

    it('moves the head', async () => {
      await put(store, 'insertSession', { tenant: 1, key: 's1', at: 5 });
      expect(await put(store, 'moveSessionHead', { session: 1, run: 3, seq: 7 })).toBe(1);
      expect(await store.query('findSession', { tenant: 1, key: 's1' })).toEqual({
        pk: 1,
        headRun: 3,
        headSeq: 7,
      });
      expect(await put(store, 'moveSessionHead', { session: 9, run: 3, seq: 7 })).toBe(0);
    });

    it('has one session for a key and a tenant', async () => {
      await put(store, 'insertSession', { tenant: 1, key: 's1', at: 5 });
      await expectCode(put(store, 'insertSession', { tenant: 1, key: 's1', at: 6 }), 'DATABASE_FAILED');
      expect(await put(store, 'insertSession', { tenant: 2, key: 's1', at: 6 })).toEqual({ pk: 2 });
    });

    it('lists the newest first, with their number of runs', async () => {
      await withRuns(store, 2);
      await put(store, 'insertSession', { tenant: 1, key: 's2', at: 6 });
      const [newer, older] = [
        { pk: 2, key: 's2', createdAt: 6, runs: 0 },
        { pk: 1, key: 's1', createdAt: 5, runs: 2 },
      ];
      expect(await store.query('listSessions', { tenant: 1, limit: 9 })).toEqual([newer, older]);
      expect(await store.query('listSessions', { tenant: 1, limit: 1 })).toEqual([newer]);
      expect(await store.query('listSessions', { tenant: 1, limit: 0 })).toEqual([]);
    });
  });
}
