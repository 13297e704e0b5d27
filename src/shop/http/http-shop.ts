import * as z from 'zod/mini';
import type { ShopConfig } from '../../protocol/config.ts';
import { cart, checkout, customer, order, product, productPage } from '../models.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopApi, ShopCall, ShopOperation, ShopWrite } from '../shop-api.ts';
import {
  checked,
  type ExchangeOptions,
  exchange,
  type Reply,
  type Request,
  type Schema,
  shopFailed,
  succeeded,
} from './exchange.ts';
import { at, filled, filledBody, renamed } from './mapping.ts';

/** The field `shop.http` of the configuration; see docs/shop.md. */
export type HttpShopOptions = NonNullable<ShopConfig['http']> & Pick<ExchangeOptions, 'fetch'>;
/** One operation of a backend. */
export type HttpOperation = NonNullable<HttpShopOptions['operations'][ShopOperation]>;

/**
 * A shop behind HTTP. It answers nothing of one user to another: it keeps nothing.
 *
 * A change that timed out, or was answered with 500, may have been made: it is repeated under the same key, which the backend must know.
 * What the backend refuses with 409 or 422, `{"code", "message"}`, is a denial that the model reads.
 */
export function createHttpShop(options: HttpShopOptions): ShopApi {
  const one = async <T>(
    name: ShopOperation,
    schema: Schema<T>,
    values: object,
    call: ShopCall,
    key?: string,
  ) => {
    const operation = options.operations[name] ?? shopFailed(name, 'it is not configured');
    const request = requestOf(options, operation, values, key);
    const found = settled(name, operation, await exchange(name, request, options, call));
    return found === null ? null : checked(name, schema, found);
  };
  const must = async <T>(
    name: ShopOperation,
    schema: Schema<T>,
    values: object,
    call: ShopCall,
    key?: string,
  ) => (await one(name, schema, values, call, key)) ?? shopFailed(name, 'the shop does not have it');
  const written = <T>(name: ShopOperation, schema: Schema<T>, values: object, write: ShopWrite) =>
    must(name, schema, values, write, write.key);
  return {
    searchProducts: (query, call) => must('searchProducts', productPage, query, call),
    product: (id, call) => one('product', product, { id }, call),
    findCustomer: (query, call) => one('findCustomer', customer, query, call),
    order: (id, call) => one('order', order, { id }, call),
    orders: (customerId, call) => must('orders', z.array(order), { customerId }, call),
    changeOrder: (change, customerId, write) =>
      written('changeOrder', order, { ...change, customerId }, write),
    changeAddress: (address, customerId, write) =>
      written('changeAddress', customer, { address, customerId }, write),
    cart: (call) => must('cart', cart, {}, call),
    changeCart: (change, write) => written('changeCart', cart, change, write),
    checkout: (write) => written('checkout', checkout, {}, write),
    ...(options.operations.orderOf && {
      orderOf: async (checkoutId: string, call: ShopCall) =>
        (await one('orderOf', paid, { checkoutId }, call))?.orderId ?? null,
    }),
  };
}

const paid = z.looseObject({ orderId: z.nullable(z.string().check(z.minLength(1))) });

/** Those that are configured. */
export function offeredBy({ operations }: HttpShopOptions): ReadonlySet<ShopOperation> {
  return new Set(Object.keys(operations) as ShopOperation[]);
}

function requestOf(
  { baseUrl, keyHeader = 'idempotency-key' }: HttpShopOptions,
  { method = undefined, path, query = {}, body }: HttpOperation,
  values: object,
  key?: string,
): Request {
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${filled(path, values, encodeURIComponent)}`);
  for (const [name, template] of Object.entries(query)) {
    const value = filled(template, values);
    if (value !== '') url.searchParams.set(name, value);
  }
  const used = method ?? (key === undefined ? 'GET' : 'POST');
  const headers = key === undefined ? {} : { [keyHeader]: key };
  if (used === 'GET') return { method: used, url, headers };
  return { method: used, url, headers, body: body === undefined ? values : filledBody(body, values) };
}

function settled(name: string, { at: path = '', fields = {} }: HttpOperation, reply: Reply): unknown {
  const { status, json } = reply;
  if (status === 404) return null;
  if (status === 409 || status === 422) throw denialOf(json);
  return renamed(at(succeeded(name, reply), path) ?? null, fields);
}

function denialOf(json: unknown): ShopDenied {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  const isCode = typeof code === 'string' && /^[A-Z][A-Z_]{1,40}$/.test(code);
  return new ShopDenied(
    isCode ? code : 'REFUSED',
    typeof message === 'string' ? message.slice(0, 300) : 'the shop refuses it',
  );
}
