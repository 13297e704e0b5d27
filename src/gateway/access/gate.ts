import { timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { awaitForeign } from '../../engine/foreign-code.ts';
import type { Detent } from '../../index.ts';
import { type Caller, defaultTenant, type Scope } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { inTime } from '../../text/limiter.ts';
import type { Authenticate, Authenticated, GatewayLimits } from '../gateway-options.ts';
import { checkAnswer, invalidCaller } from './check-answer.ts';

/** A page elsewhere cannot have such a name: browsers never ask a server for the address of these. */
const loopback = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses and holders whose requests are counted; those seen least recently are forgotten. */
const maxCounted = 50_000;

/** Tokens that only this process knows, such as the one that `detent serve` prints. */
export interface OwnToken {
  token: string;
  caller: Caller;
}

/** A client that is let in. */
export interface LetIn {
  caller: Caller;
  /** The holder for whom its limits count. */
  holder: string;
  /**
   * Checks the same token again, and lets the client in while the token is valid. Throws as {@link Gate.letIn}, and
   * counts no attempt.
   */
  again(): Promise<LetIn>;
  /** Whether the expiry that the host stated at the last check has passed. */
  hasExpired(now?: number): boolean;
}

/** The owner of a token, and when the token ends. */
interface Found {
  caller: Caller;
  expiresAt?: number;
}

interface GateOptions {
  /** The host's own; without it, `detent.tokens` says whose a token is. */
  authenticate?: Authenticate | undefined;
  tokens: Pick<Detent['tokens'], 'check' | 'countFailure' | 'now'>;
  /** They say whether a user is one no more: a guest who went over to another one. */
  users?: Pick<Detent['users'], 'isGone'>;
  /** The id of the tenant of a name; creates the tenant if it does not exist. */
  tenantNamed(name: string): Promise<number>;
  own: readonly OwnToken[];
  hosts: readonly string[] | undefined;
  origins: readonly string[];
  limits: GatewayLimits;
  /** Milliseconds of a clock that never steps. Default: that of the process. */
  now?(): number;
  report(error: unknown): void;
}

/** Decides which clients may connect. */
export class Gate {
  readonly #options: GateOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #own: readonly { digest: Uint8Array; caller: Caller }[];
  readonly #requests: Buckets;
  readonly #failures: Buckets;

  constructor(options: GateOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.#own = options.own.map(({ token, caller }) => ({ digest: sha256(token), caller }));
    this.#hosts = new Set([...loopback, ...(options.hosts ?? [])].map((host) => host.toLowerCase()));
    this.#requests = new Buckets(options.limits.requestsPerMinute, now);
    this.#failures = new Buckets(options.limits.failuresPerMinute, now);
  }

  /** Whether the host says whose tokens are, and Detent's own count for nothing. */
  get asksHost(): boolean {
    return this.#options.authenticate !== undefined;
  }

  /** @throws DetentError `HOST_NOT_ALLOWED` when the request's host is not a name of the gateway. */
  checkHost(host: string | null | undefined): void {
    const named = host?.toLowerCase() ?? '';
    if (this.#hosts.has(named) || this.#hosts.has(named.replace(/:\d+$/, ''))) return;
    throw new DetentError(
      'HOST_NOT_ALLOWED',
      `the gateway does not answer under the name ${shown(host ?? '')} in the header Host; add it to "hosts" of the gateway (detent serve --allow-host NAME)`,
    );
  }

  /**
   * A request without an origin comes from no page.
   *
   * @throws DetentError `ORIGIN_NOT_ALLOWED` when it comes from a page that is neither the gateway's own nor listed.
   */
  checkOrigin(origin: string | null | undefined, host: string | null | undefined): void {
    if (origin == null || this.isListed(origin) || isOwn(origin, host)) return;
    const named = URL.parse(origin)?.origin === origin ? origin : null;
    throw new DetentError(
      'ORIGIN_NOT_ALLOWED',
      `pages of ${named ?? 'this origin'} may not use the gateway; add it to "origins" of the gateway (detent serve --allow-origin ${named ?? 'ORIGIN'})`,
    );
  }

  /** Whether pages of another origin may read answers. */
  isListed(origin: string): boolean {
    return this.#options.origins.includes(origin);
  }

  /**
   * Lets a client in. A request without a token is refused, but does not count as an attempt to guess one. A right
   * token is accepted however many wrong ones came from its address: 256 bits cannot be guessed, and behind a proxy all
   * clients share an address.
   *
   * @param address of the client, for the count of failures.
   * @returns who it is, and `holder`: whom its limits count for. A user that logs in again and again has many tokens, so that is
   *   the user, and the token only if it is bound to none.
   * @throws DetentError `UNAUTHORIZED`, `TOO_MANY_REQUESTS`, `AUTHENTICATION_FAILED`, `INVALID_CALLER`.
   */
  async letIn(token: string, request: Request, address: string): Promise<LetIn> {
    if (token === '') throw unauthorized();
    const digest = sha256(token);
    const anyones = hex(digest);
    let expiresAt = Number.POSITIVE_INFINITY;
    const hasExpired = (now = this.#options.tokens.now()) => now >= expiresAt;
    let last: LetIn | null = null;
    const again = async (): Promise<LetIn> => {
      try {
        const found = await this.#find(token, digest, request);
        if (!found) throw unauthorized();
        expiresAt = found.expiresAt ?? Number.POSITIVE_INFINITY;
        const { caller } = found;
        if (caller !== last?.caller) {
          const { tenantId, userId } = caller;
          const holder = userId === null ? anyones : `${tenantId}:${userId}`;
          last = { caller, holder, again, hasExpired };
        }
        if (!hasExpired()) return last;
      } catch (error) {
        // A user directory that does not answer must not extend a token.
        if (!hasExpired()) throw error;
      }
      throw unauthorized();
    };
    return this.countingFailures(address, again);
  }

  /** Lets an attempt to log in pass, and counts it if it is wrong. @throws DetentError `TOO_MANY_REQUESTS`, and as `attempt`. */
  async countingFailures<T>(address: string, attempt: () => T | Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (DetentError.is(error) && error.code === 'UNAUTHORIZED') await this.countFailure(address);
      throw error;
    }
  }

  /** Counts a failed attempt to log in. @throws DetentError `TOO_MANY_REQUESTS` when there were too many before, at any gateway. */
  async countFailure(address: string): Promise<void> {
    const { limits, tokens } = this.#options;
    const network = networkOf(address);
    // Who goes on all the same is refused here, and costs the database nothing.
    const isAllowed =
      this.#failures.take(network) && (await tokens.countFailure(network, limits.failuresPerMinute));
    if (!isAllowed) throw tooMany('failed attempts to log in');
  }

  /** Counts a request. @throws DetentError `TOO_MANY_REQUESTS`. */
  count(holder: string): void {
    if (!this.#requests.take(holder)) throw tooMany('requests of this user');
  }

  async #find(token: string, digest: Uint8Array, request: Request): Promise<Found | null> {
    for (const own of this.#own) if (timingSafeEqual(own.digest, digest)) return { caller: own.caller };
    try {
      const { authenticate, tokens, users } = this.#options;
      if (!authenticate) {
        const caller = await tokens.check(token);
        return caller && { caller };
      }
      const found = await this.#askHost(() => authenticate(token, request));
      if (!found) return null;
      // The tenant comes last, so that an invalid answer creates none.
      const { expiresAt, tenant, tenantId, ...said } = checkAnswer(found);
      const caller = { ...said, tenantId: tenantId ?? (await this.#idOf(tenant ?? '')) };
      const { userId } = caller;
      if (userId !== null && (await users?.isGone(userId, { tenantId: caller.tenantId }))) return null;
      return { caller, ...(expiresAt !== undefined && { expiresAt }) };
    } catch (error) {
      if (DetentError.is(error)) throw error;
      throw new DetentError(
        'AUTHENTICATION_FAILED',
        'the gateway could not find out whose token this is; try again later',
        { retryable: true, cause: error },
      );
    }
  }

  #askHost(ask: () => ReturnType<Authenticate>): Promise<Authenticated | null> {
    const { limits, report } = this.#options;
    const { authenticateMs: ms } = limits;
    return inTime(awaitForeign('authenticate', ask, { runId: '', report }), ms, () => {
      throw new Error(`authenticate took more than ${ms} ms`);
    });
  }

  async #idOf(tenant: string): Promise<number> {
    const id = await this.#options.tenantNamed(tenant);
    if (id !== defaultTenant) return id;
    throw invalidCaller(
      `tenant is ${shown(tenant)}, the name of tenant 1, which belongs to the person who runs this program`,
    );
  }
}

/**
 * A client that was let in, as its token is now.
 *
 * @param scope what the client must not have lost.
 * @throws DetentError as {@link Gate.letIn}; `UNAUTHORIZED` also when the token stands for another tenant or user.
 */
export async function asNow({ caller, again }: LetIn, scope: Scope = 'read'): Promise<LetIn> {
  const now = await again();
  if (now.caller === caller || standsForTheSame(caller, now.caller, scope)) return now;
  throw unauthorized();
}

/**
 * Whether a client that was let in may stay. An error that is not about the token, such as that of a busy database, is
 * reported, and the client stays.
 */
export async function mayStay(
  who: LetIn,
  report: (error: unknown) => void,
  scope: Scope = 'read',
): Promise<boolean> {
  try {
    await asNow(who, scope);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    report(error);
    return true;
  }
}

/** Whether another attempt with the same token would be refused too. */
export function isRefusal(error: unknown): boolean {
  return DetentError.is(error) && !error.retryable;
}

function standsForTheSame(before: Caller, now: Caller, scope: Scope): boolean {
  const hasLost = [scope, 'talk' as const].some(
    (one) => before.scopes.includes(one) && !now.scopes.includes(one),
  );
  const sightOf = ({ tenantId, userId, sees, agents, workflows }: Caller) =>
    JSON.stringify([tenantId, userId, sees, agents ?? null, workflows ?? null]);
  return sightOf(before) === sightOf(now) && !hasLost;
}

/** The part of an address that counts as one client: providers give each customer 2^64 addresses of IPv6. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || /^::ffff:\d+\./i.test(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const groups = (text = '') => text.split(':').filter((group) => group !== '');
  const [first, last] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4).join(':');
}

export function unauthorized(): DetentError {
  return new DetentError(
    'UNAUTHORIZED',
    'a valid token is needed: make one with "detent token create --scope read,write"',
  );
}

function tooMany(what: string): DetentError {
  return new DetentError('TOO_MANY_REQUESTS', `too many ${what}; try again in a minute`, { retryable: true });
}

function isOwn(origin: string, host: string | null | undefined): boolean {
  try {
    const { protocol, host: named } = new URL(origin);
    return ['http:', 'https:'].includes(protocol) && named === host?.toLowerCase();
  } catch {
    return false;
  }
}

/** Compares secrets in constant time. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** Counts per minute that refill steadily. */
class Buckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  // With `max` it would allocate for all of them at once, which takes 8 ms and 1.4 MB.
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({
    maxSize: maxCounted,
    sizeCalculation: () => 1,
  });

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one, if one is left. */
  take(key: string): boolean {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      bucket = { left: this.#perMinute, at: now };
      this.#buckets.set(key, bucket);
    }
    const { left, at } = bucket;
    bucket.left = Math.min(this.#perMinute, left + ((now - at) / 60_000) * this.#perMinute);
    bucket.at = now;
    const isLeft = bucket.left >= 1;
    if (isLeft) bucket.left--;
    return isLeft;
  }
}
