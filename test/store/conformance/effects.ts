import { beforeEach, describe, expect, it } from 'vitest';
import type { EffectStatus } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { effectInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

const effectStatuses: EffectStatus[] = [
  'held',
  'pending',
  'started',
  'linked',
  'uncertain',
  'done',
  'cancelled',
];

export function describeEffects(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('effects', () => {
    const find = () => store.query('findEffect', { run: 1, n: 1 });
    const { tenant, at, ...row } = effectInput();

    it('reads back what was written', async () => {
      await withRuns(store);
      expect(await put(store, 'insertEffect', effectInput({ input: 'secret' }))).toBe(1);
      expect(await find()).toEqual({ ...row, input: 'secret' });
      expect(await store.query('findEffect', { run: 1, n: 2 })).toBeUndefined();
      await expectCode(put(store, 'insertEffect', effectInput()), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertEffect', effectInput({ run: 9 })), 'DATABASE_FAILED');
    });

    it.each(effectStatuses.flatMap((status) => [-1, 0, 1].map((newer) => ({ status, newer }))))(
      'starts from $status with a fence $newer newer as it should',
      async ({ status, newer }) => {
        await withRuns(store);
        await put(store, 'insertEffect', effectInput({ status, attempt: 1 }));
        const fence = row.fence + newer;
        const start = { run: 1, n: 1, driver: 2, fence, status: 'started', attempts: 1, at: 12 } as const;
        const may = ['held', 'pending', 'uncertain'].includes(status) || (status === 'started' && newer > 0);
        expect(await put(store, 'startEffect', start)).toBe(may ? 1 : 0);
        expect(await find()).toEqual(
          may ? { ...row, status: 'started', driver: 2, fence, attempt: 2 } : { ...row, status },
        );
      },
    );

    it('counts no attempt when it is left for a driver', async () => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ status: 'held', attempt: 0, driver: null }));
      const left = { driver: null, fence: row.fence, status: 'pending', attempts: 0 } as const;
      await put(store, 'startEffect', { run: 1, n: 1, ...left, at: 12 });
      expect(await find()).toEqual({ ...row, driver: null, status: 'pending', attempt: 0 });
    });

    it.each(effectStatuses.flatMap((status) => [-1, 0, 1].map((newer) => ({ status, newer }))))(
      'gives an attempt back from $status under a fence $newer newer only if it is its own',
      async ({ status, newer }) => {
        await withRuns(store);
        await put(store, 'insertEffect', effectInput({ status, attempt: 1 }));
        const may = status === 'started' && newer === 0;
        const given = { run: 1, n: 1, fence: row.fence + newer };
        expect(await put(store, 'uncountAttempt', given)).toBe(may ? 1 : 0);
        expect(await put(store, 'uncountAttempt', given)).toBe(0);
        expect((await find())?.attempt).toBe(may ? 0 : 1);
      },
    );

    it.each(['done', 'cancelled', 'uncertain', 'linked'] as const)(
      'that settle as %s lose their bytes to execute, unless they may be executed again',
      async (status) => {
        await withRuns(store);
        await put(store, 'insertEffect', effectInput({ status: 'started', input: 'secret' }));
        await put(store, 'settleEffect', { run: 1, n: 1, status, at: 12 });
        const kept: EffectStatus[] = ['uncertain', 'linked'];
        expect(await find()).toMatchObject({ status, input: kept.includes(status) ? 'secret' : null });
      },
    );

    it('that are closed lose them, too', async () => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ status: 'held', input: 'secret' }));
      await put(store, 'closeEffect', { run: 1, n: 1, at: 12 });
      expect(await find()).toMatchObject({ status: 'cancelled', input: null });
    });

    it.each(effectStatuses)('settles from %s only if it is started or linked', async (status) => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ status }));
      const may = status === 'started' || status === 'linked';
      expect(await put(store, 'settleEffect', { run: 1, n: 1, status: 'uncertain', at: 12 })).toBe(
        may ? 1 : 0,
      );
      expect(await find()).toEqual({ ...row, status: may ? 'uncertain' : status });
    });

    it('is linked once, and then settled once', async () => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ input: 'bytes' }));
      const settle = (status: EffectStatus) => put(store, 'settleEffect', { run: 1, n: 1, status, at: 12 });
      expect([await settle('linked'), await settle('linked')]).toEqual([1, 0]);
      expect(await find()).toMatchObject({ status: 'linked', attempt: 1, input: 'bytes' });
      expect([await settle('done'), await settle('done'), await settle('linked')]).toEqual([1, 0, 0]);
      expect(await find()).toMatchObject({ status: 'done', input: null });
    });

    it.each(effectStatuses)('closes from %s only if it is open', async (status) => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ status }));
      const may = status !== 'done' && status !== 'cancelled';
      expect(await put(store, 'closeEffect', { run: 1, n: 1, at: 12 })).toBe(may ? 1 : 0);
      expect(await find()).toEqual({ ...row, status: may ? 'cancelled' : status });
    });

    it('touches nothing when there is no such effect', async () => {
      await withRuns(store);
      const missing = { run: 1, n: 1, at: 12 };
      expect(await put(store, 'closeEffect', missing)).toBe(0);
      expect(await put(store, 'settleEffect', { ...missing, status: 'done' })).toBe(0);
      expect(await put(store, 'changeEffectInput', { run: 1, n: 1, input: 'x' })).toBe(0);
    });

    it('changes the input in any status', async () => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ input: 'old', status: 'done' }));
      expect(await put(store, 'changeEffectInput', { run: 1, n: 1, input: 'new' })).toBe(1);
      expect(await find()).toEqual({ ...row, input: 'new', status: 'done' });
    });

    it('changes name and params, and nothing else', async () => {
      await withRuns(store);
      await put(store, 'insertEffect', effectInput({ input: 'bytes' }));
      const changes = { name: 'effect.other', params: '{"effectId":1,"more":true}' };
      expect(await put(store, 'changeEffect', { run: 1, n: 1, ...changes })).toBe(1);
      expect(await find()).toEqual({ ...row, input: 'bytes', ...changes });
      expect(await put(store, 'changeEffect', { run: 1, n: 2, ...changes })).toBe(0);
      expect(await put(store, 'changeEffect', { run: 2, n: 1, ...changes })).toBe(0);
    });

    it('lists them by number, all or those that are open', async () => {
      await withRuns(store, 2);
      const numbered = [...effectStatuses].map((status, i) => effectInput({ n: 7 - i, status }));
      for (const effect of numbered) await put(store, 'insertEffect', effect);
      await put(store, 'insertEffect', effectInput({ run: 2 }));
      const listed = async (which: 'listEffects' | 'listOpenEffects') =>
        (await store.query(which, { run: 1, after: 0 })).map(({ n, status }) => `${n} ${status}`);
      const open = ['3 uncertain', '4 linked', '5 started', '6 pending', '7 held'];
      expect(await listed('listEffects')).toEqual(['1 cancelled', '2 done', ...open]);
      expect(await listed('listOpenEffects')).toEqual(open);
    });

    it('lists them up to so many characters of what they were asked for', async () => {
      await withRuns(store, 1);
      for (const n of [1, 2, 3, 4])
        await put(store, 'insertEffect', effectInput({ n, params: 'x'.repeat(50), input: 'y'.repeat(50) }));
      const behind = async (place: number, maxBytes: number) =>
        (await store.query('listEffects', { run: 1, after: place, maxBytes })).map(({ n }) => n);
      expect(await behind(0, 150)).toEqual([1, 2]);
      expect(await behind(2, 1)).toEqual([3]);
      expect(await behind(4, 1)).toEqual([]);
    });

    it('copies those of a run to another one', async () => {
      await withRuns(store, 2);
      for (const n of [1, 2]) await put(store, 'insertEffect', effectInput({ n, status: 'uncertain' }));
      expect(await put(store, 'copyEffects', { from: 1, run: 2, tenant: 1, at: 5 })).toBe(2);
      const rows = async (run: number) => store.query('listEffects', { run, after: 0 });
      expect(await rows(2)).toEqual((await rows(1)).map((row) => ({ ...row, run: 2 })));
    });
  });
}
