import { shopFailed } from '../http/exchange.ts';
import { compareItems, isWanted, itemOf } from '../items.ts';
import type { Cart, Order, Product, ProductPage, ProductQuery } from '../models.ts';
import { deny } from '../rules/denied.ts';
import { callerOf, type ShopApi, type ShopCall, type ShopOperation } from '../shop-api.ts';
import type { ShopFile } from '../state/shop-file.ts';
import { RemoteCarts } from './remote-carts.ts';
import { orderOf, productOf } from './replies.ts';
import { isNotFound, must, UcpRequests, type UcpShopOptions } from './ucp-requests.ts';
import { checkoutReply, detailReply, orderReply, searchReply } from './wire.ts';

/** Pages of a search follow one another: to see one, those before it are asked for. */
const maxPage = 20;
/** Checkouts that are looked through for orders, latest first. */
const maxCheckouts = 10;

interface UcpParts {
  db: ShopFile;
  now: () => number;
  currency: string;
  /** Is told of each order that is seen, for the report. */
  ordered(tenantId: number, checkoutId: string, orderId: string): void;
}

/**
 * A shop that speaks the Universal Commerce Protocol. It shows orders of checkouts that the same caller began here, and of nobody else,
 * whatever it is told.
 */
export function createUcpShop(options: UcpShopOptions, { db, now, currency, ordered }: UcpParts) {
  const requests = new UcpRequests(options, now);
  const carts = new RemoteCarts(db, requests);

  async function productBy(id: string, call: ShopCall): Promise<Product | null> {
    const request = { path: '/catalog/product', method: 'POST', body: { id } } as const;
    const outcome = await requests.ask('product', 'catalog.lookup', detailReply, request, call);
    return isNotFound(outcome) ? null : productOf(must(outcome).product);
  }

  async function orderBy(id: string, call: ShopCall): Promise<Order | null> {
    const request = { path: `/orders/${encodeURIComponent(id)}`, method: 'GET' } as const;
    const outcome = await requests.ask('order', 'order', orderReply, request, call);
    if (isNotFound(outcome)) return null;
    const reply = must(outcome);
    if (!carts.hasCheckout(reply.checkout_id, call)) return null;
    ordered(call.principal.tenantId, reply.checkout_id, id);
    return orderOf(reply, callerOf(call));
  }

  async function orderIdOf(checkout: string, call: ShopCall): Promise<string | null> {
    const request = { path: `/checkout-sessions/${encodeURIComponent(checkout)}`, method: 'GET' } as const;
    const outcome = await requests.ask('orders', 'checkout', checkoutReply, request, call);
    return isNotFound(outcome) ? null : (must(outcome).order?.id ?? null);
  }

  const api: ShopApi = {
    searchProducts: (query, call) => search(requests, productBy, query, call),
    product: productBy,
    cart: async (call) => (await carts.view(call)) ?? emptyCart(currency),
    changeCart: (change, write) => carts.change(change, write),
    checkout: (write) => carts.checkout(write),
    order: orderBy,
    async orders(_, call) {
      const found: Order[] = [];
      for (const checkout of carts.checkoutsOf(call, maxCheckouts)) {
        const id = await orderIdOf(checkout, call);
        const order = id === null ? null : await orderBy(id, call);
        if (order) found.push(order);
      }
      return found;
    },
    orderOf: orderIdOf,
    findCustomer: async () => missing('customers'),
    changeOrder: async () => missing('changes of orders'),
    changeAddress: async () => missing('customers'),
  };
  return {
    api,
    carts,
    offers: new Set<ShopOperation>([
      'searchProducts',
      'product',
      'cart',
      'changeCart',
      'checkout',
      ...(options.orders ? (['order', 'orders'] as const) : []),
    ]),
    /** Rejects with `SHOP_FAILED` when it is configured for what the shop does not have. */
    async describe({ signal }: ShopCall): Promise<string> {
      const has = await requests.capabilities(signal);
      if (options.orders && !has.includes('order'))
        return shopFailed('discovery', 'it does not offer order, but "orders" is true');
      return `offers ${has.join(', ') || 'nothing'}`;
    },
  };
}

function missing(what: string): never {
  return deny('NOT_OFFERED', `the protocol of this shop has no ${what}`);
}

/** Words, category and prices are for the shop; the rest, and the order of a page, are decided here. */
async function search(
  requests: UcpRequests,
  productBy: (id: string, call: ShopCall) => Promise<Product | null>,
  query: ProductQuery,
  call: ShopCall,
): Promise<ProductPage> {
  const { words, productId, category, minPrice, maxPrice, page, pageSize } = query;
  if (productId !== undefined) {
    const product = page === 1 ? await productBy(productId, call) : null;
    return pageOf(product ? [product] : [], { ...query, productId: undefined }, null);
  }
  const price = {
    ...(minPrice && { min: minPrice.minor }),
    ...(maxPrice && { max: maxPrice.minor }),
  };
  const body = {
    ...(words?.trim() && { query: words.trim() }),
    filters: {
      ...(category !== undefined && { categories: [category] }),
      ...(Object.keys(price).length > 0 && { price }),
    },
  };
  let cursor: string | undefined;
  for (let at = 1; at <= Math.min(page, maxPage); at++) {
    const pagination = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
    const request = { path: '/catalog/search', method: 'POST', body: { ...body, pagination } } as const;
    const { products, pagination: next } = must(
      await requests.ask('searchProducts', 'catalog.search', searchReply, request, call),
    );
    if (at === page) return pageOf(products.map(productOf), query, next?.total_count ?? null);
    cursor = next?.cursor;
    if (next?.has_next_page !== true || cursor === undefined) break;
  }
  return { items: [], total: (page - 1) * pageSize };
}

function pageOf(products: readonly Product[], query: ProductQuery, count: number | null): ProductPage {
  const items = products
    .flatMap((product) => product.variants.map((variant) => itemOf(product, variant)))
    // A shop may name a category otherwise than its products do.
    .filter((item) => isWanted(item, { ...query, category: undefined }))
    .sort((a, b) => compareItems(a, b, query));
  return { items, total: Math.max(count ?? 0, (query.page - 1) * query.pageSize + items.length) };
}

function emptyCart(currency: string): Cart {
  const none = { minor: 0, currency };
  return { lines: [], coupon: null, subtotal: none, discount: none, total: none };
}
