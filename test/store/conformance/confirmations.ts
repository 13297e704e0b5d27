import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { confirmationInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeConfirmations(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('confirmations', () => {
    const { tenant, ...asked } = confirmationInput();
    const open = { ...asked, n: 1, status: 'open', decision: null, told: 0, holder: null, heldUntil: null };
    const find = () => store.query('findConfirmation', { run: 1, call: 1 });

    it('is open until it is decided', async () => {
      await withRuns(store);
      expect(await put(store, 'insertConfirmation', confirmationInput())).toBe(1);
      expect(await find()).toEqual(open);
      expect(await store.query('findConfirmation', { run: 1, call: 2 })).toBeUndefined();
    });

    it('takes the first answer', async () => {
      await withRuns(store);
      await put(store, 'insertConfirmation', confirmationInput());
      const answer = { run: 1, call: 1, status: 'approved', decision: '"yes"' } as const;
      expect(await put(store, 'decideConfirmation', answer)).toBe(1);
      expect(
        await put(store, 'decideConfirmation', { ...answer, status: 'rejected', decision: '"no"' }),
      ).toBe(0);
      expect(await put(store, 'decideConfirmation', { ...answer, call: 2 })).toBe(0);
      expect(await find()).toEqual({ ...open, status: 'approved', decision: '"yes"' });
    });

    it('opens anew when a decided call is asked about again', async () => {
      await withRuns(store);
      await put(store, 'insertConfirmation', confirmationInput());
      const answer = { run: 1, call: 1, status: 'approved', decision: '"yes"' } as const;
      await put(store, 'decideConfirmation', answer);
      const again = { kind: 'reconcile' as const, hash: 'ee', body: '{"why":"?"}', askedAt: 20 };
      expect(await put(store, 'insertConfirmation', confirmationInput(again))).toBe(1);
      const second = { ...open, ...again, n: 2 };
      expect(await find()).toEqual(second);
      expect(await put(store, 'decideConfirmation', { ...answer, status: 'settled' })).toBe(1);
    });

    it('has no decision while it is open, whatever was written before', async () => {
      await withRuns(store);
      await put(store, 'insertConfirmation', confirmationInput());
      await put(store, 'decideConfirmation', { run: 1, call: 1, status: 'open', decision: '"odd"' });
      await put(store, 'insertConfirmation', confirmationInput());
      expect(await find()).toEqual(open);
    });

    it('keeps who decided when a decided call is asked about again', async () => {
      await withRuns(store);
      const decisions = [
        ['confirm', '"ada"'],
        ['question', '"bob"'],
        ['reconcile', '"eve"'],
      ] as const;
      for (const [kind, decision] of decisions) {
        await put(store, 'insertConfirmation', confirmationInput({ kind }));
        await put(store, 'decideConfirmation', { run: 1, call: 1, status: 'approved', decision });
      }
      expect(await store.query('listConfirmations', { run: 1 })).toMatchObject(
        decisions.map(([kind, decision], i) => ({ call: 1, n: i + 1, kind, status: 'approved', decision })),
      );
    });

    it('replaces a question that nobody has decided', async () => {
      await withRuns(store);
      const first = { run: 1, call: 1, status: 'rejected', decision: '"no"' } as const;
      await put(store, 'insertConfirmation', confirmationInput());
      await put(store, 'decideConfirmation', first);
      await put(store, 'insertConfirmation', confirmationInput({ kind: 'question' }));
      await put(
        store,
        'insertConfirmation',
        confirmationInput({ kind: 'reconcile', hash: 'ee', askedAt: 20 }),
      );
      expect(await store.query('listConfirmations', { run: 1 })).toEqual([
        { ...open, status: 'rejected', decision: '"no"' },
        { ...open, n: 2, kind: 'reconcile', hash: 'ee', askedAt: 20 },
      ]);
    });

    it('lists those of a run by call', async () => {
      await withRuns(store, 2);
      for (const call of [2, 1]) await put(store, 'insertConfirmation', confirmationInput({ call }));
      await put(store, 'insertConfirmation', confirmationInput({ run: 2 }));
      expect(await store.query('listConfirmations', { run: 1 })).toEqual([open, { ...open, call: 2 }]);
    });

    it('is to be told while it is open, and once more when it is decided', async () => {
      await withRuns(store, 2);
      const untold = () => store.query('listUntold', { after: 0, limit: 9 });
      await put(store, 'insertConfirmation', confirmationInput());
      await put(store, 'insertConfirmation', confirmationInput({ run: 2 }));
      expect(await untold()).toMatchObject([
        { ...open, tenant: 1, runId: 'r1', lastDriver: null },
        { run: 2, runId: 'r2' },
      ]);
      expect(await put(store, 'markTold', { run: 1, call: 1, n: 1, told: 1 })).toBe(1);
      expect((await untold()).map(({ run }) => run)).toEqual([2]);
      const decided = { call: 1, status: 'approved', decision: '"yes"' } as const;
      for (const run of [1, 2]) await put(store, 'decideConfirmation', { ...decided, run });
      // Of the second one nobody was told that it waits.
      expect((await untold()).map(({ run }) => run)).toEqual([1]);
      await put(store, 'markTold', { run: 1, call: 1, n: 1, told: 2 });
      expect(await untold()).toEqual([]);
    });

    it('is held by one at a time, until that one releases it, its time is over or the call is asked about anew', async () => {
      await withRuns(store);
      await put(store, 'insertConfirmation', confirmationInput());
      const hold = (holder: string, now: number) =>
        put(store, 'holdCall', { run: 1, call: 1, holder, until: now + 10, now });
      const release = (holder: string) => put(store, 'releaseCall', { run: 1, call: 1, holder });
      expect([await hold('a', 1), await hold('b', 10), await hold('a', 5), await hold('b', 14)]).toEqual([
        1, 0, 1, 0,
      ]);
      expect(await find()).toMatchObject({ holder: 'a', heldUntil: 15 });
      expect(await hold('b', 15)).toBe(1);
      expect([await release('a'), await release('b'), await release('b')]).toEqual([0, 1, 0]);
      await hold('a', 20);
      await put(store, 'insertConfirmation', confirmationInput());
      expect(await find()).toMatchObject({ holder: null, heldUntil: null });
    });

    it('refuses one of no run', () =>
      expectCode(put(store, 'insertConfirmation', confirmationInput()), 'DATABASE_FAILED'));
  });
}
