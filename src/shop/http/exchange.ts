import { DetentError } from '../../protocol/error.ts';
import { parseJson } from '../../protocol/json.ts';
import type { ShopCall } from '../shop-api.ts';
import { at, filled } from './mapping.ts';

/** How a shop behind HTTP is asked. */
export interface ExchangeOptions {
  headers?: Readonly<Record<string, string>> | undefined;
  timeoutMs?: number | undefined;
  attempts?: number | undefined;
  /** Default: that of Node. */
  fetch?: typeof fetch | undefined;
}

export interface Request {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
}

export interface Reply {
  status: number;
  /** Undefined for what is not JSON. */
  json: unknown;
  /** From 1. */
  attempt: number;
}

const maxBytes = 4 * 2 ** 20;
const baseWaitMs = 100;
const credentialHeaders = { authorization: 'Bearer {shopCredential}' };

/**
 * Sends a request until it is answered with something that another attempt would not mend. Passes on the credential of the user who
 * asks, and of nobody else, to this address alone: redirects are not followed. Says nothing of the request, whose headers hold it.
 *
 * @param name of the operation, for messages.
 * @throws DetentError `SHOP_FAILED`, `retryable` where a change may have been made.
 */
export async function exchange(
  name: string,
  request: Request,
  options: ExchangeOptions,
  call: Pick<ShopCall, 'principal' | 'signal'>,
): Promise<Reply> {
  const { timeoutMs = 10_000, attempts = 3, fetch: send = fetch } = options;
  const init: RequestInit = {
    method: request.method,
    headers: headersOf(name, { ...credentialHeaders, ...options.headers, ...request.headers }, request, call),
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    redirect: 'error',
  };
  for (let attempt = 1; ; attempt++) {
    const reply = await attempted(
      name,
      () => {
        const signal = AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]);
        return send(request.url, { ...init, signal });
      },
      call.signal,
    );
    if (reply !== null && !isPassing(reply.status)) return { ...reply, attempt };
    if (attempt >= attempts)
      return shopFailed(
        name,
        reply === null ? 'it did not answer in time' : `it answered ${reply.status}`,
        true,
      );
    await pause(baseWaitMs * 2 ** (attempt - 1), call.signal);
  }
}

/** @throws DetentError `SHOP_FAILED` for a status that is no success; with `isUnmade` when no attempt can have changed anything. */
export function succeeded(name: string, { status, json, attempt }: Reply): unknown {
  if (status < 200 || status > 299)
    return shopFailed(name, `it answered ${status}`, false, { isUnmade: attempt === 1 });
  return json === undefined ? shopFailed(name, 'its answer is not JSON', true) : json;
}

export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

/** @throws DetentError `SHOP_FAILED` for what does not fit. */
export function checked<T>(name: string, schema: Schema<T>, value: unknown): T {
  const result = schema.safeParse(value);
  return result.success ? result.data : shopFailed(name, 'its answer does not fit the model of a shop');
}

export function shopFailed(name: string, why: string, retryable = false, details = {}): never {
  throw new DetentError('SHOP_FAILED', `${name} of the shop failed: ${why}`, { retryable, details });
}

function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** A header with a claim that the token does not have is left out. */
function headersOf(
  name: string,
  templates: Readonly<Record<string, string>>,
  { body }: Request,
  { principal: { claims } }: Pick<ShopCall, 'principal'>,
): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  for (const [header, template] of Object.entries(templates)) {
    const named = [...template.matchAll(/\{([\w.]+)\}/g)].map(([, path = '']) => at(claims, path));
    if (named.some((claim) => typeof claim !== 'string' || claim === '')) continue;
    const value = filled(template, claims);
    // The error of Headers would quote it.
    if (!/^[\t\x20-\x7e]*$/.test(value)) shopFailed(name, `the value of the header ${header} cannot be sent`);
    if (value !== '') headers.set(header, value);
  }
  return headers;
}

/** Null when there was no answer, or none to its end. */
async function attempted(
  name: string,
  send: () => Promise<Response>,
  signal: AbortSignal,
): Promise<Omit<Reply, 'attempt'> | null> {
  try {
    const response = await send();
    const text = await textOf(response);
    if (text === null) return shopFailed(name, 'its answer is too long');
    return { status: response.status, json: parseJson(text) };
  } catch (error) {
    if (signal.aborted || DetentError.is(error)) throw error;
    return null;
  }
}

/** Null when it is too long; the rest is not read. */
async function textOf({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
