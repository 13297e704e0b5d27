import type { Caller } from '../../protocol/access.ts';
import { once } from '../../text/limiter.ts';
import type { Listing } from '../config/core.ts';
import type { KnownToken, NewToken, TokenRequest, TokenView } from './access-tokens.ts';
import type { LoginCode } from './login-codes.ts';

/** How often the database is asked whether tokens have ended, in milliseconds. */
const lookMs = 500;

/** Tokens that let clients in. The database stores hashes of their secrets, so Detent shows a token once, when it makes it. */
export interface DetentTokens {
  /**
   * Makes a token. Throws `INVALID_SCOPE`, `INVALID_ARGUMENTS`.
   *
   * @returns what `list` says of it, and the token itself, this once
   */
  create(request: TokenRequest): Promise<NewToken>;
  /**
   * Oldest first, with those that were revoked or have expired.
   *
   * @param filter.tenantId only those of this tenant. Default: of all tenants
   */
  list(filter?: { tenantId?: number }): Promise<TokenView[]>;
  /**
   * Revokes a token: the next `check` in any process refuses it. Throws `NOT_FOUND`.
   *
   * @param id the part of the token before the dot
   * @param tenantId a token of another tenant is `NOT_FOUND`. Default: any tenant
   * @returns false if it was revoked before
   */
  revoke(id: string, tenantId?: number): Promise<boolean>;
  /**
   * The client of this token; null if it is malformed, unknown, wrong, revoked or expired. Asks the database each
   * time, writes nothing, and does the same work in all these cases; less for a token that was right before.
   */
  check(token: string): Promise<Caller | null>;
  /**
   * Reports when tokens have ended, so that their connections can be closed: at once when this Detent revokes one,
   * within a second when another process does or one expires. Reads the database twice a second, however many tokens
   * there are.
   *
   * @param ended must not throw. It is called once for tokens that end together, and does not get their ids
   * @returns the function that stops it
   */
  watch(ended: () => void): () => void;
  /**
   * Makes the code of a login link, for any gateway on this database: `URL/#login=CODE`. A page exchanges it for a token with
   * all scopes of tenant 1, once and within five minutes. The code itself is no token.
   */
  createLogin(): Promise<LoginCode>;
  /** Uses up a code. Returns false if it is malformed, unknown, wrong, too old, or was used before, in any process. */
  useLogin(code: string): Promise<boolean>;
  /**
   * Counts a failed attempt to log in, together with those at all other gateways on this database.
   *
   * @param source where it came from, such as the address of the client
   * @param perMinute how many are allowed
   * @returns false when there were too many before
   */
  countFailure(source: string, perMinute: number): Promise<boolean>;
  /** Milliseconds since the epoch, by the clock that says when tokens expire: that of the server where runs are in PostgreSQL. */
  now(): number;
}

/**
 * @param listing opens the database on first use, and looks whether it is still there.
 * @param unproved opens it alone. For the check of each request, which shows nothing of what is in it: what the request reads or
 * writes then looks.
 *
 * @internal
 */
export function tokensApi(
  listing: () => Promise<Pick<Listing, 'store' | 'now'>>,
  unproved: typeof listing,
  now: () => number,
): {
  api: DetentTokens;
  /** Tells all who watch that tokens have ended. */
  ended(): void;
} {
  const tokens = once(() => import('./access-tokens.ts'));
  const known = new Map<unknown, KnownToken>();
  const watchers = new Set<() => void>();
  const tellEnded = () => {
    for (const ended of watchers) ended();
  };
  const logins = () => import('./login-codes.ts');
  const api: DetentTokens = {
    create: async (request) => (await tokens()).createToken(await listing(), request),
    list: async ({ tenantId } = {}) => (await tokens()).listTokens(await listing(), tenantId),
    async revoke(id, tenantId) {
      const isRevoked = await (await tokens()).revokeToken(await listing(), id, tenantId);
      if (isRevoked) tellEnded();
      return isRevoked;
    },
    async check(token) {
      const before = known.get(token);
      if (before && isUnchanged(before)) return before.caller;
      return (await tokens()).checkToken(await unproved(), token, known);
    },
    watch(ended) {
      watchers.add(ended);
      const stop = lookForEnded(async () => (await tokens()).countEnded(await listing()), ended);
      return () => {
        watchers.delete(ended);
        stop();
      };
    },
    createLogin: async () => (await logins()).createLogin(await listing()),
    useLogin: async (code) => (await logins()).useLogin(await listing(), code),
    countFailure: async (source, perMinute) =>
      (await logins()).countFailure(await unproved(), source, perMinute),
    now,
  };
  return { api, ended: tellEnded };
}

/** Whether nothing has been written since the token was found right, and it has not expired. */
function isUnchanged({ store, now, row, moment }: KnownToken): boolean {
  if (moment === undefined || moment !== store.moment?.()) return false;
  return (row.expiresAt ?? Number.POSITIVE_INFINITY) > now();
}

/** Polls for ended tokens, and continues while the database cannot be read, which does not mean that tokens have ended. */
function lookForEnded(countEnded: () => Promise<number>, ended: () => void): () => void {
  let known: number | null = null;
  let isLooking = false;
  const look = async () => {
    const count = await countEnded();
    // The first look cannot tell which tokens ended just before it.
    if (count !== known) ended();
    known = count;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, lookMs).unref();
  return () => clearInterval(timer);
}
