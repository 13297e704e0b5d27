import { DetentError } from '../../protocol/error.ts';
import * as z from '../../text/schema-kinds.ts';
import { cart, checkout, customer, order, product, productPage } from '../models.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopApi, ShopCall, ShopWrite } from '../shop-api.ts';
import { at, filled, filledBody, renamed } from './mapping.ts';

/** One operation of a backend. Every `{name}` in `path`, `query` and `body` is a field of what is asked for. */
export interface HttpOperation {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string>>;
  /** JSON, with `{name}` as whole strings. Default for what changes something: all that is asked for. */
  body?: unknown;
  /** The path in the answer to what is meant: `data.order`. Default: all of it. */
  at?: string;
  /** By field of the model, the path in the answer: `{"id": "sku"}`. Default: the answer has the fields of the model; else name all. */
  fields?: Readonly<Record<string, string>>;
}

export type HttpOperationName =
  | 'searchProducts'
  | 'product'
  | 'findCustomer'
  | 'order'
  | 'orders'
  | 'changeOrder'
  | 'changeAddress'
  | 'cart'
  | 'changeCart'
  | 'checkout';

export interface HttpShopOptions {
  /** An address without a path, or with the beginning of one. */
  baseUrl: string;
  operations: Readonly<Partial<Record<HttpOperationName, HttpOperation>>>;
  /** The claim of the token that holds the user's credential for the backend. Default `shopCredential`. */
  credentialClaim?: string;
  /** The header that carries it, after `credentialPrefix`. Default `authorization` and `Bearer `. */
  credentialHeader?: string;
  credentialPrefix?: string;
  /** The header that carries the key of a change. Default `idempotency-key`. */
  keyHeader?: string;
  /** Of one attempt, in milliseconds. Default 10,000. */
  timeoutMs?: number;
  /** Attempts of a call. A change is repeated under its key. Default 3. */
  attempts?: number;
  /** Default: that of Node. */
  fetch?: typeof fetch;
}

const maxBytes = 4 * 2 ** 20;
const baseWaitMs = 100;

/**
 * A shop behind HTTP. It passes on the credential of the user who asks, and of nobody else, and answers nothing of one user to another: it
 * keeps nothing.
 *
 * A change that timed out, or was answered with 500, may have been made: it is repeated under the same key, which the backend must know.
 * What the backend refuses with 409 or 422, `{"code", "message"}`, is a denial that the model reads.
 */
export function createHttpShop(options: HttpShopOptions): ShopApi {
  const ask = asking(options);
  const one = async <T>(
    name: HttpOperationName,
    schema: Schema<T>,
    values: object,
    call: ShopCall,
    key?: string,
  ) => {
    const found = await ask(name, values, call, key);
    return found === null ? null : checked(name, schema, found);
  };
  const must = async <T>(
    name: HttpOperationName,
    schema: Schema<T>,
    values: object,
    call: ShopCall,
    key?: string,
  ) => (await one(name, schema, values, call, key)) ?? fail(name, 'the shop does not have it');
  const written = <T>(name: HttpOperationName, schema: Schema<T>, values: object, write: ShopWrite) =>
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
  };
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

function asking(options: HttpShopOptions) {
  const { operations, timeoutMs = 10_000, attempts = 3, fetch: send = fetch } = options;
  return async (name: HttpOperationName, values: object, call: ShopCall, key?: string): Promise<unknown> => {
    const operation = operations[name] ?? fail(name, 'it is not configured');
    const request = requestOf(options, operation, values, call, key);
    for (let attempt = 1; ; attempt++) {
      const answer = await attempted(name, send, request, timeoutMs, call.signal);
      if (answer.isFinal || attempt >= attempts) return settled(name, operation, answer);
      await pause(baseWaitMs * 2 ** (attempt - 1), call.signal);
    }
  };
}

interface Request {
  url: URL;
  init: RequestInit;
}

function requestOf(
  options: HttpShopOptions,
  operation: HttpOperation,
  values: object,
  { principal }: ShopCall,
  key?: string,
): Request {
  const {
    baseUrl,
    credentialClaim = 'shopCredential',
    credentialHeader = 'authorization',
    credentialPrefix = 'Bearer ',
    keyHeader = 'idempotency-key',
  } = options;
  const { method = key === undefined ? 'GET' : 'POST', path, query = {}, body } = operation;
  const known = { ...values };
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${filled(path, known, encodeURIComponent)}`);
  for (const [name, template] of Object.entries(query)) {
    const value = filled(template, known);
    if (value !== '') url.searchParams.set(name, value);
  }
  const headers = new Headers({ accept: 'application/json' });
  const credential = principal.claims[credentialClaim];
  if (typeof credential === 'string' && credential !== '')
    headers.set(credentialHeader, `${credentialPrefix}${credential}`);
  if (key !== undefined) headers.set(keyHeader, key);
  if (method === 'GET') return { url, init: { method, headers, redirect: 'error' } };
  headers.set('content-type', 'application/json');
  const sent = body === undefined ? known : filledBody(body, known);
  return { url, init: { method, headers, body: JSON.stringify(sent), redirect: 'error' } };
}

interface Attempt {
  status: number | null;
  json: unknown;
  /** Another attempt cannot change it. */
  isFinal: boolean;
}

/** Never throws for what another attempt may mend; says nothing of the request, whose headers hold a credential. */
async function attempted(
  name: string,
  send: typeof fetch,
  { url, init }: Request,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const response = await send(url, {
      ...init,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const { status } = response;
    const text = await response.text();
    const isFinal = status < 500 && status !== 408 && status !== 425 && status !== 429;
    if (text.length > maxBytes) return fail(name, 'its answer is too long');
    return { status, json: parsed(text), isFinal };
  } catch (error) {
    if (signal.aborted || DetentError.is(error)) throw error;
    return { status: null, json: undefined, isFinal: false };
  }
}

function settled(name: string, operation: HttpOperation, { status, json }: Attempt): unknown {
  if (status === 404) return null;
  if (status === 409 || status === 422) throw denialOf(json);
  if (status === null) return fail(name, 'it did not answer in time', true);
  if (status < 200 || status > 299) return fail(name, `it answered ${status}`, status >= 500);
  if (json === undefined) return fail(name, 'its answer is not JSON');
  return renamed(at(json, operation.at ?? '') ?? null, operation.fields ?? {});
}

function denialOf(json: unknown): ShopDenied {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  const isCode = typeof code === 'string' && /^[A-Z][A-Z_]{1,40}$/.test(code);
  return new ShopDenied(
    isCode ? code : 'REFUSED',
    typeof message === 'string' ? message.slice(0, 300) : 'the shop refuses it',
  );
}

function checked<T>(name: string, schema: Schema<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return fail(name, 'its answer does not fit the model of a shop');
}

function fail(name: string, why: string, retryable = false): never {
  throw new DetentError('SHOP_FAILED', `${name} of the shop failed: ${why}`, { retryable });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
