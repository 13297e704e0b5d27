import { defaultTenant } from '../protocol/access.ts';
import type { Tool } from '../protocol/tool.ts';
import { holdInProcess } from '../store/sqlite.ts';
import { Catalogue } from './demo/catalogue.ts';
import { createDemoShop, type DemoShop } from './demo/demo-shop.ts';
import { type Imported, type ImportOptions, importShop } from './demo/import-shop.ts';
import { createHttpShop, type HttpShopOptions, offeredBy } from './http/http-shop.ts';
import type { Cart } from './models.ts';
import { digitsOf, moneyOf } from './money.ts';
import type { ShopApi, ShopCall, ShopOperation } from './shop-api.ts';
import { inOneCommit, openShopFile, type ShopFile } from './state/shop-file.ts';
import { ShopState, type ShopSums } from './state/shop-state.ts';
import { cartManagerTool } from './tools/cart-manager.ts';
import { checkoutLinkTool } from './tools/checkout-link.ts';
import { customerLookupTool } from './tools/customer-lookup.ts';
import { orderChangeTool } from './tools/order-change.ts';
import { orderQueryTool } from './tools/order-query.ts';
import { productGetTool } from './tools/product-get.ts';
import { productSearchTool } from './tools/product-search.ts';
import { recommendTool } from './tools/recommend.ts';
import { offers, type RequestTakeover, type ShopParts } from './tools/shop-tool.ts';
import { transferToHumanTool } from './tools/transfer-to-human.ts';
import type { UcpShopOptions } from './ucp/ucp-requests.ts';
import { createUcpShop } from './ucp/ucp-shop.ts';

export type { Imported } from './demo/import-shop.ts';
export type { ShopSums } from './state/shop-state.ts';

/** How long a report waits for a shop that does not answer, in milliseconds. */
const longestAskMs = 5_000;

/** The options of every shop, whatever is behind it. */
export interface ShopSettings {
  /** Path of the SQLite file, for the demo shop and for what the tools store about conversations. `:memory:` stores nothing on disk. */
  file: string;
  /** ISO 4217; default `USD`. */
  currency?: string | undefined;
  /** A decimal: staff must approve changes of orders above it. Default: staff approves none. */
  staffAbove?: string | undefined;
  /** Epoch milliseconds; default `Date.now`. */
  now?: (() => number) | undefined;
  /** Requests a person of the staff for a conversation, as `detent.sessions.requestTakeover` does. Default: no person can be requested. */
  requestTakeover?: RequestTakeover | undefined;
}

export interface ShopOptions extends ShopSettings {
  /** The page where customers pay; `{id}` stands for the checkout. */
  checkoutPage?: string | undefined;
}

export interface HttpShopSettings extends ShopSettings {
  http: HttpShopOptions;
}

export interface UcpShopSettings extends ShopSettings {
  ucp: UcpShopOptions;
}

/** An open shop, and the tools that it can serve. */
export interface AnyShop {
  readonly api: ShopApi;
  readonly tools: readonly Tool[];
  /** Asks the shop for something that needs no customer, and says what it found. Rejects with `SHOP_FAILED`, `SHOP_EMPTY`. */
  check(): Promise<string>;
  /** Reports what happened in a period. It first asks the shop which links to pay have become orders; if the shop does not answer, it counts none. */
  report(
    tenantId: number,
    from: number,
    to: number,
  ): Promise<{ sums: ShopSums; sessions: ReadonlySet<string> }>;
  /** Counts an order that was paid on the page of a checkout. False if no tool here made that checkout. */
  ordered(tenantId: number, checkoutId: string, orderId: string): boolean;
  /** What its file stores about users of the host. It does not ask your own backend. */
  readonly users: ShopUsers;
  close(): void;
}

/** What a shop does when a guest becomes a user, when the host forgets a user, and when a user asks for their data. */
interface ShopUsers {
  claim(tenantId: number, from: string, to: string): void;
  forget(tenantId: number, userId: string): void;
  export(
    tenantId: number,
    userId: string,
  ): { cart: Cart | null; identities: { sessionId: string; customerId: string }[] };
}

/** The demo shop. */
export interface OpenShop extends AnyShop {
  readonly api: DemoShop;
  /** Fills the shop from JSON in the shape of the tau2-bench retail shop. Throws `INVALID_SHOP`, `SHOP_NOT_EMPTY`. */
  import(json: string, options: Omit<ImportOptions, 'currency'>): Imported;
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
export function openShop({ checkoutPage, ...settings }: ShopOptions): OpenShop {
  const { currency = 'USD', now = Date.now } = settings;
  return opened(settings, (db) => {
    const catalogue = new Catalogue(db);
    const api = createDemoShop(db, { now, checkoutPage });
    return {
      api,
      carts: api.carts,
      currencyOf: (tenant) => catalogue.currency(tenant),
      import: (json: string, options: Omit<ImportOptions, 'currency'>) =>
        importShop(db, json, { ...options, currency }),
    };
  });
}

/**
 * Opens a shop behind HTTP; see docs/shop.md. It offers only tools whose operations are configured.
 *
 * @throws DetentError `INVALID_AMOUNT`, and what SQLite throws for the file.
 */
export function openHttpShop({ http, ...settings }: HttpShopSettings): AnyShop {
  return opened(settings, () => ({ api: createHttpShop(http), offers: offeredBy(http) }));
}

/**
 * Opens a shop that speaks the Universal Commerce Protocol; see docs/shop.md. `file` stores whose each cart is, and changes that have
 * no answer yet.
 *
 * @throws DetentError `INVALID_AMOUNT`, and what SQLite throws for the file.
 */
export function openUcpShop({ ucp, ...settings }: UcpShopSettings): AnyShop {
  const { now = Date.now, currency = 'USD' } = settings;
  return opened(settings, (db, state) =>
    createUcpShop(ucp, {
      ...{ db, now, currency },
      ordered: (tenantId, checkoutId, orderId) => state.ordered(tenantId, checkoutId, orderId),
    }),
  );
}

interface Behind<Api extends ShopApi> {
  api: Api;
  /** Default: everything. */
  offers?: ReadonlySet<ShopOperation>;
  /** The file of a tenant. Default: that of the settings. */
  currencyOf?(tenant: number): string;
  /** Default: they are not in the file. */
  carts?: Pick<DemoShop['carts'], 'claim' | 'forget' | 'of'>;
  /** What else there is to say of it when it is checked. */
  describe?(call: ShopCall): Promise<string>;
}

function opened<Api extends ShopApi, More extends Behind<Api>>(
  { file, currency = 'USD', staffAbove, now = Date.now, requestTakeover }: ShopSettings,
  behind: (db: ShopFile, state: ShopState) => More & Behind<Api>,
) {
  const limit = staffAbove === undefined ? null : moneyOf(staffAbove, currency);
  digitsOf(currency);
  const { db, held } = heldFile(file);
  const state = new ShopState(db, now);
  const { offers, carts, currencyOf = () => currency, describe, ...more } = behind(db, state);
  const { api } = more;
  return {
    ...more,
    tools: shopTools({ api, offers, state, currency: currencyOf, staffAbove: limit, requestTakeover }),
    check: () => checkedShop({ api, offers, describe }),
    async report(tenantId: number, from: number, to: number) {
      await learnOrders(api, state, { tenantId, from, to });
      return state.sums(tenantId, from, to);
    },
    ordered: (tenantId: number, checkoutId: string, orderId: string) =>
      state.ordered(tenantId, checkoutId, orderId),
    users: usersOf(db, state, carts),
    close() {
      db.close();
      held.close();
    },
  };
}

/** Asks the shop for the orders of the links to pay of a period. */
async function learnOrders(
  api: ShopApi,
  state: ShopState,
  { tenantId, from, to }: { tenantId: number; from: number; to: number },
): Promise<void> {
  if (!api.orderOf) return;
  for (const { checkoutId, user: userId, session: sessionId } of state.unpaid(tenantId, from, to)) {
    const principal = { tenantId, userId, claims: {} };
    const call = { principal, sessionId, signal: AbortSignal.timeout(longestAskMs) };
    const order = await api.orderOf(checkoutId, call).catch(() => null);
    if (order !== null) state.ordered(tenantId, checkoutId, order);
  }
}

function usersOf(db: ShopFile, state: ShopState, carts: Behind<ShopApi>['carts']): ShopUsers {
  return {
    claim: (tenantId, from, to) =>
      inOneCommit(db, () => {
        carts?.claim(tenantId, from, to);
        state.claim(tenantId, from, to);
      }),
    forget(tenantId, userId) {
      inOneCommit(db, () => {
        carts?.forget(tenantId, userId);
        state.forget(tenantId, userId);
      });
      // The log has what was overwritten.
      db.exec('pragma wal_checkpoint(truncate)');
    },
    export: (tenantId, userId) =>
      inOneCommit(db, () => ({
        cart: carts?.of(tenantId, userId) ?? null,
        identities: state.identitiesOf(tenantId, userId),
      })),
  };
}

async function checkedShop({ api, offers, describe }: Behind<ShopApi>): Promise<string> {
  const nobody = {
    principal: { tenantId: defaultTenant, userId: null, claims: {} },
    sessionId: 'check',
    signal: new AbortController().signal,
  };
  const described = await describe?.(nobody);
  if (offers?.has('searchProducts') === false)
    return 'searchProducts is not configured, so nothing was asked';
  await api.searchProducts({ sort: 'relevance', page: 1, pageSize: 1 }, nobody);
  return `it answers${described === undefined ? '' : `, and ${described}`}`;
}

/** While the file is open, no other code of Detent reads it, not even the file tools. */
function heldFile(file: string) {
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

const makers: readonly (readonly [make: (parts: ShopParts) => Tool, ...needs: readonly ShopOperation[]])[] = [
  [productSearchTool, 'searchProducts'],
  [productGetTool, 'product'],
  [orderQueryTool, 'order'],
  [cartManagerTool, 'cart', 'changeCart'],
  [checkoutLinkTool, 'checkout'],
  [orderChangeTool, 'findCustomer', 'order', 'changeOrder'],
  [customerLookupTool, 'findCustomer'],
  [recommendTool, 'findCustomer', 'orders', 'searchProducts'],
  [transferToHumanTool],
];

/** The tools of an assistant whose operations the shop offers. */
function shopTools(parts: ShopParts): Tool[] {
  return makers.flatMap(([make, ...needs]) => (needs.every((it) => offers(parts, it)) ? make(parts) : []));
}
