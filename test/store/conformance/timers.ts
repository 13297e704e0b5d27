import { beforeEach, describe, expect, it } from 'vitest';
import { isWatched, noDriver } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { give, put, withDrivers, withRuns } from '../rows.ts';
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
    const due = (before: number, limit = 9) => store.query('listSoonestTimers', { before, limit });

    it('is set anew under the same id', async () => {
      await withRuns(store);
      expect(await set(1, 'a', 50)).toBe(1);
      expect(await put(store, 'setTimer', { run: 1, tenant: 1, id: 'a', event: 'other', dueAt: 20 })).toBe(1);
      expect(await list()).toEqual([{ run: 1, id: 'a', event: 'other', dueAt: 20 }]);
      expect(await due(99)).toHaveLength(1);
    });

    it('fires once, and only as it was set last', async () => {
      await withRuns(store);
      await set(1, 'a', 50);
      await set(1, 'a', 60);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 50 })).toBe(0);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 60 })).toBe(1);
      expect(await put(store, 'fireTimer', { run: 1, id: 'a', dueAt: 60 })).toBe(0);
      expect(await due(99)).toEqual([]);
    });

    it('is cleared', async () => {
      await withRuns(store);
      await set(1, 'a', 50);
      expect(await put(store, 'clearTimer', { run: 1, id: 'b' })).toBe(0);
      expect(await put(store, 'clearTimer', { run: 1, id: 'a' })).toBe(1);
      expect(await put(store, 'clearTimer', { run: 1, id: 'a' })).toBe(0);
      expect(await list()).toEqual([]);
      expect(await due(99)).toEqual([]);
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
      const found = await due(30);
      expect(found).toMatchObject([
        { ...timer(2, 'a', 20), tenant: 1, runId: 'r2' },
        { ...timer(1, 'a', 30), tenant: 1, runId: 'r1' },
        { ...timer(1, 'b', 30), tenant: 1, runId: 'r1' },
      ]);
      expect(await due(30, 2)).toEqual(found.slice(0, 2));
      expect(await due(30, 0)).toEqual([]);
      expect(await due(19)).toEqual([]);
    });
  });

  describe('a driver watches the timers', () => {
    const watched = async (me: number, allAtRest: 0 | 1) => {
      const due = await store.query('listDueTimers', { me, last: me, allAtRest, before: 99, limit: 9 });
      const soonest = await store.query('listSoonestTimers', { before: 99, limit: 9 });
      expect(soonest.filter((timer) => isWatched(timer, { me, last: me, allAtRest })).map(idOfRun)).toEqual(
        due.map(idOfRun),
      );
      if (allAtRest === 0)
        expect(await store.query('listDueTimersOf', { me, last: me, before: 99, limit: 9 })).toEqual(due);
      return due.map(({ runId }) => runId);
    };
    const idOfRun = ({ runId }: { runId: string }) => runId;
    const pass = (pk: number, driver: number | null) => put(store, 'passRun', { pk, driver });

    /** Runs with a timer each: of driver 1, of driver 2, at rest after driver 1, at rest after 2, never driven. */
    beforeEach(async () => {
      await withRuns(store, 5);
      await withDrivers(store, 2);
      for (const [pk, me] of [
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 2],
      ] as const)
        await give(store, pk, me);
      for (const pk of [3, 4]) await pass(pk, noDriver);
      for (const run of [1, 2, 3, 4, 5])
        await put(store, 'setTimer', { run, tenant: 1, id: 'a', event: 'a.due', dueAt: 50 - run });
    });

    it('of its runs, and of those at rest that it had last', async () => {
      expect(await watched(1, 0)).toEqual(['r3', 'r1']);
      expect(await watched(2, 0)).toEqual(['r4', 'r2']);
      expect(await watched(3, 0)).toEqual([]);
    });

    it('of all runs at rest if it stands in for those that ended, but not of one that was never driven', async () => {
      expect(await watched(1, 1)).toEqual(['r4', 'r3', 'r1']);
      expect(await watched(3, 1)).toEqual(['r4', 'r3']);
    });

    it('of its own runs in portions, soonest first, also among many of others', async () => {
      const of = async (me: number, before: number, limit: number) =>
        (await store.query('listDueTimersOf', { me, last: me, before, limit })).map(idOfRun);
      expect(await of(1, 99, 1)).toEqual(['r3']);
      expect(await of(1, 47, 9)).toEqual(['r3']);
      expect(await of(1, 46, 9)).toEqual([]);
      const soonest = await store.query('listSoonestTimers', { before: 47, limit: 2 });
      expect(soonest).toEqual([
        { run: 5, id: 'a', event: 'a.due', dueAt: 45, tenant: 1, runId: 'r5', driver: 0, lastDriver: null },
        { run: 4, id: 'a', event: 'a.due', dueAt: 46, tenant: 1, runId: 'r4', driver: 0, lastDriver: 2 },
      ]);
    });

    it('of no run that wants a driver', async () => {
      for (const pk of [1, 3]) await pass(pk, null);
      expect(await watched(1, 0)).toEqual([]);
      expect(await watched(1, 1)).toEqual(['r4']);
    });

    it('of a run from its claim on', async () => {
      await put(store, 'claimRun', { pk: 4, seen: 2, me: 1 });
      expect(await watched(1, 0)).toEqual(['r4', 'r3', 'r1']);
      expect(await watched(2, 0)).toEqual(['r2']);
    });

    it('as many as it asks for, although those of others are due before', async () => {
      const due = await store.query('listDueTimers', { me: 1, last: 1, allAtRest: 0, before: 99, limit: 1 });
      expect(due).toEqual([{ run: 3, id: 'a', event: 'a.due', dueAt: 47, tenant: 1, runId: 'r3' }]);
      expect(
        await store.query('listDueTimers', { me: 1, last: 1, allAtRest: 0, before: 46, limit: 9 }),
      ).toEqual([]);
    });
  });
}
