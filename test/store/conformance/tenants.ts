import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { artifactInput, put, runInput, withRuns } from '../rows.ts';

export function describeTenants(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  it('makes a tenant known once', async () => {
    expect(await put(store, 'ensureTenant', { tenant: 1 })).toBe(0);
    expect(await put(store, 'ensureTenant', { tenant: 7 })).toBe(1);
    expect(await put(store, 'ensureTenant', { tenant: 7 })).toBe(0);
    expect(await put(store, 'insertSession', { tenant: 7, key: 's1', user: null, at: 6 })).toEqual({ pk: 1 });
  });

  it('tenants never see each other', async () => {
    await withRuns(store);
    await put(store, 'insertArtifact', artifactInput());
    const theirs = { tenant: 2, limit: 9 };
    expect(await store.query('findSession', { tenant: 2, key: 's1' })).toBeUndefined();
    expect(await store.query('loadRun', { tenant: 2, id: 'r1' })).toBeUndefined();
    expect(await store.query('findArtifact', { tenant: 2, id: 'a1' })).toBeUndefined();
    expect(await store.query('listSessions', theirs)).toEqual([]);
    expect(await store.query('listRuns', theirs)).toEqual([]);
    expect(await store.query('newestRun', { tenant: 2 })).toBeUndefined();
    expect(await store.query('listRunIds', { ...theirs, from: '', below: 'z' })).toEqual([]);
    expect(await store.query('listRunMarks', { ...theirs, after: 0 })).toEqual([]);
    await put(store, 'insertSession', { tenant: 2, key: 's1', user: null, at: 6 });
    await put(store, 'insertRun', runInput({ tenant: 2, session: 2, context: '{"theirs":1}' }));
    await put(store, 'insertArtifact', artifactInput({ tenant: 2, run: 2, body: 'theirs' }));
    expect((await store.query('loadRun', { tenant: 1, id: 'r1' }))?.context).toBe('{}');
    expect((await store.query('loadRun', { tenant: 2, id: 'r1' }))?.context).toBe('{"theirs":1}');
    expect((await store.query('findArtifact', { tenant: 1, id: 'a1' }))?.body).toBe('long');
    expect((await store.query('listRuns', theirs)).map(({ pk }) => pk)).toEqual([2]);
  });
}
