import type { Tool } from '../protocol/tool.ts';
import { holdInProcess } from '../store/sqlite.ts';
import { Catalogue } from './demo/catalogue.ts';
import { createDemoShop, type DemoShop } from './demo/demo-shop.ts';
import { type Imported, type ImportOptions, importShop } from './demo/import-shop.ts';
import { createHttpShop, type HttpShopOptions } from './http/http-shop.ts';
import { digitsOf, moneyOf } from './money.ts';
import type { ShopApi } from './shop-api.ts';
import { shopTools } from './shop-tools.ts';
import { openShopFile } from './state/shop-file.ts';
import { ShopState, type ShopSums } from './state/shop-state.ts';

import type { RequestTakeover } from './tools/shop-tool.ts';

export type { Imported } from './demo/import-shop.ts';
export type { ShopSums } from './state/shop-state.ts';

export interface ShopOptions {
  /** Path of the SQLite file of the demo shop; `:memory:` for one that is gone when it is closed. */
  file: string;
  /** ISO 4217; default `USD`. */
  currency?: string | undefined;
  /** A decimal: staff must approve changes of orders above it. Default: they approve none. */
  staffAbove?: string | undefined;
  /** The page where customers pay; `{id}` stands for the checkout. */
  checkoutPage?: string | undefined;
  /** Epoch milliseconds; default `Date.now`. */
  now?: (() => number) | undefined;
  /** Calls a person of the shop into a conversation, as `detent.sessions.requestTakeover` does. Default: nobody can come. */
  requestTakeover?: RequestTakeover | undefined;
}

/** A shop that is open, and the tools of an assistant in it. */
export interface OpenShop {
  readonly api: DemoShop;
  readonly tools: readonly Tool[];
  /** Fills it from JSON of the shape of the tau2-bench retail shop. Throws `INVALID_SHOP`, `SHOP_NOT_EMPTY`. */
  import(json: string, options: Omit<ImportOptions, 'currency'>): Imported;
  report(tenantId: number, from: number, to: number): { sums: ShopSums; sessions: ReadonlySet<string> };
  close(): void;
}

/**
 * Opens the demo shop.
 *
 * @throws DetentError `INVALID_AMOUNT`, and what SQLite throws for the file.
 *
 * @example
 * ```ts
 * const shop = openShop({ file: '.detent/shop.db', staffAbove: '500' });
 * const detent = createDetent({ tools: { define: [...shop.tools] } });
 * ```
 */
export function openShop({
  file,
  currency = 'USD',
  staffAbove,
  checkoutPage,
  now = Date.now,
  requestTakeover,
}: ShopOptions): OpenShop {
  const limit = staffAbove === undefined ? null : moneyOf(staffAbove, currency);
  digitsOf(currency);
  const { db, held } = opened(file);
  const api = createDemoShop(db, { now, checkoutPage });
  const catalogue = new Catalogue(db);
  const state = new ShopState(db, now);
  return {
    api,
    tools: shopTools({
      api,
      state,
      currency: (tenant) => catalogue.currency(tenant),
      staffAbove: limit,
      requestTakeover,
    }),
    import: (json, options) => importShop(db, json, { ...options, currency }),
    report: (tenantId, from, to) => state.sums(tenantId, from, to),
    close() {
      db.close();
      held.close();
    },
  };
}

export interface HttpShopSettings extends Pick<ShopOptions, 'file' | 'currency' | 'staffAbove' | 'now'> {
  http: HttpShopOptions;
}

/**
 * Opens a shop behind HTTP. `file` keeps what the tools know of conversations: who the customer is, and what they agreed to.
 *
 * @throws DetentError `INVALID_AMOUNT`, and what SQLite throws for the file.
 */
export function openHttpShop(
  settings: HttpShopSettings,
): Pick<OpenShop, 'tools' | 'report' | 'close'> & { readonly api: ShopApi } {
  const { http, file, currency = 'USD', staffAbove, now = Date.now } = settings;
  const limit = staffAbove === undefined ? null : moneyOf(staffAbove, currency);
  digitsOf(currency);
  const { db, held } = opened(file);
  const state = new ShopState(db, now);
  const api = createHttpShop(http);
  return {
    api,
    tools: shopTools({ api, state, currency: () => currency, staffAbove: limit }),
    report: (tenantId, from, to) => state.sums(tenantId, from, to),
    close() {
      db.close();
      held.close();
    },
  };
}

/** No other code of Detent reads the file while it is open, file tools neither. */
function opened(file: string) {
  const held = holdInProcess(file);
  try {
    const db = openShopFile(file);
    held.note();
    return { db, held };
  } catch (error) {
    held.close();
    throw error;
  }
}
