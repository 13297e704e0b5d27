import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { artifactInput, every, put, runInput, withRuns } from '../rows.ts';

export function describeTenants(opened: () => Store): void {
  let store: Store;

  beforeEach(() => {
    store = opened();
  });

  const first = { id: 1, name: 'default', workspace: null };
  const other = { id: 2, name: 'other', workspace: null };

  it('begins with the first tenant', async () => {
    expect(await store.query('listTenants', {})).toEqual([first, other]);
    expect(await store.query('findTenant', { tenant: 1 })).toEqual(first);
    expect(await store.query('findTenantNamed', { name: 'default' })).toEqual(first);
    expect(await store.query('findTenant', { tenant: 3 })).toBeUndefined();
    expect(await store.query('findTenantNamed', { name: 'acme' })).toBeUndefined();
  });

  it('numbers new tenants, and refuses a name twice', async () => {
    expect(await put(store, 'insertTenant', { name: 'acme', workspace: '/srv/acme' })).toEqual({ id: 3 });
    await expect(put(store, 'insertTenant', { name: 'acme', workspace: null })).rejects.toMatchObject({
      code: 'DATABASE_FAILED',
    });
    const { id } = await put(store, 'insertTenant', { name: 'globex', workspace: null });
    expect(id).toBeGreaterThan(3);
    expect(await store.query('listTenants', {})).toEqual([
      first,
      other,
      { id: 3, name: 'acme', workspace: '/srv/acme' },
      { id, name: 'globex', workspace: null },
    ]);
  });

  it('changes the workspace of a tenant', async () => {
    expect(await put(store, 'setTenantWorkspace', { tenant: 2, workspace: '/srv/other' })).toBe(1);
    expect(await store.query('findTenantNamed', { name: 'other' })).toEqual({
      ...other,
      workspace: '/srv/other',
    });
    expect(await put(store, 'setTenantWorkspace', { tenant: 2, workspace: null })).toBe(1);
    expect(await put(store, 'setTenantWorkspace', { tenant: 9, workspace: '/srv/none' })).toBe(0);
    expect(await store.query('listTenants', {})).toEqual([first, other]);
  });

  it('tenants never see each other', async () => {
    await withRuns(store);
    await put(store, 'insertArtifact', artifactInput());
    const theirs = { tenant: 2, limit: 9 };
    expect(await store.query('findSession', { tenant: 2, key: 's1' })).toBeUndefined();
    expect(await store.query('loadRun', { tenant: 2, id: 'r1' })).toBeUndefined();
    expect(await store.query('findArtifact', { tenant: 2, id: 'a1' })).toBeUndefined();
    expect(await store.query('listSessions', { ...theirs, ...every })).toEqual([]);
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
