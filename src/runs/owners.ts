import { notFound } from '../engine/errors.ts';
import { DetentError } from '../protocol/error.ts';
import type { Store } from './statements.ts';

/** Whom a session belongs to; null for no user in particular. @throws DetentError `NOT_FOUND`. */
export async function ownerOfSession(
  store: Store,
  tenant: number,
  key: string,
): Promise<{ userId: string | null }> {
  const session = await store.query('findSession', { tenant, key });
  if (!session) throw noSession(key);
  return { userId: session.user };
}

/** Whom the session of a run belongs to: that of a sub-run is of the user of its root. @throws DetentError `NOT_FOUND`. */
export async function ownerOfRun(
  store: Store,
  tenant: number,
  id: string,
): Promise<{ userId: string | null; sessionId: string }> {
  const owner = await store.query('findRunOwner', { tenant, id });
  if (!owner) throw notFound(id);
  return { userId: owner.user, sessionId: owner.sessionKey };
}

export function noSession(key: string): DetentError {
  return new DetentError('NOT_FOUND', `no session "${key}"; see "detent sessions list"`, {
    details: { sessionId: key },
  });
}
