import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { put } from '../rows.ts';

export function describeTaintedFiles(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  const file = (path: string, bytes = 3, hash = 'abc') => ({ path, bytes, hash });
  const filesOf = (tenant: number) => store.query('listTaintedFiles', { tenant });

  describe('files with untrusted text', () => {
    it('are told by their tenant, in the order of their paths', async () => {
      for (const path of ['/w/b', '/w/a']) await put(store, 'putTaintedFile', { tenant: 1, ...file(path) });
      await put(store, 'putTaintedFile', { tenant: 2, ...file('/x/c') });
      expect(await filesOf(1)).toEqual([file('/w/a'), file('/w/b')]);
      expect(await filesOf(2)).toEqual([file('/x/c')]);
    });

    it('have the content that was put last', async () => {
      for (const hash of ['', 'def'])
        await put(store, 'putTaintedFile', { tenant: 1, ...file('/w/a', 4, hash) });
      expect(await filesOf(1)).toEqual([file('/w/a', 4, 'def')]);
    });

    it('are not deleted once their content is known', async () => {
      await put(store, 'putTaintedFile', { tenant: 1, ...file('/w/a') });
      expect(await put(store, 'deleteTaintedFile', { tenant: 1, path: '/w/a' })).toBe(0);
    });

    it('are deleted by their tenant alone', async () => {
      await put(store, 'putTaintedFile', { tenant: 1, ...file('/w/a', 0, '') });
      expect(await put(store, 'deleteTaintedFile', { tenant: 2, path: '/w/a' })).toBe(0);
      expect(await put(store, 'deleteTaintedFile', { tenant: 1, path: '/w/a' })).toBe(1);
      expect(await filesOf(1)).toEqual([]);
    });
  });
}
