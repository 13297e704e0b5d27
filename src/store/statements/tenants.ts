import type { Scoped, TenantRow } from '../rows.ts';

/** The owners of rows. None is ever deleted, so no id is given twice. */
export interface TenantStatements {
  findTenant: { in: Scoped; out: TenantRow | undefined };
  findTenantNamed: { in: Pick<TenantRow, 'name'>; out: TenantRow | undefined };
  /** By id. */
  listTenants: { in: Record<string, never>; out: TenantRow[] };
  insertTenant: { in: Omit<TenantRow, 'id'>; out: { id: number } };
  setTenantWorkspace: { in: Scoped & Pick<TenantRow, 'workspace'>; out: number };
}
