import { defaultTenant } from '../../protocol/tenant.ts';
import type { DetentOptions } from '../config/options.ts';
import type { Core } from '../core.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage-report.ts';

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function usageApi(
  core: () => Promise<Pick<Core, 'store'>>,
): (filter?: UsageFilter) => Promise<UsageReport> {
  return async (filter = {}) => (await import('./usage-report.ts')).usageReport((await core()).store, filter);
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function budgetsApi(
  core: () => Promise<Pick<Core, 'store' | 'clock'>>,
  options: DetentOptions,
): DetentBudgets {
  return {
    async list(tenantId = defaultTenant) {
      const { listBudgets } = await import('./usage-report.ts');
      const { store, clock } = await core();
      return listBudgets(store, options, tenantId, clock.now());
    },
  };
}
