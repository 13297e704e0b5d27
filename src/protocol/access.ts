import { didYouMean } from '../text/wording.ts';
import { DetentError } from './error.ts';
import { oneOf, shown } from './json.ts';

/**
 * What a client may do: converse, as its user alone; see things; start and steer runs; decide for people; administrate. None includes
 * another.
 */
export const scopes = ['talk', 'read', 'write', 'approve', 'admin'] as const;

export type Scope = (typeof scopes)[number];

/** The agents and workflows that exist for a client. A list that is left out means all of them, an empty one none. */
export interface Reach {
  agents?: readonly string[];
  workflows?: readonly string[];
}

/** Who a client is: what its token, or the host's own authentication, says of it. */
export interface Caller extends Reach {
  tenantId: number;
  /** Who it is: what the client starts is this user's, and only this user's sessions and runs exist for it; null for no user, and the whole tenant. */
  userId: string | null;
  /** `tenant`: a client with a user sees the whole tenant, and keeps its name. */
  sees?: 'tenant';
  /** Of a token: for people, and for decisions of a client without a user. */
  name?: string;
  scopes: readonly Scope[];
  /** Runs at work at once, in place of the gateway's own limit. */
  maxRuns?: number;
}

/**
 * Checks scopes that come from outside.
 *
 * @returns each scope once, in the order of {@link scopes}
 * @throws DetentError `INVALID_SCOPE` for an unknown scope, for none, and for anything but a list
 */
export function checkScopes(given: unknown): readonly Scope[] {
  if (!Array.isArray(given) || given.length === 0)
    throw new DetentError('INVALID_SCOPE', `a token needs a list of scopes: ${scopes.join(', ')}`);
  const known = new Set(given.map((scope) => oneOf(scope, scopes, 'a scope of a token', 'INVALID_SCOPE')));
  return scopes.filter((scope) => known.has(scope));
}

/** Whether a client may converse and see no more than its own conversations: it reads neither costs nor the inside of runs. */
export function onlyTalks({ scopes }: { scopes: readonly string[] }): boolean {
  return scopes.includes('talk') && !scopes.includes('read');
}

/** @throws DetentError `INVALID_SCOPE` for a client that only converses, and is no user or would see what others say. */
export function checkTalker({ scopes, userId, sees }: Pick<Caller, 'scopes' | 'userId' | 'sees'>): void {
  if (!onlyTalks({ scopes }) || (userId !== null && sees === undefined)) return;
  throw new DetentError(
    'INVALID_SCOPE',
    userId === null
      ? 'the scope talk is for the conversations of one user: name the user, or give the scope read'
      : 'the scope talk is for a user’s own conversations: seeing the whole tenant needs the scope read',
  );
}

/** The user whose sessions, runs and jobs alone exist for a client; null for those of the whole tenant. */
export function seenUser({ userId, sees }: Pick<Caller, 'userId' | 'sees'>): string | null {
  return sees === 'tenant' ? null : userId;
}

/** What limits a client to agents and workflows; undefined for one that is not limited. */
export function reachOf({ agents, workflows }: Reach): Reach | undefined {
  if (agents === undefined && workflows === undefined) return undefined;
  return { ...(agents && { agents }), ...(workflows && { workflows }) };
}

/** Whether a client that reaches `one` reaches no more than one that reaches `other`. */
export function isWithin(one: Reach, other: Reach): boolean {
  const fits = (mine?: readonly string[], theirs?: readonly string[]) =>
    theirs === undefined || (mine?.every((name) => theirs.includes(name)) ?? false);
  return fits(one.agents, other.agents) && fits(one.workflows, other.workflows);
}

const maxNames = 1_000;

/**
 * Checks what a client sees and reaches, which comes from outside: what is wrong is never taken for "all".
 *
 * @throws DetentError `INVALID_ARGUMENTS`.
 */
export function checkSight(given: {
  sees?: unknown;
  agents?: unknown;
  workflows?: unknown;
}): Pick<Caller, 'sees' | 'agents' | 'workflows'> {
  const { sees, agents, workflows } = given;
  if (sees !== undefined && sees !== 'tenant')
    throw new DetentError('INVALID_ARGUMENTS', `sees is "tenant" or left out, not ${shown(sees)}`);
  return {
    ...(sees === 'tenant' && { sees }),
    ...(agents !== undefined && { agents: checkNames(agents, 'agents') }),
    ...(workflows !== undefined && { workflows: checkNames(workflows, 'workflows') }),
  };
}

function checkNames(given: unknown, field: string): readonly string[] {
  const isName = (name: unknown) => typeof name === 'string' && /^[^\p{Cc}]{1,200}$/u.test(name);
  if (Array.isArray(given) && given.length <= maxNames && given.every(isName)) return [...new Set(given)];
  throw new DetentError(
    'INVALID_ARGUMENTS',
    `${field} is a list of at most ${maxNames} names, or left out for all, not ${shown(given)}`,
  );
}

/** What asks, or decides, and names nobody. */
export const someProgram = 'program';

/** What decides or asks and is no user: a token without one, the command line, a program. */
const ownNames = /^(?:(?:token|cli|user):|(?:host|program)$)/;

/** How decisions name a user. No user takes the name of something else. */
export function nameOfPerson(userId: string): string {
  return ownNames.test(userId) ? `user:${userId}` : userId;
}

/** How decisions name a client: its user, or else its token; `host` for one that the host lets in without a name. */
export function nameOfCaller({ userId, name }: Pick<Caller, 'userId' | 'name'>): string {
  if (userId !== null) return nameOfPerson(userId);
  return name === undefined ? 'host' : `token:${name}`;
}

/**
 * The tenant of a person who works in the workspace itself. The first migration makes it; all others are people that a
 * host serves.
 */
export const defaultTenant = 1;

/** Where the keys of Detent's own sessions begin: those of jobs, and of tasks and services. */
export const ownSessions = { job: 'cron:', task: 'task:' } as const;

/** The same in messages. */
export const ownKeyWords = `"${ownSessions.job}" or "${ownSessions.task}"`;

/** Where the keys of the sessions begin that the slots of a job have each for itself. */
export function slotSessions(jobId: string): string {
  return `${ownSessions.job}${jobId}:`;
}

/** The job of a session, whether its slots share it or each has its own; null for a session of no job. */
export function jobOfSession(key: string): string | null {
  if (!key.startsWith(ownSessions.job)) return null;
  return key.slice(ownSessions.job.length).replace(/:run_[^:]+$/, '');
}

/**
 * The name of what a user calls `named`, so that two users may have a `main` each. The user's part has no colon but the one
 * that ends it, and is none of Detent's own prefixes: a user `cron` is written `%63ron`.
 */
export function nameOfUser(userId: string | null, named: string): string {
  if (userId === null) return named;
  const name = `${encodeURIComponent(userId)}:${named}`;
  return isOwnKey(name) ? `%${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name;
}

/** Whether a key is one that Detent gives its own sessions. */
export function isOwnKey(key: string): boolean {
  return Object.values(ownSessions).some((prefix) => key.startsWith(prefix));
}

/** @throws DetentError `INVALID_SESSION` for the key of a new session of a user that is one of Detent's own. */
export function refuseOwnKey(key: string, userId: string | null): void {
  if (userId === null || !isOwnKey(key)) return;
  throw new DetentError(
    'INVALID_SESSION',
    `session keys of users must not begin with ${ownKeyWords}, which are for Detent’s own sessions`,
  );
}

/** Whether a value may be the id of a user. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,128}$/u.test(value);
}

/** @throws DetentError `INVALID_SESSION`. */
export function checkSessionKey(key: string): void {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(key))
    throw new DetentError(
      'INVALID_SESSION',
      'a session key is 1 to 200 characters without control characters',
    );
}

/** The agent of runs that name none. It always exists: without an entry in `agents` it has the top-level fields. */
export const defaultAgent = 'default';

/** @param known the agents that there are */
export function unknownAgent(wanted: string, known: readonly string[]): DetentError {
  return new DetentError(
    'UNKNOWN_AGENT',
    `there is no agent "${wanted}"${didYouMean(wanted, known)}; there are ${known.join(', ') || 'none'}`,
    { details: { name: wanted, known } },
  );
}
