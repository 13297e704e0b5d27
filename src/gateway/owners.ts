import { DetentError } from '../protocol/error.ts';
import { checkSessionKey, nameOfUser } from '../protocol/session-key.ts';
import type { Call, Method } from './methods/method.ts';

type By = Pick<Call, 'detent' | 'caller'>;

/**
 * Checks that runs, sessions and jobs in the input are the caller's. For a caller that is bound to a user, those of others do
 * not exist, and the names that it gives its sessions and jobs are its own: two users may have a session `main` each.
 *
 * @throws DetentError `NOT_FOUND` and `NO_JOB`, in the same words whether there is one or not; `INVALID_SESSION`.
 */
export async function asOwned(
  { makesSessions, makesJobs }: Method,
  by: By,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (by.caller.userId === null) return input;
  for (const field of ['runId', 'otherRunId', 'after']) await checkOwned(by, input[field]);
  const { sessionId, jobId } = input;
  return {
    ...input,
    ...(typeof sessionId === 'string' && {
      sessionId: await ownSession(by, sessionId, makesSessions ?? false),
    }),
    ...(typeof jobId === 'string' && { jobId: await ownJob(by, jobId, makesJobs ?? false) }),
  };
}

/** @throws DetentError `NOT_FOUND` for a run that is not the caller's, in the words for what is not there. */
export async function checkOwned(
  { detent, caller }: By,
  runId: unknown,
  absent = `no run "${String(runId)}"; see "detent runs list"`,
): Promise<void> {
  if (typeof runId !== 'string' || caller.userId === null) return;
  const owner = await detent.runs.ownerOf(runId, caller.tenantId).catch(nullIfNone);
  if (owner?.userId !== caller.userId) throw new DetentError('NOT_FOUND', absent);
}

/** The user that the session belongs to; null if it belongs to none, or is not there yet. */
export async function userOf({ detent, caller }: By, session: string): Promise<string | null> {
  return (await detent.sessions.ownerOf(session, caller.tenantId).catch(nullIfNone))?.userId ?? null;
}

/** The id of the job that the caller calls `named`, as with sessions. */
async function ownJob({ detent, caller }: By, named: string, isNew: boolean): Promise<string> {
  const ownerOf = async (id: string) => (await detent.jobs.find(caller.tenantId, id))?.row.user;
  if ((await ownerOf(named)) === caller.userId) return named;
  const id = nameOfUser(caller.userId, named);
  if (isNew || (await ownerOf(id)) === caller.userId) return id;
  throw new DetentError('NO_JOB', `there is no job "${named}"`, { details: { jobId: named } });
}

/**
 * The key of the session that the caller calls `named`: as it is, or in the caller's own name space.
 *
 * @throws DetentError `NOT_FOUND`, `INVALID_SESSION`.
 */
export async function ownSession({ detent, caller }: By, named: string, mayBeNew: boolean): Promise<string> {
  const { tenantId } = caller;
  const userId = caller.userId ?? '';
  const isMine = async (key: string) => {
    const owner = await detent.sessions.ownerOf(key, tenantId).catch(nullIfNone);
    return owner && owner.userId === userId;
  };
  if (await isMine(named)) return named;
  const key = nameOfUser(userId, named);
  checkSessionKey(key);
  const found = await isMine(key);
  if (found || (found === null && mayBeNew)) return key;
  throw new DetentError('NOT_FOUND', `no session "${named}"`, { details: { session: named } });
}

function nullIfNone(error: unknown): null {
  if (DetentError.is(error) && error.code === 'NOT_FOUND') return null;
  throw error;
}
