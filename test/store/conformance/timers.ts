import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeTimers(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('timers', () => {
    const set = (run: number, id: string, dueAt: number) =>
      put(store, 'setTimer', { run, tenant: 1, id, event: `${id}.due`, dueAt });
    const timer = (run: number, id: string, dueAt: number) => ({ run, id, event: `${id}.due`, dueAt });
    const list = () => store.query('listTimers', { run: 1 });

    it('is set anew under the same id', async () => {
      await withRuns(store);
      expect(await set(1, 'a', 50)).toBe(1);
      expect(await put(store, 'setTimer', { run: 1, tenant: 1, id: 'a', event: 'other', dueAt: 20 })).toBe(1);
      expect(await list()).toEqual([{ run: 1, id: 'a', event: 'other', dueAt: 20 }]);
      expect(await store.query('listDueTimers', { from: 0, below: 1e9, before: 99, limit: 9 })).toHaveLength(
        1,
      );
    });

    it('fires once, and only as it was set last', async () => {
      await withRuns(store);
      await set(1, 'a', 50);
      await set(1, 'a', 60);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 50 })).toBe(0);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 60 })).toBe(1);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 60 })).toBe(0);
      expect(await store.query('listDueTimers', { from: 0, below: 1e9, before: 99, limit: 9 })).toEqual([]);
    });

    it('is cleared', async () => {
      await withRuns(store);
      await set(1, 'a', 50);
      expect(await put(store, 'clearTimer', { run: 1, id: 'b' })).toBe(0);
      expect(await put(store, 'clearTimer', { run: 1, id: 'a' })).toBe(1);
      expect(await put(store, 'clearTimer', { run: 1, id: 'a' })).toBe(0);
      expect(await list()).toEqual([]);
      expect(await store.query('nextTimer', { from: 0, below: 1e9 })).toEqual({ dueAt: null });
    });

    it('lists those of a run soonest first', async () => {
      await withRuns(store, 2);
      await set(1, 'c', 30);
      await set(1, 'b', 30);
      await set(1, 'a', 40);
      await set(2, 'a', 10);
      expect(await list()).toEqual([timer(1, 'b', 30), timer(1, 'c', 30), timer(1, 'a', 40)]);
    });

    it('refuses a timer of no run', () => expectCode(set(1, 'a', 50), 'DATABASE_FAILED'));

    it('finds those due by an instant, of all runs, soonest first', async () => {
      await withRuns(store, 2);
      await set(1, 'b', 30);
      await set(2, 'a', 20);
      await set(1, 'a', 30);
      await set(1, 'c', 31);
      const due = await store.query('listDueTimers', { from: 0, below: 1e9, before: 30, limit: 9 });
      expect(due).toEqual([
        { ...timer(2, 'a', 20), tenant: 1, runId: 'r2' },
        { ...timer(1, 'a', 30), tenant: 1, runId: 'r1' },
        { ...timer(1, 'b', 30), tenant: 1, runId: 'r1' },
      ]);
      expect(await store.query('listDueTimers', { from: 0, below: 1e9, before: 30, limit: 2 })).toEqual(
        due.slice(0, 2),
      );
    });

    it('shows a driver only timers of runs that it has', async () => {
      await withRuns(store, 2);
      await set(1, 'a', 20);
      await set(2, 'a', 30);
      await put(store, 'claimRun', { pk: 2, fence: 2_000_001 });
      const fences = { from: 2_000_000, below: 3_000_000 };
      expect(await store.query('listDueTimers', { ...fences, before: 99, limit: 1 })).toEqual([
        { ...timer(2, 'a', 30), tenant: 1, runId: 'r2' },
      ]);
      expect(await store.query('nextTimer', fences)).toEqual({ dueAt: 30 });
      expect(await store.query('nextTimer', { from: 0, below: 1e9 })).toEqual({ dueAt: 20 });
      const later = { from: 3_000_000, below: 4_000_000 };
      expect(await store.query('nextTimer', later)).toEqual({ dueAt: null });
      const earlier = { from: 1_000_000, below: 2_000_000 };
      await set(2, 'b', 10);
      expect(await store.query('nextTimer', earlier)).toEqual({ dueAt: 20 });
      const due = await store.query('listDueTimers', { ...earlier, before: 99, limit: 9 });
      expect(due.map(({ runId }) => runId)).toEqual(['r1']);
    });
  });
}
