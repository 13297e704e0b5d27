import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { eventInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeEvents(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('events', () => {
    const seqs = async (after: number, limit: number) =>
      (await store.query('listEvents', { run: 1, after, limit })).map(({ seq }) => seq);

    it('reads them in order, after one, up to a number', async () => {
      await withRuns(store, 2);
      for (const seq of [3, 1, 2]) expect(await put(store, 'insertEvent', eventInput({ seq }))).toBe(1);
      await put(store, 'insertEvent', eventInput({ run: 2, seq: 1 }));
      expect(await seqs(0, 9)).toEqual([1, 2, 3]);
      expect(await seqs(1, 1)).toEqual([2]);
      expect(await seqs(3, 9)).toEqual([]);
      const { tenant, inFeed, ...row } = eventInput({ seq: 3 });
      expect(await store.query('listEvents', { run: 1, after: 2, limit: 9 })).toEqual([row]);
    });

    it('reads a page of them: up to the one that fills it, however long', async () => {
      await withRuns(store, 1);
      for (const [seq, length] of [
        [1, 10],
        [2, 10],
        [3, 500],
        [4, 10],
      ] as const)
        await put(store, 'insertEvent', eventInput({ seq, body: JSON.stringify('x'.repeat(length)) }));
      const page = async (after: number, maxBytes: number) =>
        (await store.query('listEvents', { run: 1, after, limit: 9, maxBytes })).map(({ seq }) => seq);
      expect(await page(0, 20)).toEqual([1, 2]);
      expect(await page(2, 20)).toEqual([3]);
      expect(await page(3, 20)).toEqual([4]);
      expect(await page(0, 5_000)).toEqual([1, 2, 3, 4]);
    });

    it('knows where a log can be folded from', async () => {
      await withRuns(store, 1);
      for (const seq of [1, 2, 3]) await put(store, 'insertEvent', eventInput({ seq, type: 'went' }));
      await put(store, 'insertEvent', eventInput({ seq: 4, type: 'run.migrated' }));
      expect((await store.query('listFoldStarts', { run: 1 })).map(({ seq }) => seq)).toEqual([1, 4]);
    });

    it('copies a log up to a transition', async () => {
      await withRuns(store, 2);
      for (const seq of [1, 2, 3]) await put(store, 'insertEvent', eventInput({ seq }));
      const copy = { from: 1, run: 2, tenant: 1, upTo: 2 };
      expect(await put(store, 'copyEvents', copy)).toBe(2);
      const rows = await store.query('listEvents', { run: 2, after: 0, limit: 9 });
      expect(rows).toEqual(
        (await store.query('listEvents', { run: 1, after: 0, limit: 2 })).map((row) => ({ ...row, run: 2 })),
      );
      await expectCode(put(store, 'copyEvents', copy), 'DATABASE_FAILED');
    });

    it('reads the paths of single ones, of several runs at once', async () => {
      await withRuns(store, 2);
      for (const seq of [1, 2, 3]) await put(store, 'insertEvent', eventInput({ seq }));
      await put(store, 'insertEvent', eventInput({ run: 2, seq: 1 }));
      const places = JSON.stringify([
        [2, 1],
        [1, 3],
        [1, 1],
        [7, 1],
      ]);
      const paths = await store.query('listPaths', { places });
      expect(paths.map(({ run, seq }) => [run, seq])).toEqual([
        [1, 1],
        [1, 3],
        [2, 1],
      ]);
      expect(Object.keys(paths[0] ?? {}).sort()).toEqual(['at', 'path', 'run', 'seq']);
      expect(await store.query('listPaths', { places: '[]' })).toEqual([]);
    });

    it('refuses a second event with the same place', async () => {
      await withRuns(store, 2);
      await put(store, 'insertEvent', eventInput({ seq: 1 }));
      await expectCode(put(store, 'insertEvent', eventInput({ seq: 1 })), 'DATABASE_FAILED');
      await put(store, 'insertEvent', eventInput({ run: 2, seq: 1 }));
      expect(await seqs(0, 9)).toEqual([1]);
    });

    it('refuses an event of no run', () =>
      expectCode(put(store, 'insertEvent', eventInput()), 'DATABASE_FAILED'));
  });
}
