import type { Kysely } from 'kysely';
import type { Database } from '../query/database.ts';
import { add, all, change, columnsOf, one } from '../query/query.ts';
import type { Scoped, TenantRow } from '../rows.ts';

const tenants = (k: Kysely<Database>) => k.selectFrom('tenants').select(columnsOf('tenants'));

/** The owners of rows. None is ever deleted, so no id is given twice. */
export const tenantStatements = {
  findTenant: one<Scoped, TenantRow>((k, p) => tenants(k).where('id', '=', p.tenant)),
  findTenantNamed: one<Pick<TenantRow, 'name'>, TenantRow>((k, p) => tenants(k).where('name', '=', p.name)),
  /** By id. */
  listTenants: all<Record<string, never>, TenantRow>((k) => tenants(k).orderBy('id')),
  insertTenant: add<Omit<TenantRow, 'id'>, { id: number }>((k, p) =>
    k.insertInto('tenants').values({ name: p.name, workspace: p.workspace }).returning('id'),
  ),
  setTenantWorkspace: change<Scoped & Pick<TenantRow, 'workspace'>>((k, p) =>
    k.updateTable('tenants').set({ workspace: p.workspace }).where('id', '=', p.tenant),
  ),
};
