import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { artifactInput, put, withRuns } from '../rows.ts';
import { expectCode } from '../support.ts';

export function describeArtifacts(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  describe('artifacts', () => {
    it('reads an artifact back', async () => {
      await withRuns(store);
      expect(await put(store, 'insertArtifact', artifactInput())).toBe(1);
      const { tenant, ...row } = artifactInput();
      expect(await store.query('findArtifact', { tenant: 1, id: 'a1' })).toEqual(row);
      expect(await store.query('findArtifactRun', { tenant: 1, id: 'a1' })).toEqual({
        run: 1,
        runId: 'r1',
        session: 1,
        sessionKey: 's1',
      });
      expect(await store.query('findArtifactRun', { tenant: 2, id: 'a1' })).toBeUndefined();
      expect(await store.query('findArtifactRun', { tenant: 1, id: 'a9' })).toBeUndefined();
      const image = artifactInput({ id: 'a3', mime: 'image/png', encoding: 'base64', body: 'iVBO' });
      await put(store, 'insertArtifact', image);
      expect(await store.query('findArtifact', { tenant: 1, id: 'a3' })).toMatchObject({
        encoding: 'base64',
      });
      await expectCode(put(store, 'insertArtifact', artifactInput()), 'DATABASE_FAILED');
      await expectCode(put(store, 'insertArtifact', artifactInput({ id: 'a2', run: 9 })), 'DATABASE_FAILED');
    });
  });
}
