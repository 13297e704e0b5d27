import { memoryFolder } from '../../memory/memories.ts';
import { defaultTenant } from '../../protocol/access.ts';
import type { DetentError } from '../../protocol/error.ts';
import type { RunRow, TenantRow } from '../../store/rows.ts';
import type { OpenedTenant, TenantPartsOf } from '../config/core.ts';
import type { TenantsOptions } from './other-tenants.ts';

export interface OpenedTenants {
  of: TenantPartsOf;
  /** Why this process must leave the run of a tenant to others; null when it may drive it. */
  whyRefused(run: Pick<RunRow, 'tenant'>): DetentError | null;
}

/**
 * Finds the parts of a tenant. Those of the first one are ready; of others the row is read each time, because another
 * process may change it: a new workspace holds from the next call on.
 */
export async function openTenants(options: TenantsOptions): Promise<OpenedTenants> {
  const { store, own, toolbox, skills } = options;
  const { workspace } = own;
  const first: OpenedTenant = {
    workspace,
    memoryFolder: memoryFolder(workspace, workspace, defaultTenant),
    toolbox,
    skills: skills.of(defaultTenant),
  };
  /** By tenant, as the rows were when they were read last. */
  const refusals = new Map<number, DetentError>();
  const begin = async () => {
    const { otherTenants } = await import('./other-tenants.ts');
    return otherTenants(options, refusals);
  };
  let opening: ReturnType<typeof begin> | null = null;
  const others = () => {
    opening ??= begin();
    return opening;
  };
  const isOther = ({ id }: TenantRow) => id !== defaultTenant;
  const known = (await store.query('listTenants', {})).filter(isOther);
  if (known.length > 0) (await others()).look(known);
  return {
    of: async (tenant) => (tenant === defaultTenant ? first : (await others()).of(tenant)),
    whyRefused: ({ tenant }) => refusals.get(tenant) ?? null,
  };
}
