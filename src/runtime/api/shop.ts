import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { AnyShop, Imported, OpenShop, ShopSums } from '../../shop/open-shop.ts';
import type { Store } from '../../store/store.ts';
import type { Core } from '../config/core.ts';
import type { UsageFilter, UsageReport } from './usage-report.ts';

export interface ShopReportFilter {
  /** Default 1. */
  tenantId?: number;
  /** From this moment on, milliseconds since the epoch. Default: the beginning. */
  from?: number;
  /** Before this moment. Default: the end. */
  to?: number;
}

/** What shops count. A session counts when a tool of the shop was called in it. */
export interface ShopReport extends ShopSums {
  /** What users said of answers in those sessions, in the period. */
  ratings: { up: number; down: number };
  /** Of the model calls of those sessions, in US dollars; null when a price is unknown. */
  costUsd: number | null;
}

/** The configured shop. Methods reject with `NO_SHOP` when there is none. */
export interface DetentShop {
  /** Fills the demo shop from JSON; see docs/shop.md. Rejects with `INVALID_SHOP`, `NO_SHOP`, and `SHOP_NOT_EMPTY` without `replace`. */
  import(json: string, options?: { tenantId?: number; replace?: boolean }): Promise<Imported>;
  report(filter?: ShopReportFilter): Promise<ShopReport>;
  /**
   * Counts an order of a shop behind HTTP or the Universal Commerce Protocol: call it when your backend says that a checkout was paid.
   * The demo shop counts its own.
   *
   * @param order.checkoutId the `id` that the shop gave the checkout
   * @returns false if no call of an assistant made that checkout. Rejects with `NO_SHOP`, `INVALID_ARGUMENTS`.
   */
  ordered(order: { checkoutId: string; orderId: string; tenantId?: number }): Promise<boolean>;
  /** Asks the shop for something that needs no customer, and says what it found. Rejects with `SHOP_FAILED`, `SHOP_EMPTY`. */
  check(): Promise<string>;
}

const maxSessions = 100_000;

/** @internal */
export function shopApi(
  core: () => Promise<Pick<Core, 'shop' | 'store'>>,
  usage: (filter: UsageFilter) => Promise<UsageReport>,
): DetentShop {
  const opened = async (): Promise<AnyShop> => {
    const { shop } = await core();
    if (shop) return shop;
    throw new DetentError('NO_SHOP', 'no shop is configured: add "shop: {}" to the configuration');
  };
  return {
    async import(json, { tenantId = defaultTenant, replace = false } = {}) {
      const shop = await opened();
      if (isDemo(shop)) return shop.import(json, { tenantId, replace });
      throw new DetentError(
        'NO_SHOP',
        'only the demo shop can be filled: the configured shop has its own products',
      );
    },
    async ordered({ checkoutId, orderId, tenantId = defaultTenant }) {
      for (const id of [checkoutId, orderId])
        if (typeof id !== 'string' || id === '')
          throw new DetentError(
            'INVALID_ARGUMENTS',
            'checkoutId and orderId are texts with at least one character',
          );
      return (await opened()).ordered(tenantId, checkoutId, orderId);
    },
    async check() {
      return (await opened()).check();
    },
    async report({ tenantId = defaultTenant, from, to } = {}) {
      const shop = await opened();
      const { sums, sessions } = await shop.report(tenantId, from ?? 0, to ?? Number.MAX_SAFE_INTEGER);
      const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const { groups } = await usage({ tenantId, ...period, by: 'session', limit: maxSessions });
      const ours = groups.filter(({ key }) => sessions.has(String(key)));
      const ratings = await ratingsOf((await core()).store, tenantId, sessions, from ?? 0, to ?? Infinity);
      const isKnown = ours.every(({ unpriced }) => unpriced === 0);
      return {
        ...sums,
        ratings,
        costUsd: isKnown ? ours.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : null,
      };
    },
  };
}

function isDemo(shop: AnyShop): shop is OpenShop {
  return 'import' in shop;
}

async function ratingsOf(
  store: Store,
  tenant: number,
  sessions: ReadonlySet<string>,
  from: number,
  to: number,
): Promise<ShopReport['ratings']> {
  const sum = { up: 0, down: 0 };
  for (const key of sessions) {
    const session = await store.query('findSession', { tenant, key });
    if (!session) continue;
    for (const { thumb, at } of await store.query('listRatings', { session: session.pk }))
      if (at >= from && at < to) sum[thumb]++;
  }
  return sum;
}
