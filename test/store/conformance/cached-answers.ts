import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { put } from '../rows.ts';

export function describeCachedAnswers(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('cached answers', () => {
    const keep = (key: string, at: number, answer = '{}', tenant = 1) =>
      put(store, 'putAnswer', { tenant, key, answer, at });
    const find = (key: string, since = 0, tenant = 1) => store.query('findAnswer', { tenant, key, since });

    it('are found while they are young enough', async () => {
      expect(await find('k1')).toBeUndefined();
      expect(await keep('k1', 10, '{"text":"漢字"}')).toBe(1);
      expect(await find('k1', 10)).toEqual({ answer: '{"text":"漢字"}', at: 10 });
      expect(await find('k1', 11)).toBeUndefined();
      expect(await find('k2')).toBeUndefined();
    });

    it('take the place of earlier ones', async () => {
      await keep('k1', 10, 'old');
      await keep('k1', 20, 'new');
      expect(await find('k1')).toEqual({ answer: 'new', at: 20 });
      expect(await put(store, 'deleteAnswersBefore', { before: 20 })).toBe(0);
      expect(await find('k1')).toBeDefined();
    });

    it('are deleted by age, of every tenant', async () => {
      await keep('k1', 10);
      await keep('k2', 20);
      await keep('k3', 5, '{}', 2);
      expect(await put(store, 'deleteAnswersBefore', { before: 20 })).toBe(2);
      expect(await put(store, 'deleteAnswersBefore', { before: 20 })).toBe(0);
      expect(await find('k1')).toBeUndefined();
      expect(await find('k2')).toBeDefined();
      expect(await find('k3', 0, 2)).toBeUndefined();
    });

    it('are deleted, all of a tenant', async () => {
      await keep('k1', 10);
      await keep('k2', 20);
      await keep('k1', 5, '{}', 2);
      expect(await put(store, 'deleteAnswersOf', { tenant: 1 })).toBe(2);
      expect(await put(store, 'deleteAnswersOf', { tenant: 1 })).toBe(0);
      expect(await find('k2')).toBeUndefined();
      expect(await find('k1', 0, 2)).toBeDefined();
      expect(await put(store, 'deleteAnswersBefore', { before: 20 })).toBe(1);
    });

    it('are of one tenant', async () => {
      await keep('k1', 10, 'ours');
      expect(await find('k1', 0, 2)).toBeUndefined();
      await keep('k1', 10, 'theirs', 2);
      expect(await find('k1')).toEqual({ answer: 'ours', at: 10 });
    });
  });
}
