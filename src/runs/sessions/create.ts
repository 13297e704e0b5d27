import { noteEffect, refuseLeaving } from '../../engine/commit.ts';
import { checkSessionKey, isUserId, refuseOwnKey } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields, shown } from '../../protocol/json.ts';
import { randomId } from '../../text/ids.ts';
import type { OfRequest } from '../rows/keyed-requests.ts';
import { ask, type Store } from '../rows/statements.ts';
import { sessionExists } from './import.ts';

export interface NewSession {
  /** Default: a new key. */
  sessionId?: string;
  /** The user whom it belongs to: others cannot use it. Default: no user in particular. */
  userId?: string | null;
}

/** Makes an empty session. @throws DetentError `INVALID_SESSION`, `INVALID_ARGUMENTS`, `SESSION_EXISTS`. */
export async function createSession(
  store: Store,
  tenant: number,
  { sessionId: key = randomId('ses'), userId: user = null, requestId, ...others }: NewSession & OfRequest,
  at: number,
): Promise<{ sessionId: string }> {
  refuseUnknownFields(others, ['sessionId', 'userId', 'tenantId'], 'a session', 'INVALID_ARGUMENTS');
  if (typeof key !== 'string')
    throw new DetentError('INVALID_SESSION', `a session id is a text, not ${shown(key)}`);
  checkSessionKey(key);
  if (user !== null && !isUserId(user))
    throw new DetentError('INVALID_ARGUMENTS', `userId is a text of 1 to 128 characters, not ${shown(user)}`);
  refuseOwnKey(key, user);
  await store.commit(function* () {
    if (yield* ask('findSession', { tenant, key }))
      throw sessionExists(key, 'use another key, or leave it out');
    yield* refuseLeaving(tenant, user);
    yield* ask('insertSession', { tenant, key, user, at });
    yield* noteEffect(tenant, requestId, { sessionId: key });
  });
  return { sessionId: key };
}
