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
    const open = { ...asked, status: 'open', decision: null };
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
      const again = { kind: 'reconcile', hash: 'ee', body: '{"why":"?"}', askedAt: 20 };
      expect(await put(store, 'insertConfirmation', confirmationInput(again))).toBe(1);
      expect(await find()).toMatchObject({ ...again, status: 'open' });
      expect(await put(store, 'decideConfirmation', { ...answer, status: 'settled' })).toBe(1);
    });

    it('lists those of a run by call', async () => {
      await withRuns(store, 2);
      for (const call of [2, 1]) await put(store, 'insertConfirmation', confirmationInput({ call }));
      await put(store, 'insertConfirmation', confirmationInput({ run: 2 }));
      expect(await store.query('listConfirmations', { run: 1 })).toEqual([open, { ...open, call: 2 }]);
    });

    it('refuses one of no run', () =>
      expectCode(put(store, 'insertConfirmation', confirmationInput()), 'DATABASE_FAILED'));
  });
}
