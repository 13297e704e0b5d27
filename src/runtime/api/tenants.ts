import type { Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { DetentTenants } from './tenant-operations.ts';

/**
 * @param listing opens the database on first use.
 *
 * @internal
 */
export function tenantsApi(
  listing: () => Promise<Pick<Listing, 'store' | 'database'>>,
  options: DetentOptions,
): DetentTenants {
  const tenants = async () => {
    const { Tenants } = await import('./tenant-operations.ts');
    return new Tenants(await listing(), options);
  };
  return {
    create: async (tenant) => (await tenants()).create(tenant),
    list: async () => (await tenants()).list(),
    find: async (tenant) => (await tenants()).find(tenant),
    setWorkspace: async (tenant, workspace) => (await tenants()).setWorkspace(tenant, workspace),
  };
}
