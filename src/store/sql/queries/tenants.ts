import type { TenantStatements } from '../../statements/tenants.ts';
import type { Queries } from './query.ts';

const columns = ['id', 'name', 'workspace'] as const;

export const tenantQueries = {
  findTenant: ['get', (k, p) => k.selectFrom('tenants').select(columns).where('id', '=', p.tenant)],
  findTenantNamed: ['get', (k, p) => k.selectFrom('tenants').select(columns).where('name', '=', p.name)],
  listTenants: ['all', (k) => k.selectFrom('tenants').select(columns).orderBy('id')],
  insertTenant: [
    'get',
    (k, p) => k.insertInto('tenants').values({ name: p.name, workspace: p.workspace }).returning('id'),
  ],
  setTenantWorkspace: [
    'run',
    (k, p) => k.updateTable('tenants').set({ workspace: p.workspace }).where('id', '=', p.tenant),
  ],
} satisfies Queries<TenantStatements>;
