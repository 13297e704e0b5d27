import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessTokenRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { put } from '../rows.ts';

export function describeAccessTokens(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  const token = (over: Partial<AccessTokenRow> = {}) => ({
    id: 'tok_a',
    tenant: 1,
    user: null,
    name: 'phone',
    scopes: '["read"]',
    secretHash: 'ff',
    createdAt: 10,
    expiresAt: null,
    maxRuns: null,
    sight: null,
    ...over,
  });

  describe('access tokens', () => {
    it('are found by their ids, and listed oldest first', async () => {
      await put(
        store,
        'insertAccessToken',
        token({ id: 'tok_b', createdAt: 20, user: 'ada', expiresAt: 99, maxRuns: 3 }),
      );
      await put(store, 'insertAccessToken', token());
      expect(await store.query('findAccessToken', { id: 'tok_b' })).toEqual({
        ...token({ id: 'tok_b', createdAt: 20, user: 'ada', expiresAt: 99, maxRuns: 3 }),
        revokedAt: null,
      });
      expect(await store.query('findAccessToken', { id: 'tok_c' })).toBeUndefined();
      expect((await store.query('listAccessTokens', { tenant: null })).map(({ id }) => id)).toEqual([
        'tok_a',
        'tok_b',
      ]);
    });

    it('are made once', async () => {
      await put(store, 'insertAccessToken', token());
      await expect(put(store, 'insertAccessToken', token({ name: 'other' }))).rejects.toMatchObject({
        code: 'DATABASE_FAILED',
      });
    });

    it('are revoked once, and stay in the list', async () => {
      await put(store, 'insertAccessToken', token());
      expect(await put(store, 'revokeAccessToken', { id: 'tok_a', tenant: 1, at: 30 })).toBe(1);
      expect(await put(store, 'revokeAccessToken', { id: 'tok_a', tenant: 1, at: 40 })).toBe(0);
      expect(await put(store, 'revokeAccessToken', { id: 'tok_x', tenant: 1, at: 40 })).toBe(0);
      expect(
        (await store.query('listAccessTokens', { tenant: null })).map(({ revokedAt }) => revokedAt),
      ).toEqual([30]);
    });

    it('of one tenant are listed, and revoked, apart from those of others', async () => {
      await put(store, 'insertAccessToken', token());
      await put(store, 'insertAccessToken', token({ id: 'tok_b', tenant: 2 }));
      const listed = async (tenant: number | null) =>
        (await store.query('listAccessTokens', { tenant })).map(({ id }) => id);
      expect(await listed(2)).toEqual(['tok_b']);
      expect(await listed(3)).toEqual([]);
      expect(await put(store, 'revokeAccessToken', { id: 'tok_a', tenant: 2, at: 30 })).toBe(0);
      expect((await store.query('findAccessToken', { id: 'tok_a' }))?.revokedAt).toBeNull();
    });
  });

  describe('failed attempts to log in', () => {
    const fail = (now: number, source = 'a') =>
      put(store, 'countLoginFailure', {
        source,
        now,
        stepMs: 20_000,
        latest: now + 40_000,
        beyond: now + 120_000,
      });

    it('of one address are counted until it has none left, which comes back with time', async () => {
      expect([await fail(1), await fail(1), await fail(2), await fail(2)]).toEqual([1, 1, 1, 0]);
      expect(await fail(2, 'b')).toBe(1);
      expect([await fail(20_001), await fail(20_002)]).toEqual([1, 0]);
      expect([await fail(90_000), await fail(90_000)]).toEqual([1, 1]);
    });

    it('of a clock that was set back count for nothing', async () => {
      for (let i = 0; i < 3; i++) await fail(9_000_000);
      expect([await fail(1), await fail(1), await fail(1), await fail(1)]).toEqual([1, 1, 1, 0]);
    });

    it('are deleted once the address has all of them again', async () => {
      await fail(1);
      await fail(2, 'b');
      expect(await put(store, 'deleteLoginFailures', { now: 20_000 })).toBe(0);
      expect(await put(store, 'deleteLoginFailures', { now: 20_001 })).toBe(1);
    });
  });
}
