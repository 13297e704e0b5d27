import { defaultTenant } from '../../protocol/access.ts';
import type { Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage-report.ts';

/**
 * @param listing opens the database on first use.
 *
 * @internal
 */
export function usageApi(
  listing: () => Promise<Pick<Listing, 'store'>>,
): (filter?: UsageFilter) => Promise<UsageReport> {
  return async (filter = {}) =>
    (await import('./usage-report.ts')).usageReport((await listing()).store, filter);
}

/**
 * @param listing opens the database on first use.
 *
 * @internal
 */
export function budgetsApi(
  listing: () => Promise<Pick<Listing, 'store' | 'now'>>,
  options: DetentOptions,
): DetentBudgets {
  return {
    async list(tenantId = defaultTenant) {
      const { listBudgets } = await import('./usage-report.ts');
      const { store, now } = await listing();
      return listBudgets(store, options, tenantId, now());
    },
  };
}
