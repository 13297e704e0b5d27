import { randomBytes } from 'node:crypto';
import { defaultTenant } from '../../protocol/access.ts';
import { hex, randomId, sha256 } from '../../text/ids.ts';
import { ask, loginScope, type Place, rowOf, tell } from './access-tokens.ts';

/** The code of a login link. */
export interface LoginCode {
  code: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const codeMs = 5 * 60_000;
const minuteMs = 60_000;

/** @internal */
export async function createLogin({ store, now }: Place): Promise<LoginCode> {
  const id = randomId('log');
  const secret = randomBytes(32).toString('base64url');
  const createdAt = now();
  const expiresAt = createdAt + codeMs;
  const secretHash = hex(sha256(secret));
  const whose = { tenant: defaultTenant, user: null, name: 'login link', maxRuns: null, sight: null };
  const row = { ...whose, id, scopes: loginScope, secretHash, createdAt, expiresAt };
  await store.commit(function* () {
    yield* tell('deleteExpiredAccessTokens', { scopes: loginScope, now: createdAt });
    yield* tell('insertAccessToken', row);
  });
  return { code: `${id}.${secret}`, expiresAt };
}

/**
 * Only the first process to use a code succeeds: its row can be revoked once.
 *
 * @internal
 */
export async function useLogin(place: Place, code: unknown): Promise<boolean> {
  const row = await rowOf(place, code);
  if (row?.scopes !== loginScope) return false;
  const used = { id: row.id, tenant: row.tenant, at: place.now() };
  return (await place.store.commit(() => ask('revokeAccessToken', used))) > 0;
}

/** @internal */
export async function countFailure(
  { store, now }: Place,
  source: string,
  perMinute: number,
): Promise<boolean> {
  const at = now();
  const stepMs = Math.floor(minuteMs / perMinute);
  // For itself, so that no commit has rows of several addresses locked.
  await store.commit(() => tell('deleteLoginFailures', { now: at }));
  const failure = {
    // What clients send may be of any length, and nobody needs to read it.
    source: hex(sha256(source)),
    now: at,
    stepMs,
    latest: at + minuteMs - stepMs,
    beyond: at + 2 * minuteMs,
  };
  return (await store.commit(() => ask('countLoginFailure', failure))) > 0;
}
