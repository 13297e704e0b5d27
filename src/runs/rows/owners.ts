import { notFound } from '../../engine/commit.ts';
import type { Reach } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { kindsOf } from '../../store/stored-run.ts';
import type { Store } from './statements.ts';

/**
 * The owner of a session; null for no user in particular. A session with a run beyond the reach counts as not found.
 *
 * @throws DetentError `NOT_FOUND`.
 */
export async function ownerOfSession(
  store: Store,
  tenant: number,
  key: string,
  reach?: Reach,
): Promise<{ userId: string | null }> {
  const session = await store.query('findSession', { tenant, key });
  if (!session || !(await isWithin(store, session.pk, reach))) throw noSession(key);
  return { userId: session.user };
}

/** Whether all runs of a session are within a reach. */
export async function isWithin(store: Store, session: number, reach: Reach | undefined): Promise<boolean> {
  const kinds = kindsOf(reach);
  return kinds === null || (await store.query('findRunBeyond', { session, reach: kinds })) === undefined;
}

/**
 * The owner of a run's session; for a sub-run, the user of its root. A run beyond the reach counts as not found.
 *
 * @throws DetentError `NOT_FOUND`.
 */
export async function ownerOfRun(
  store: Store,
  tenant: number,
  id: string,
  reach?: Reach,
): Promise<{ userId: string | null; sessionId: string }> {
  const owner = await store.query('findRunOwner', { tenant, id, reach: kindsOf(reach) });
  if (!owner) throw notFound(id);
  return { userId: owner.user, sessionId: owner.sessionKey };
}

export function noSession(key: string): DetentError {
  return new DetentError('NOT_FOUND', `no session "${key}"; see "detent sessions list"`, {
    details: { sessionId: key },
  });
}
