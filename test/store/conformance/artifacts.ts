import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { artifactInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeArtifacts(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('artifacts and drivers', () => {
    it('reads an artifact back', async () => {
      await withRuns(store);
      expect(await put(store, 'insertArtifact', artifactInput())).toBe(1);
      const { tenant, ...row } = artifactInput();
      expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toEqual(row);
      const image = artifactInput({ id: 'a3', mime: 'image/png', encoding: 'base64', body: 'iVBO' });
      await put(store, 'insertArtifact', image);
      expect(await store.query('findArtifact', { tenant: 1, id: 'a3' })).toMatchObject({
        encoding: 'base64',
      });
      await expectCode(put(store, 'insertArtifact', artifactInput()), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertArtifact', artifactInput({ id: 'a2', run: 9 })), 'DATABASE_FAILED');
    });

    it('numbers the lives of drivers', async () => {
      expect(await store.query('lastDriver', {})).toBeUndefined();
      expect(await put(store, 'insertDriver', { pid: 70, at: 1 })).toEqual({ epoch: 1 });
      expect(await put(store, 'insertDriver', { pid: 50, at: 2 })).toEqual({ epoch: 2 });
      expect(await store.query('lastDriver', {})).toEqual({ epoch: 2, pid: 50 });
      expect(await store.query('findDriver', { epoch: 1 })).toEqual({
        epoch: 1,
        pid: 70,
        startedAt: 1,
        lastError: null,
      });
      expect(await put(store, 'noteDriverError', { epoch: 1, error: '{}' })).toBe(1);
      expect(await put(store, 'noteDriverError', { epoch: 3, error: '{}' })).toBe(0);
      expect((await store.query('findDriver', { epoch: 1 }))?.lastError).toBe('{}');
      expect(await store.query('findDriver', { epoch: 3 })).toBeUndefined();
    });
  });
}
