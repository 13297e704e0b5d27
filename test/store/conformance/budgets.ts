import { beforeEach, describe, expect, it } from 'vitest';
import type { In } from '../../../src/store/statements.ts';
import type { Store } from '../../../src/store/store.ts';
import { give, holdInput, put, withDrivers, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeBudgets(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('budgets', () => {
    const key = { tenant: 1, id: 'b1', period: '' };
    const ensure = (over: Partial<In<'ensureBudget'>> = {}) =>
      put(store, 'ensureBudget', { ...key, maxTokens: 500, maxCostUsd: 2, at: 1, ...over });
    const hold = (over: Partial<In<'putHold'>> = {}) => put(store, 'putHold', holdInput(over));
    const find = (over: Partial<In<'findBudget'>> = {}) =>
      store.query('findBudget', { ...key, now: 10, run: 0, n: 0, ...over });
    const fresh = {
      id: 'b1',
      period: '',
      maxTokens: 500,
      maxCostUsd: 2,
      spentTokens: 0,
      spentCostUsd: 0,
      heldTokens: 0,
      heldCostUsd: 0,
      holds: 0,
      updatedAt: 1,
    };

    it('begin unspent, and keep what is spent when their limits change', async () => {
      expect(await find()).toBeUndefined();
      expect(await ensure()).toBe(1);
      expect(await find()).toEqual(fresh);
      expect(await put(store, 'spendBudget', { ...key, tokens: 30, costUsd: 0.5, at: 2 })).toBe(1);
      expect(await put(store, 'spendBudget', { ...key, tokens: 12, costUsd: 0.25, at: 3 })).toBe(1);
      await ensure({ maxTokens: null, maxCostUsd: 3, at: 4 });
      expect(await find()).toEqual({
        ...fresh,
        maxTokens: null,
        maxCostUsd: 3,
        spentTokens: 42,
        spentCostUsd: 0.75,
        updatedAt: 4,
      });
      expect(await put(store, 'spendBudget', { ...key, id: 'b9', tokens: 1, costUsd: 1, at: 2 })).toBe(0);
    });

    it('count what others hold and has not expired', async () => {
      await withRuns(store, 2);
      await ensure();
      await hold();
      await hold({ run: 2, tokens: 7, costUsd: 0.5, expiresAt: 11 });
      await hold({ run: 2, n: 2, tokens: 1_000, expiresAt: 10 });
      await hold({ run: 2, n: 3, budget: 'b2', tokens: 1_000 });
      expect(await find()).toMatchObject({ heldTokens: 57, heldCostUsd: 0.75, holds: 2 });
      expect(await find({ run: 1, n: 1 })).toMatchObject({ heldTokens: 7, holds: 1 });
      expect(await find({ run: 1, n: 2 })).toMatchObject({ heldTokens: 57, holds: 2 });
      expect(await find({ now: 100 })).toMatchObject({ heldTokens: 0, holds: 0 });
    });

    it('hold once for an effect, however often it is said', async () => {
      await withRuns(store);
      await ensure();
      expect(await hold()).toBe(1);
      expect(await hold({ tokens: 70, expiresAt: 200 })).toBe(1);
      const { tenant, ...row } = holdInput({ tokens: 70, expiresAt: 200 });
      expect(await store.query('findHold', { run: 1, n: 1 })).toEqual(row);
      expect(await find()).toMatchObject({ heldTokens: 70, holds: 1 });
      expect(await put(store, 'deleteHold', { run: 1, n: 1 })).toBe(1);
      expect(await put(store, 'deleteHold', { run: 1, n: 1 })).toBe(0);
      expect(await store.query('findHold', { run: 1, n: 1 })).toBeUndefined();
      expect(await find()).toMatchObject({ holds: 0 });
    });

    it('let go of all that a run holds', async () => {
      await withRuns(store, 2);
      await ensure();
      for (const n of [1, 2]) await hold({ n });
      await hold({ run: 2 });
      expect(await put(store, 'deleteHoldsOf', { run: 1 })).toBe(2);
      expect(await put(store, 'deleteHoldsOf', { run: 1 })).toBe(0);
      expect(await find()).toMatchObject({ holds: 1 });
      await expectCode(hold({ run: 9 }), 'DATABASE_FAILED');
    });

    it('forget what was reserved for the runs of a driver, also for those that have ended', async () => {
      await withRuns(store, 4);
      await withDrivers(store, 2);
      for (const [pk, me] of [
        [1, 1],
        [2, 2],
        [3, 1],
      ] as const)
        await give(store, pk, me);
      await ensure();
      for (const run of [1, 2, 3, 4]) await hold({ run });
      const ended = { pk: 3, was: 0, wasDriver: 1, seq: 1, fence: 2, state: '"done"', context: '{}' };
      await put(store, 'endRun', { ...ended, output: null, updatedAt: 12 });
      expect(await put(store, 'deleteHoldsOfDriver', { driver: 3 })).toBe(0);
      expect(await put(store, 'deleteHoldsOfDriver', { driver: 1 })).toBe(2);
      expect(await put(store, 'deleteHoldsOfDriver', { driver: 1 })).toBe(0);
      const left = await Promise.all([1, 2, 3, 4].map((run) => store.query('findHold', { run, n: 1 })));
      expect(left.flatMap((one) => (one ? [one.run] : []))).toEqual([2, 4]);
      expect(await find()).toMatchObject({ holds: 2 });
    });

    it('are listed by name: those that never start anew, and those of the day and the month', async () => {
      await withRuns(store);
      for (const period of ['2026-01', '', '2026-01-02', '2026-01-01', '2025-12']) await ensure({ period });
      await ensure({ id: 'a', at: 7 });
      await hold();
      const listed = await store.query('listBudgets', {
        tenant: 1,
        day: '2026-01-02',
        month: '2026-01',
        now: 10,
      });
      expect(listed.map(({ id, period, holds }) => [id, period, holds])).toEqual([
        ['a', '', 0],
        ['b1', '', 1],
        ['b1', '2026-01', 0],
        ['b1', '2026-01-02', 0],
      ]);
    });

    it('are of one tenant', async () => {
      await withRuns(store);
      await ensure();
      await hold();
      await ensure({ tenant: 2, maxTokens: 9 });
      await put(store, 'spendBudget', { ...key, tenant: 2, tokens: 5, costUsd: 0, at: 2 });
      expect(await find()).toMatchObject({ maxTokens: 500, spentTokens: 0, holds: 1 });
      expect(await find({ tenant: 2 })).toMatchObject({ maxTokens: 9, spentTokens: 5, holds: 0 });
      const theirs = await store.query('listBudgets', { tenant: 2, day: '', month: '', now: 0 });
      expect(theirs).toMatchObject([{ maxTokens: 9, holds: 0 }]);
    });
  });
}
