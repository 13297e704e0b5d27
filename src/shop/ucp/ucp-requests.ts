import { randomUUID } from 'node:crypto';
import type { ShopConfig } from '../../protocol/config.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { oneLine } from '../../text/wording.ts';
import {
  checked,
  type ExchangeOptions,
  exchange,
  type Reply,
  type Schema,
  shopFailed,
  succeeded,
} from '../http/exchange.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopCall } from '../shop-api.ts';
import { errorReply, profileReply, shoppingService, ucpVersion } from './wire.ts';

/** The field `shop.ucp` of the configuration; see docs/shop.md. */
export type UcpShopOptions = NonNullable<ShopConfig['ucp']> & Pick<ExchangeOptions, 'fetch'>;

/** What of the protocol is used. */
type Capability = 'catalog.search' | 'catalog.lookup' | 'cart' | 'checkout' | 'order' | 'discount';

interface UcpRequest {
  /** Appended to the endpoint of the shop. */
  path: string;
  method: 'GET' | 'POST' | 'PUT';
  body?: unknown;
  /** Of a change: the same for the same change. */
  key?: string;
}

interface Discovered {
  endpoint: string;
  capabilities: ReadonlySet<string>;
  at: number;
}

type Outcome<T> = { is: T } | { refused: ShopDenied };

/** A profile is read again after an hour. */
const maxAgeMs = 3_600_000;

/** Asks a shop that speaks the protocol. Keeps its profile, and nothing of users. */
export class UcpRequests {
  readonly #options: UcpShopOptions;
  readonly #now: () => number;
  #found: Discovered | null = null;

  constructor(options: UcpShopOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /** What the shop can do in the version that is spoken. @throws DetentError `SHOP_FAILED`. */
  async has(capability: Capability, call: ShopCall): Promise<boolean> {
    const { capabilities } = await this.#discovered(call.signal);
    return capabilities.has(`${shoppingService}.${capability}`);
  }

  /** The names of what is used and what the shop has. */
  async capabilities(signal: AbortSignal): Promise<string[]> {
    const { capabilities } = await this.#discovered(signal);
    return [...capabilities].map((name) => name.replace(`${shoppingService}.`, '')).sort();
  }

  /**
   * @throws DetentError `SHOP_FAILED`: `retryable` where the change may have been made, or may still be.
   * @throws ShopDenied `NOT_OFFERED`.
   */
  async ask<T>(
    name: string,
    capability: Capability,
    schema: Schema<T>,
    { path, method, body, key }: UcpRequest,
    call: ShopCall,
  ): Promise<Outcome<T>> {
    const { endpoint, capabilities } = await this.#discovered(call.signal);
    if (!capabilities.has(`${shoppingService}.${capability}`))
      throw new ShopDenied('NOT_OFFERED', `this shop does not offer ${capability} here`);
    const headers = {
      'ucp-agent': `profile="${this.#options.profile}"`,
      'request-id': randomUUID(),
      ...(key !== undefined && { 'idempotency-key': uuidOf(key) }),
    };
    const request = { method, url: new URL(`${endpoint}${path}`), body, headers };
    const reply = await exchange(name, request, this.#options, call);
    return outcomeOf(name, schema, reply);
  }

  async #discovered(signal: AbortSignal): Promise<Discovered> {
    const kept = this.#found;
    if (kept !== null && this.#now() - kept.at < maxAgeMs) return kept;
    try {
      const found = await this.#discover(signal);
      this.#found = found;
      return found;
    } catch (error) {
      // What was known still serves while the profile cannot be read.
      if (kept === null || signal.aborted) throw error;
      return kept;
    }
  }

  async #discover(signal: AbortSignal): Promise<Discovered> {
    const { url, endpoint: expected } = this.#options;
    const own = new URL('/.well-known/ucp', url);
    let { ucp } = await this.#profile(own, signal);
    if (ucp.version !== ucpVersion) {
      const other = ucp.supported_versions?.[ucpVersion];
      const found = other === undefined ? null : URL.parse(other, own.href);
      if (found?.origin !== own.origin)
        return shopFailed('discovery', `it speaks version ${oneLine(ucp.version, 20)}, not ${ucpVersion}`);
      ({ ucp } = await this.#profile(found, signal));
    }
    const service = ucp.services[shoppingService]?.find(
      ({ transport, version, endpoint }) =>
        transport === 'rest' && version === ucpVersion && endpoint !== undefined,
    );
    const endpoint = service?.endpoint?.replace(/\/$/, '');
    if (endpoint === undefined || !URL.canParse(endpoint))
      return shopFailed('discovery', `its profile has no REST service of version ${ucpVersion}`);
    // Credentials of users go there: the profile alone must not send them to another host.
    const isOwn = new URL(endpoint).origin === own.origin || endpoint === expected?.replace(/\/$/, '');
    if (!isOwn)
      return shopFailed(
        'discovery',
        `its API is at ${oneLine(endpoint, 100)}: if it is to get credentials, set "endpoint" to it`,
      );
    const capabilities = Object.entries(ucp.capabilities ?? {}).flatMap(([name, offered]) =>
      offered.some((it) => it.version === ucpVersion && isOfUcp(it.spec)) ? name : [],
    );
    return { endpoint, capabilities: new Set(capabilities), at: this.#now() };
  }

  async #profile(url: URL, signal: AbortSignal) {
    const principal = { tenantId: 0, userId: null, claims: {} };
    const request = { method: 'GET', url, headers: { 'ucp-agent': `profile="${this.#options.profile}"` } };
    const reply = await exchange('discovery', request, this.#options, { principal, signal });
    return checked('discovery', profileReply, succeeded('discovery', reply));
  }
}

/** @throws ShopDenied what the shop refused. */
export function must<T>(outcome: Outcome<T>): T {
  if ('refused' in outcome) throw outcome.refused;
  return outcome.is;
}

export function isNotFound(outcome: Outcome<unknown>): boolean {
  return 'refused' in outcome && outcome.refused.code === 'NOT_FOUND';
}

function outcomeOf<T>(name: string, schema: Schema<T>, reply: Reply): Outcome<T> {
  if (reply.status === 404) return { refused: new ShopDenied('NOT_FOUND', 'the shop does not have it') };
  // Another attempt under this key may still be at work.
  if (reply.status === 409) return shopFailed(name, 'it answered 409', true);
  const json = succeeded(name, reply);
  const error = errorReply.safeParse(json);
  if (!error.success) return { is: checked(name, schema, json) };
  const [first] = error.data.messages ?? [];
  const words = (error.data.messages ?? []).map(({ content }) => content).join(' ');
  return { refused: new ShopDenied(refusalCode(first?.code), oneLine(words, 300) || 'the shop refuses it') };
}

const codes: Readonly<Record<string, string>> = {
  out_of_stock: 'NOT_AVAILABLE',
  item_unavailable: 'NOT_AVAILABLE',
  // Whether something of someone else exists is not told.
  unauthorized: 'NOT_FOUND',
};

function refusalCode(code = ''): string {
  const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
  return known ?? (/^[a-z][a-z_]{1,40}$/.test(code) ? code.toUpperCase() : 'REFUSED');
}

/** The origin of a specification must be the authority of the name. */
function isOfUcp(spec: string | undefined): boolean {
  return spec === undefined || URL.parse(spec)?.origin === 'https://ucp.dev';
}

/** Keys are UUIDs in the protocol: the same for the same text. */
function uuidOf(text: string): string {
  const digest = hex(sha256(text));
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
