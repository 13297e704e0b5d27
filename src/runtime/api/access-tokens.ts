import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type Caller,
  checkScopes,
  checkSight,
  checkTalker,
  defaultTenant,
  isUserId,
  type Scope,
} from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import { type Ask, request as asking, order, type Tell } from '../../store/program.ts';
import type { AccessTokenRow } from '../../store/rows.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import { hex, randomId, sha256 } from '../../text/ids.ts';
import type { Listing } from '../config/core.ts';
import { unknownTenant } from '../requests/check-tenant.ts';

/** @internal */
export type Place = Pick<Listing, 'store' | 'now'>;

export interface TokenRequest {
  scopes: readonly Scope[];
  /** Default: 1. */
  tenantId?: number;
  /** Binds the token to a user: the client sees only that user's sessions and runs. Default: no user. */
  userId?: string;
  /** `tenant`: the client sees the sessions and runs of the whole tenant, and acts under the name of its user. */
  sees?: 'tenant';
  /** The agents and workflows that the client sees; an empty list means none. Default: all. */
  agents?: readonly string[];
  workflows?: readonly string[];
  /** A label for people. It also names decisions of a client without a user. */
  name?: string;
  /** Milliseconds since the epoch, up to the year 9999. Default: the token does not expire. */
  expiresAt?: number;
  /** Runs that a gateway lets its client have at work at once. Default: the gateway's limit. */
  maxRuns?: number;
}

/** A token without its secret. Times are milliseconds since the epoch. */
export type TokenView = MethodOutput<'trust.list'>['tokens'][number];

export interface NewToken extends TokenView {
  /** `id.secret`. */
  token: string;
}

/** @internal */
export const ask: Ask<StatementsOf<'accessTokens'> & Pick<Statements, 'findTenant'>> = asking;
/** @internal */
export const tell: Tell<StatementsOf<'accessTokens'>> = order;
/**
 * The scope of rows that are codes of login links. No token can have this scope, so a code is never accepted as a
 * token.
 *
 * @internal
 */
export const loginScope = '["login"]';
const digestBytes = 32;
const maxNameLength = 200;
/** Longer than any token, so that megabytes from a client are not hashed. */
const maxTokenLength = 200;
const endOfTime = Date.UTC(10_000, 0) - 1;
const fields = [
  'scopes',
  'tenantId',
  'userId',
  'sees',
  'agents',
  'workflows',
  'name',
  'expiresAt',
  'maxRuns',
];

/** @internal */
export async function createToken({ store, now }: Place, request: TokenRequest): Promise<NewToken> {
  const createdAt = now();
  const { scopes, tenantId, userId, sight, name, expiresAt, maxRuns } = checked(request, createdAt);
  const id = randomId('tok');
  const secret = randomBytes(digestBytes).toString('base64url');
  const row = {
    id,
    tenant: tenantId,
    user: userId,
    name,
    scopes: JSON.stringify(scopes),
    secretHash: hex(sha256(secret)),
    createdAt,
    expiresAt,
    maxRuns,
    sight: Object.keys(sight).length === 0 ? null : JSON.stringify(sight),
  };
  await store.commit(function* () {
    if (!(yield* ask('findTenant', { tenant: tenantId }))) throw unknownTenant(tenantId);
    yield* tell('insertAccessToken', row);
  });
  return { ...tokenView({ ...row, revokedAt: null }), token: `${id}.${secret}` };
}

/** @internal */
export async function listTokens({ store }: Place, tenantId: number | undefined): Promise<TokenView[]> {
  const rows = await store.query('listAccessTokens', { tenant: tenantId ?? null });
  return rows.filter(({ scopes }) => scopes !== loginScope).map(tokenView);
}

/**
 * How many tokens have ended, and users are gone.
 *
 * @internal
 */
export async function countEnded({ store, now }: Place): Promise<number> {
  return (await store.query('countEndedAccessTokens', { now: now(), except: loginScope }))?.ended ?? 0;
}

/** @internal */
export async function revokeToken(
  { store, now }: Place,
  id: string,
  tenantId: number | undefined,
): Promise<boolean> {
  const row = typeof id === 'string' ? await store.query('findAccessToken', { id }) : undefined;
  if (!row || row.tenant !== (tenantId ?? row.tenant))
    throw new DetentError('NOT_FOUND', `there is no token ${shown(id)}; "detent token list" lists them`);
  const revoked = { id, tenant: row.tenant, at: now() };
  return (await store.commit(() => ask('revokeAccessToken', revoked))) > 0;
}

/**
 * A token that was found right, by the row that the store had at a moment. While the row is the same, so is the answer.
 *
 * @internal
 */
export interface KnownToken extends Place {
  row: AccessTokenRow;
  caller: Caller;
  moment: number | undefined;
}
const maxKnown = 1_000;

/** @internal */
export async function checkToken(
  { store, now }: Place,
  token: unknown,
  known: Map<unknown, KnownToken>,
): Promise<Caller | null> {
  const { text, id, secret } = partsOf(token);
  // Before the row is read: a commit in between counts as one after it.
  const moment = store.moment?.();
  const row = await store.query('findAccessToken', { id });
  const before = known.get(text);
  if (before && isSameRow(before.row, row)) {
    before.moment = moment;
    return isOver(row, now()) ? null : before.caller;
  }
  const right = rightRow(row, secret, now());
  const caller = right && callerOf(right);
  if (!caller) return null;
  if (known.size >= maxKnown) known.clear();
  known.set(text, { store, now, row: right, caller: frozen(caller), moment });
  return caller;
}

/** Every check of a token gives the same one. */
function frozen(caller: Caller): Caller {
  for (const value of Object.values(caller)) Object.freeze(value);
  return Object.freeze(caller);
}

function isSameRow(row: AccessTokenRow, now: AccessTokenRow | undefined): now is AccessTokenRow {
  if (!now) return false;
  for (const name in row)
    if (row[name as keyof AccessTokenRow] !== now[name as keyof AccessTokenRow]) return false;
  return true;
}

/**
 * The row of a valid token or code.
 *
 * @internal
 */
export async function rowOf({ store, now }: Place, token: unknown): Promise<AccessTokenRow | null> {
  const { id, secret } = partsOf(token);
  return rightRow(await store.query('findAccessToken', { id }), secret, now());
}

function partsOf(token: unknown): { text: string; id: string; secret: string } {
  const text = typeof token === 'string' && token.length <= maxTokenLength ? token : '';
  const dot = text.indexOf('.');
  return { text, id: text.slice(0, Math.max(0, dot)), secret: text.slice(dot + 1) };
}

/** Null for an invalid token. Those take the same work, so that an attacker learns nothing from the time. */
function rightRow(row: AccessTokenRow | undefined, secret: string, now: number): AccessTokenRow | null {
  const isRight = timingSafeEqual(sha256(secret), digestOf(row));
  return row && isRight && !isOver(row, now) ? row : null;
}

function isOver({ revokedAt, expiresAt }: AccessTokenRow, now: number): boolean {
  return revokedAt !== null || (expiresAt ?? endOfTime) <= now;
}

/** The caller of a token. A row from a newer program may have unknown values; then the token is refused here. */
function callerOf({ id, tenant, user, name, scopes, maxRuns, sight }: AccessTokenRow): Caller | null {
  try {
    const caller: Caller = {
      tenantId: tenant,
      userId: user,
      name: name || id,
      scopes: checkScopes(JSON.parse(scopes)),
      ...checkSight(sight === null ? {} : JSON.parse(sight)),
      ...(maxRuns !== null && { maxRuns }),
    };
    checkTalker(caller);
    return caller;
  } catch {
    return null;
  }
}

/** The stored digest; for a missing or damaged row, a digest that matches no known secret. */
function digestOf(row: AccessTokenRow | undefined): Buffer {
  const digest = Buffer.from(row?.secretHash ?? '', 'hex');
  return digest.length === digestBytes ? digest : Buffer.alloc(digestBytes);
}

/** An unknown field is an error: `userID` for `userId` would make a token of the whole tenant. */
function checked(request: TokenRequest, createdAt: number) {
  if (!isObject(request)) throw invalidArguments('a token is made from an object with scopes');
  refuseUnknownFields(request, fields, 'a token', 'INVALID_ARGUMENTS');
  const { tenantId = defaultTenant, userId = undefined, name = '', expiresAt, maxRuns } = request;
  const sight = checkSight(request);
  if (sight.sees && userId === undefined)
    throw invalidArguments('sees goes with userId: a token without a user sees the whole tenant anyway');
  const scopes = checkScopes(request.scopes);
  if (!Number.isSafeInteger(tenantId) || tenantId < 1)
    throw invalidArguments(`tenantId is a whole number from 1 on, not ${shown(tenantId)}`);
  if (userId !== undefined && !isUserId(userId))
    throw invalidArguments(
      `userId is a text of 1 to 128 characters without control characters, not ${shown(userId)}`,
    );
  if (typeof name !== 'string' || name.length > maxNameLength)
    throw invalidArguments(`name is a text of at most ${maxNameLength} characters, not ${shown(name)}`);
  if (
    expiresAt !== undefined &&
    !(Number.isSafeInteger(expiresAt) && expiresAt > createdAt && expiresAt <= endOfTime)
  )
    throw invalidArguments(
      `expiresAt is a time in the future, in milliseconds since the epoch, up to the year 9999, not ${shown(expiresAt)}`,
    );
  checkTalker({ scopes, userId: userId ?? null, ...sight });
  if (maxRuns !== undefined && !(Number.isSafeInteger(maxRuns) && maxRuns >= 1))
    throw invalidArguments(`maxRuns is a whole number from 1 on, not ${shown(maxRuns)}`);
  return {
    scopes,
    tenantId,
    userId: userId ?? null,
    sight,
    name,
    expiresAt: expiresAt ?? null,
    maxRuns: maxRuns ?? null,
  };
}

function invalidArguments(what: string): DetentError {
  return new DetentError('INVALID_ARGUMENTS', what);
}

function tokenView({ tenant, user, scopes, sight, secretHash: _, ...rest }: AccessTokenRow): TokenView {
  const sees = JSON.parse(sight ?? '{}') as Pick<TokenView, 'sees' | 'agents' | 'workflows'>;
  return { ...rest, tenantId: tenant, userId: user, scopes: JSON.parse(scopes) as Scope[], ...sees };
}
