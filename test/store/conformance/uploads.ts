import { beforeEach, describe, expect, it } from 'vitest';
import type { UploadRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { put } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeUploads(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  const upload = (over: Partial<UploadRow & { tenant: number }> = {}) => ({
    tenant: 1,
    id: 'upl_a',
    user: null,
    name: null,
    mime: 'image/png',
    body: 'iVBO',
    createdAt: 10,
    ...over,
  });

  describe('uploads', () => {
    it('are read back by their tenant alone', async () => {
      await put(store, 'insertUpload', upload({ user: 'ada', name: 'a.png' }));
      const { tenant: _, ...row } = upload({ user: 'ada', name: 'a.png' });
      expect(await store.query('findUpload', { tenant: 1, id: 'upl_a' })).toEqual(row);
      expect(await store.query('findUpload', { tenant: 2, id: 'upl_a' })).toBeUndefined();
      await put(store, 'insertUpload', upload({ tenant: 2 }));
      await expectCode(put(store, 'insertUpload', upload()), 'DATABASE_FAILED');
    });

    it('are deleted by their age', async () => {
      await put(store, 'insertUpload', upload());
      await put(store, 'insertUpload', upload({ id: 'upl_b', createdAt: 20 }));
      expect(await put(store, 'deleteUploadsBefore', { at: 10 })).toBe(0);
      expect(await put(store, 'deleteUploadsBefore', { at: 20 })).toBe(1);
      expect(await store.query('findUpload', { tenant: 1, id: 'upl_a' })).toBeUndefined();
      expect(await store.query('findUpload', { tenant: 1, id: 'upl_b' })).toBeDefined();
    });
  });
}
