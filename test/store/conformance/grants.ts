import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { grantInput, put } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeGrants(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('grants', () => {
    beforeEach(async () => {
      for (const tenant of [1, 2])
        await put(store, 'insertSession', { tenant, key: 's1', user: null, at: 5 });
    });

    const numbers = async (session: number) =>
      (await store.query('listGrants', { session })).map(({ n }) => n);

    it('are numbered in their session and told whole', async () => {
      expect(await put(store, 'insertGrant', grantInput({ pattern: '{"a":"漢字"}', by: 'ann' }))).toEqual({
        n: 1,
      });
      expect(await put(store, 'insertGrant', grantInput())).toEqual({ n: 2 });
      expect(await put(store, 'insertGrant', grantInput({ session: 2, tenant: 2 }))).toEqual({ n: 1 });
      const [first] = await store.query('listGrants', { session: 1 });
      expect(first).toEqual({
        session: 1,
        n: 1,
        tool: 'write_file',
        pattern: '{"a":"漢字"}',
        by: 'ann',
        runId: 'r1',
        call: 3,
        at: 11,
      });
      expect(await numbers(1)).toEqual([1, 2]);
      expect(await numbers(2)).toEqual([1]);
      expect(await numbers(3)).toEqual([]);
    });

    it('are revoked once, and their numbers never given again', async () => {
      await put(store, 'insertGrant', grantInput());
      await put(store, 'insertGrant', grantInput());
      expect(await put(store, 'revokeGrant', { session: 1, n: 2, at: 12 })).toBe(1);
      expect(await put(store, 'revokeGrant', { session: 1, n: 2, at: 13 })).toBe(0);
      expect(await put(store, 'revokeGrant', { session: 2, n: 1, at: 13 })).toBe(0);
      expect(await numbers(1)).toEqual([1]);
      expect(await put(store, 'insertGrant', grantInput())).toEqual({ n: 3 });
    });

    it('need their session, and go with it', async () => {
      await expectCode(put(store, 'insertGrant', grantInput({ session: 9 })), 'DATABASE_FAILED');
      await put(store, 'insertGrant', grantInput({ session: 2, tenant: 2 }));
      await put(store, 'insertGrant', grantInput());
      await put(store, 'deleteSession', { session: 2 });
      expect(await numbers(2)).toEqual([]);
      expect(await put(store, 'insertSession', { tenant: 2, key: 's2', user: null, at: 6 })).toEqual({
        pk: 3,
      });
      expect(await put(store, 'insertGrant', grantInput({ session: 3, tenant: 2 }))).toEqual({ n: 1 });
      expect(await numbers(1)).toEqual([1]);
    });
  });
}
