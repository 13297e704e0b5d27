import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { endRun, idOf, put, runInput, withRuns } from '../rows.ts';

export function describeLanes(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('lanes', () => {
    it('knows the last place of a lane', async () => {
      expect((await store.query('lastOrdinal', { session: 1 }))?.ordinal).toBeNull();
      await withRuns(store, 3);
      await endRun(store, 3);
      expect(await store.query('lastOrdinal', { session: 1 })).toEqual({ ordinal: 3 });
    });

    it('is headed by the first run that has not ended', async () => {
      await withRuns(store, 3);
      const head = async () => (await store.query('laneHead', { session: 1 }))?.id;
      expect(await head()).toBe('r1');
      await endRun(store, 2);
      expect(await head()).toBe('r1');
      await endRun(store, 1);
      expect(await head()).toBe('r3');
      await endRun(store, 3);
      expect(await head()).toBeUndefined();
    });

    it('is in order of its places, not of writing', async () => {
      await withRuns(store, 0);
      for (const ordinal of [3, 1, 2])
        await put(store, 'insertRun', runInput({ id: `r${ordinal}`, ordinal }));
      expect(await store.query('laneHead', { session: 1 })).toMatchObject({ id: 'r1', pk: 2 });
      expect((await store.query('listActiveRunsOf', { session: 1 })).map(idOf)).toEqual(['r1', 'r2', 'r3']);
      expect((await store.query('listRunsOf', { session: 1, limit: 2 })).map(idOf)).toEqual(['r3', 'r2']);
    });

    it('lists what has not ended, lane by lane, of every tenant', async () => {
      await withRuns(store, 3);
      await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
      await put(store, 'insertRun', runInput({ tenant: 2, id: 'other', session: 2 }));
      await put(store, 'insertRun', runInput({ id: 'r4', ordinal: 4 }));
      await put(store, 'insertRun', runInput({ id: 'r5', ordinal: 5, ended: 1 }));
      await endRun(store, 2);
      expect((await store.query('listActiveRuns', {})).map(idOf)).toEqual(['r1', 'r3', 'r4', 'other']);
      expect((await store.query('listActiveRunsOf', { session: 1 })).map(idOf)).toEqual(['r1', 'r3', 'r4']);
      expect((await store.query('listActiveRunsOf', { session: 2 })).map(idOf)).toEqual(['other']);
    });
  });
}
