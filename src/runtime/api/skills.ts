import { defaultTenant } from '../../protocol/access.ts';
import type { Core } from '../config/core.ts';
import type { DetentSkills } from '../parts/skill-views.ts';

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function skillsApi(core: () => Promise<Pick<Core, 'tenants'>>): DetentSkills {
  const views = async (tenant = defaultTenant) => {
    const { skillViews } = await import('../parts/skill-views.ts');
    return skillViews((await (await core()).tenants(tenant)).skills);
  };
  return {
    list: async (tenant) => (await views(tenant)).list(),
    show: async (name, tenant) => (await views(tenant)).show(name),
    approved: async (tenant) => (await views(tenant)).approved(),
    revoke: async (name, tenant) => (await views(tenant)).revoke(name),
    why: async (input, tenant) => (await views(tenant)).why(input),
  };
}
