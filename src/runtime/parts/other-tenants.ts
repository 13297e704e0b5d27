import { memoryFolder } from '../../memory/memories.ts';
import type { DetentError } from '../../protocol/error.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { TenantRow } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { tenantToolbox } from '../../tools/toolbox.ts';
import type { TenantPartsOf } from '../config/core.ts';
import { unknownTenant } from '../requests/check-tenant.ts';
import { type OwnPlaces, placeGuard, refuseMoved } from '../requests/tenant-workspace.ts';
import type { TenantSkills } from './skills.ts';

export interface TenantsOptions {
  store: Store<StatementsOf<'tenants'>>;
  own: OwnPlaces;
  toolbox: Toolbox;
  skills: TenantSkills;
  isShellConfined: boolean;
}

/**
 * The parts of tenants other than the first; loaded when there are such tenants.
 *
 * @param refusals gets the tenants whose runs this process must leave to others.
 */
export async function otherTenants(
  { store, own, toolbox, skills, isShellConfined }: TenantsOptions,
  refusals: Map<number, DetentError>,
): Promise<{ of: TenantPartsOf; look(rows: readonly TenantRow[]): void }> {
  const placed = tenantToolbox(toolbox, { hasWorkspace: true, isShellConfined });
  const placeless = tenantToolbox(toolbox, { hasWorkspace: false, isShellConfined });
  const whyMisplaced = await placeGuard(own);
  const look = (row: TenantRow): void => {
    const refusal = whyMisplaced(row);
    if (refusal) refusals.set(row.id, refusal);
    else refusals.delete(row.id);
  };
  return {
    look: (rows) => rows.forEach(look),
    async of(tenant) {
      const row = await store.query('findTenant', { tenant });
      if (!row) throw unknownTenant(tenant);
      look(row);
      const refusal = refusals.get(tenant);
      if (refusal) throw refusal;
      await refuseMoved(row);
      const { workspace } = row;
      return {
        workspace,
        memoryFolder: memoryFolder(own.workspace, workspace, tenant),
        toolbox: workspace === null ? placeless : placed,
        skills: skills.of(tenant),
      };
    },
  };
}
