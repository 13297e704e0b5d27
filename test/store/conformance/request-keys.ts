import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { put, requestKeyInput, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeRequestKeys(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  const key = (over: Parameters<typeof requestKeyInput>[0] = {}) =>
    requestKeyInput({ name: 'a', owner: 'null', digest: 'd', effect: null, at: 10, run: null, ...over });
  const found = (name: string, tenant = 1) => store.query('findRequestKey', { tenant, name });
  const answered = async (over: Parameters<typeof key>[0]) => {
    const { tenant, name, driver } = key(over);
    await put(store, 'insertRequestKey', key(over));
    await put(store, 'answerRequestKey', { tenant, name, driver, answer: '1' });
  };

  describe('request keys', () => {
    it('are there once, for their tenant alone', async () => {
      await put(store, 'insertRequestKey', key());
      expect(await found('a')).toEqual({
        name: 'a',
        owner: 'null',
        digest: 'd',
        driver: 1,
        at: 10,
        answer: null,
        effect: null,
        run: null,
      });
      expect(await found('a', 2)).toBeUndefined();
      await put(store, 'insertRequestKey', key({ tenant: 2 }));
      await expectCode(put(store, 'insertRequestKey', key()), 'DATABASE_FAILED');
    });

    it('are answered once, by the driver that performs the request', async () => {
      await put(store, 'insertRequestKey', key());
      const at = { tenant: 1, name: 'a' };
      expect(await put(store, 'answerRequestKey', { ...at, driver: 2, answer: '2' })).toBe(0);
      expect(await put(store, 'passRequestKey', { ...at, was: 2, driver: 3 })).toBe(0);
      expect(await put(store, 'passRequestKey', { ...at, was: 1, driver: 2 })).toBe(1);
      expect(await put(store, 'answerRequestKey', { ...at, driver: 2, answer: '2' })).toBe(1);
      expect(await put(store, 'answerRequestKey', { ...at, driver: 2, answer: '3' })).toBe(0);
      expect(await put(store, 'passRequestKey', { ...at, was: 2, driver: 3 })).toBe(0);
      expect(await put(store, 'deleteRequestKey', { ...at, driver: 2 })).toBe(0);
      expect(await found('a')).toMatchObject({ driver: 2, answer: '2' });
    });

    it('without an answer are given up by their driver', async () => {
      await put(store, 'insertRequestKey', key());
      expect(await put(store, 'deleteRequestKey', { tenant: 1, name: 'a', driver: 2 })).toBe(0);
      expect(await put(store, 'deleteRequestKey', { tenant: 1, name: 'a', driver: 1 })).toBe(1);
      expect(await found('a')).toBeUndefined();
    });

    it('are deleted by their age', async () => {
      await put(store, 'insertRequestKey', key());
      await put(store, 'insertRequestKey', key({ name: 'b', at: 20, tenant: 2 }));
      expect(await put(store, 'deleteRequestKeysBefore', { at: 10 })).toBe(0);
      expect(await put(store, 'deleteRequestKeysBefore', { at: 20 })).toBe(1);
      expect([await found('a'), await found('b', 2)]).toEqual([undefined, expect.anything()]);
    });

    it('of commands of programs are kept as long as their run', async () => {
      await withRuns(store, 2);
      for (const run of [1, 2])
        await put(store, 'insertRequestKey', requestKeyInput({ name: `k${run}`, run }));
      await expectCode(put(store, 'insertRequestKey', requestKeyInput({ name: 'k1' })), 'DATABASE_FAILED');
      await expectCode(
        put(store, 'insertRequestKey', requestKeyInput({ name: 'k3', run: 3 })),
        'DATABASE_FAILED',
      );
      expect(await put(store, 'deleteRequestKeysBefore', { at: 1_000 })).toBe(0);
      expect(await put(store, 'deleteSurplusRequestKeys', { tenant: 1, owner: '', keep: 0 })).toBe(0);
      await put(store, 'deleteRun', { run: 1 });
      expect(await found('k1')).toBeUndefined();
      expect(await found('k2')).toMatchObject({ run: 2, effect: 'null', answer: null });
    });

    it('of one owner are deleted beyond a number, oldest first, once they are answered', async () => {
      await put(store, 'insertRequestKey', key({ name: 'open' }));
      for (const [at, name] of ['b', 'c', 'd'].entries()) await answered({ name, at: 20 + at });
      await answered({ name: 'other', owner: '"anna"', at: 1 });
      await answered({ name: 'b', tenant: 2, at: 1 });
      expect(await put(store, 'deleteSurplusRequestKeys', { tenant: 1, owner: 'null', keep: 2 })).toBe(1);
      const names = ['open', 'b', 'c', 'd', 'other'];
      const left = await Promise.all(names.map(async (name) => ((await found(name)) ? [name] : [])));
      expect(left.flat()).toEqual(['open', 'c', 'd', 'other']);
      expect(await found('b', 2)).toBeDefined();
    });
  });
}
