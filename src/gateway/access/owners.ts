import {
  type Caller,
  checkSessionKey,
  defaultAgent,
  nameOfUser,
  reachOf,
  seenUser,
  unknownAgent,
} from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { jobsOf } from '../../schedule/door.ts';
import { isBound } from '../feeds/sight.ts';
import type { Call, Method } from '../methods/method.ts';

type By = Pick<Call, 'detent' | 'caller'>;

/**
 * Checks that the caller may name what its input names. For a caller that is bound to a user, runs, sessions and jobs of others do
 * not exist, and the names that it gives its sessions and jobs are its own: two users may have a session `main` each. For one
 * that is bound to agents or workflows, others do not exist, nor do their runs, sessions and jobs.
 *
 * @throws DetentError `NOT_FOUND`, `NO_JOB`, `UNKNOWN_AGENT` and `UNKNOWN_WORKFLOW`, with the same message whether it
 * exists or not; `INVALID_SESSION`.
 */
export async function asOwned(
  method: Method,
  by: By,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (isFree(by.caller)) return input;
  const { makesSessions, makesJobs } = method;
  await checkNames(method, by, input);
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

/** Agents and workflows that an input names. */
async function checkNames(
  { startsAgents }: Method,
  { detent, caller }: By,
  { agent, workflow, name }: Record<string, unknown>,
): Promise<void> {
  const { agents, workflows } = caller;
  const chart = typeof name === 'string' && name.startsWith('workflow:') ? name.slice(9) : workflow;
  if (workflows && typeof chart === 'string') {
    const known = (await detent.workflows.list()).map(({ id }) => id).filter((id) => workflows.includes(id));
    if (!known.includes(chart))
      throw (await import('../../workflow/workflow.ts')).unknownWorkflow(chart, known);
  }
  const isUsual =
    agent === null || (agent === undefined && (startsAgents ?? false) && workflow === undefined);
  const named = isUsual ? defaultAgent : agent;
  if (!agents || typeof named !== 'string') return;
  const known = detent.agents.list().flatMap((one) => (agents.includes(one.name) ? [one.name] : []));
  if (!known.includes(named)) throw unknownAgent(named, known);
}

/** @throws DetentError `NOT_FOUND` for a run that is hidden from the caller, with the message for a run that does not exist. */
export async function checkOwned(
  { detent, caller }: By,
  runId: unknown,
  absent = `no run "${String(runId)}"; see "detent runs list"`,
): Promise<void> {
  if (typeof runId !== 'string' || !isBound(caller)) return;
  const user = seenUser(caller);
  const owner = await detent.runs.ownerOf(runId, caller.tenantId, reachOf(caller)).catch(nullIfNone);
  if (!owner || (user !== null && owner.userId !== user)) throw new DetentError('NOT_FOUND', absent);
}

/** The user that the session belongs to, which may be none; the caller's own for a session that is not there yet. */
export async function userOf({ detent, caller }: By, session: string): Promise<string | null> {
  const owner = await detent.sessions.ownerOf(session, caller.tenantId).catch(nullIfNone);
  return owner ? owner.userId : caller.userId;
}

/** The id of the job that the caller calls `named`, as with sessions. */
async function ownJob({ detent, caller }: By, named: string, isNew: boolean): Promise<string> {
  const { user, reach, names, own } = namesOf(caller, named);
  if (names.length === 0) return own;
  const jobs = await jobsOf(detent);
  for (const id of names) if (await jobs.findFor({ user, reach }, caller.tenantId, id)) return id;
  if (isNew) return own;
  throw new DetentError('NO_JOB', `there is no job "${named}"`, { details: { jobId: named } });
}

/**
 * The key of the session that the caller calls `named`: as it is, or in the caller's own name space.
 *
 * @throws DetentError `NOT_FOUND`, `INVALID_SESSION`.
 */
export async function ownSession({ detent, caller }: By, named: string, mayBeNew: boolean): Promise<string> {
  const { user, reach, names, own } = namesOf(caller, named);
  const { tenantId } = caller;
  for (const key of names) {
    if (key !== named) checkSessionKey(key);
    const owner = await detent.sessions.ownerOf(key, tenantId, reach).catch(nullIfNone);
    if (owner && (user === null || owner.userId === user)) return key;
  }
  const isThere = async () => (await detent.sessions.ownerOf(own, tenantId).catch(nullIfNone)) !== null;
  if (names.length === 0 || (mayBeNew && !(await isThere()))) return own;
  throw new DetentError('NOT_FOUND', `no session "${named}"`, { details: { sessionId: named } });
}

/**
 * The names that may stand for what the caller calls `named`, the likeliest first; none when every name stands for itself. `own` is
 * that of a new one.
 */
function namesOf(caller: Caller, named: string) {
  const [user, reach] = [seenUser(caller), reachOf(caller)];
  const own = nameOfUser(caller.userId, named);
  // A caller that sees the whole tenant must get its own session before another user's of the same name.
  const names = user === null ? [own, named] : [named, own];
  return { user, reach, own, names: isFree(caller) ? [] : [...new Set(names)] };
}

/** Whether the caller may name all of its tenant, and by no other names than its own. */
function isFree(caller: Caller): boolean {
  return caller.userId === null && reachOf(caller) === undefined;
}

/** For a `catch`: null if something does not exist; throws all other errors. */
export function nullIfNone(error: unknown): null {
  if (DetentError.is(error) && error.code === 'NOT_FOUND') return null;
  throw error;
}
