import type { GrantView } from '../../call/policy.ts';
import { defaultTenant, type Reach, someProgram } from '../../protocol/access.ts';
import { refuseUnknownFields } from '../../protocol/json.ts';
import type { SessionSearch } from '../../protocol/ports.ts';
import type { Forked } from '../../runs/history.ts';
import type { OfRequest } from '../../runs/rows.ts';
import type {
  DeletedSession,
  ForkPlace,
  ImportedSession,
  LogSource,
  NamedSession,
  NewRating,
  NewSession,
  SessionChange,
  SessionFilter,
  SessionSummary,
  SessionView,
} from '../../runs/sessions.ts';
import { once } from '../../text/limiter.ts';
import type { Core, Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { RunRequest } from '../config/request.ts';
import { requireTenant } from '../requests/check-tenant.ts';
import type { CompactedSession } from './compact-session.ts';

/** The person of the staff who acts. */
interface StaffAct extends OfRequest {
  by?: string;
  tenantId?: number;
}

/** Operations on whole sessions. `tenantId` defaults to 1; a session of another tenant is `NOT_FOUND`. */
export interface DetentSessions {
  /**
   * Makes an empty session, for a client that shows it before its first message. A run does not need one: the run makes the
   * session that its request names. Throws `SESSION_EXISTS`, `INVALID_SESSION`, `INVALID_ARGUMENTS`.
   */
  create(request?: NewSession & OfRequest & { tenantId?: number }): Promise<{ sessionId: string }>;
  /**
   * Lists sessions, newest first, by the same filters as runs (`filter.userId`: only sessions of that user). The list has the sessions of
   * ended slots of jobs only with `slots`. Throws `INVALID_ARGUMENTS`.
   */
  list(filter?: Partial<SessionFilter> & { tenantId?: number }): Promise<SessionSummary[]>;
  show(sessionId: string, tenantId?: number): Promise<SessionView>;
  /**
   * The owner of a session; null for no user in particular. Throws `NOT_FOUND`, also for a session that has a run
   * beyond the reach.
   */
  ownerOf(sessionId: string, tenantId?: number, reach?: Reach): Promise<{ userId: string | null }>;
  /** The session of the newest run, sub-runs aside. Throws `NOT_FOUND` when there are no runs. */
  newest(tenantId?: number): Promise<string>;
  /**
   * A request for `detent.run` that continues a session: with the agent and the model of its newest run, where `request`
   * names none; they take precedence over the configuration's. An address (`baseUrl`, `apiKeyEnv`, `api`) is never taken
   * from a row: throws `ADDRESS_NOT_NAMED` if nothing names the one that the model needs. Throws `UNKNOWN_AGENT`.
   */
  continuing(sessionId: string, request?: RunRequest, tenantId?: number): Promise<RunRequest>;
  /**
   * Searches the text of past conversations. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`.
   *
   * @param query one query, or up to four wordings of it
   * @param options.userId searches only sessions of this user, and this user's runs in sessions of no user. Default, and
   * for null: all of the tenant
   */
  search(
    query: string | readonly string[],
    options?: { limit?: number; userId?: string | null; reach?: Reach | undefined; tenantId?: number },
  ): Promise<SessionSearch>;
  /**
   * Renames a session, pins it, or unpins it. Throws `NOT_FOUND`, `INVALID_ARGUMENTS`.
   */
  update(sessionId: string, change: SessionChange & OfRequest & { tenantId?: number }): Promise<NamedSession>;
  /**
   * Clears the conversation: its messages stay in the log, but later prompts do not include them. Returns the number of
   * messages cleared. Throws `SESSION_BUSY` while a run of the session is unfinished; `force` cancels the run first.
   */
  clear(
    sessionId: string,
    options?: OfRequest & { force?: boolean; tenantId?: number },
  ): Promise<{ cleared: number }>;
  /**
   * Replaces the older messages by a summary, as a run does when its conversation outgrows the context window, and
   * waits for it. In a busy session the compaction is queued. It does not fail if there is nothing to compact.
   *
   * @param options.model the model that writes the summary. Default: the model of the last run
   */
  compact(sessionId: string, options?: { model?: string; tenantId?: number }): Promise<CompactedSession>;
  /**
   * Deletes all data of a session and overwrites its bytes in the database files. The time grows with the size of the
   * database. Throws `SESSION_BUSY` while a run of the session is unfinished; `force` cancels the run first.
   */
  delete(
    sessionId: string,
    options?: OfRequest & { force?: boolean; tenantId?: number },
  ): Promise<DeletedSession>;
  /**
   * A person of the staff takes a session over. The same commit cancels the runs that are at work or queued there. Until `giveBack` no
   * agent runs, and Detent keeps what the user says. Throws `NOT_FOUND`, `TAKEN_OVER` by someone else, `OWN_SESSION` for the user of
   * the session, `WORKFLOW_AT_WORK`, `NOT_A_CONVERSATION`. See docs/takeover.md.
   *
   * @param act.by who takes it over, named as in decisions. Default: this program
   * @param act.reason why, for the staff
   */
  takeOver(
    sessionId: string,
    act?: StaffAct & { reason?: string },
  ): Promise<{ runId: string; since: number; by: string }>;
  /**
   * Asks for a person of the staff. The run at work may finish its answer; then nothing begins in the session until a person has taken
   * it over and given it back. For tools that hand a conversation over. Throws as `takeOver`.
   *
   * @param words.reason why
   * @param words.summary what the person who comes must know
   * @param words.key the `idempotencyKey` of the call: a second request with this key does nothing
   */
  requestTakeover(
    sessionId: string,
    words?: { reason?: string; summary?: string; key?: string; tenantId?: number },
  ): Promise<{ runId: string }>;
  /**
   * Says something to the user of a session that was taken over. Throws `NOT_TAKEN_OVER`.
   *
   * @param act.name a name that the user may know, if `takeover.names` of the configuration is `token`
   */
  say(sessionId: string, content: string, act?: StaffAct & { name?: string }): Promise<{ runId: string }>;
  /** Gives a session back to its agent. `runId`: the run that answers the user; null if the last words are the staff's. Throws `NOT_TAKEN_OVER`. */
  giveBack(sessionId: string, act?: StaffAct): Promise<{ runId: string | null }>;
  /** The run that answers after a takeover, by the id of the takeover's run; null if none does. */
  answerAfter(takeover: string, tenantId?: number): Promise<{ runId: string | null }>;
  /**
   * Stores the user's rating of one answer. Throws `NOT_FOUND`, `NOT_THE_USER`, `INVALID_ARGUMENTS`.
   *
   * @param rating.messageSeq the answer, by its `seq` in the run. Default: the last one of the run
   */
  rate(
    sessionId: string,
    rating: NewRating & { tenantId?: number },
  ): Promise<{ runId: string; messageSeq: number; thumb: 'up' | 'down' }>;
  /** Copies a session as it stood after a transition. The run of the copy does not move before `resume`. */
  fork(sessionId: string, at: ForkPlace, tenantId?: number): Promise<Forked>;
  /** The approvals that people gave for the rest of the session. */
  grants(sessionId: string, tenantId?: number): Promise<GrantView[]>;
  /** The approvals of the newest thousand sessions of the tenant, or of one user. */
  allGrants(whose?: {
    tenantId?: number;
    userId?: string | null;
    reach?: Reach | undefined;
  }): Promise<(GrantView & { sessionId: string })[]>;
  /** Revokes such an approval, by its number. Throws `NOT_FOUND` if it is not in force. */
  revokeGrant(sessionId: string, grant: number, tenantId?: number, request?: OfRequest): Promise<void>;
  /**
   * The whole log as lines of JSON, without line ends: `for await (const line of detent.sessions.export('chat')) …`.
   * Throws `NOT_FOUND` on the first read.
   */
  export(sessionId: string, tenantId?: number): AsyncIterable<string>;
  /**
   * Imports a session from exported lines, of Detent or of the Kotlin SDK, as finished runs. `source` is the text of a
   * file, or its pieces. Throws `SESSION_EXISTS`, `INVALID_SESSION`, `INVALID_ARGUMENTS`, and `INVALID_SESSION_LOG`,
   * which names the bad line.
   *
   * @param options.sessionId key of the new session. Default: the key in the file
   * @param options.userId the user who will own the session. Default: no user in particular
   */
  import(
    source: LogSource,
    options?: { sessionId?: string; userId?: string; tenantId?: number },
  ): Promise<ImportedSession>;
}

// What each request of a gateway asks. One name at a time, so that a start reads no more than it needs.
const sessionLister = once(async () => (await import('../../runs/sessions.ts')).listSessions);
const ownerFinder = once(async () => (await import('../../runs/rows.ts')).ownerOfSession);

/**
 * @param core opens the parts on first use.
 * @param listing opens the database alone.
 *
 * @internal
 */
export function sessionsApi(
  core: () => Promise<Core>,
  listing: () => Promise<Listing>,
  config: DetentOptions,
): DetentSessions {
  const { actor = someProgram } = config;
  const opened = async () => (await core()).sessions();
  /** Refuses a tenant that does not exist, before anything is written for it. */
  const known = async (tenant: number) => {
    const { store, sessions } = await core();
    await requireTenant(store, tenant);
    return sessions();
  };
  return {
    async create({ tenantId = defaultTenant, ...request } = {}) {
      const { createSession } = await import('../../runs/sessions.ts');
      const { store, now } = await listing();
      await requireTenant(store, tenantId);
      return createSession(store, tenantId, request, now());
    },
    async list({ tenantId = defaultTenant, limit = 100, ...filter } = {}) {
      const listSessions = await sessionLister();
      const { store, isDriven } = await listing();
      return listSessions(store, isDriven, tenantId, { ...filter, limit });
    },
    show: async (sessionId, tenantId = defaultTenant) => (await opened()).show(tenantId, sessionId),
    async ownerOf(sessionId, tenantId = defaultTenant, reach) {
      const ownerOfSession = await ownerFinder();
      return ownerOfSession((await listing()).store, tenantId, sessionId, reach);
    },
    async newest(tenantId = defaultTenant) {
      const { newestRun } = await import('../../runs/rows.ts');
      return (await newestRun((await listing()).store, tenantId)).sessionKey;
    },
    continuing: async (sessionId, request = {}, tenantId = defaultTenant) => {
      const { models, sessions } = await core();
      const last = await (await sessions()).lastOptions(tenantId, sessionId);
      const { continuedRequest } = await import('../requests/continued-request.ts');
      return { ...(last ? continuedRequest(request, last, config, models) : request), sessionId };
    },
    async search(query, options = {}) {
      refuseUnknownFields(options, ['limit', 'userId', 'reach', 'tenantId'], 'a search', 'INVALID_ARGUMENTS');
      const { limit, userId = null, reach, tenantId: tenant = defaultTenant } = options;
      return (await known(tenant)).search(
        { tenant, userId, ...(reach && { reach }) },
        typeof query === 'string' ? [query] : query,
        limit,
      );
    },
    update: async (sessionId, { tenantId = defaultTenant, requestId, ...change }) =>
      (await opened()).update(tenantId, sessionId, change, requestId),
    clear: async (sessionId, { force, tenantId = defaultTenant, requestId } = {}) =>
      (await opened()).clear(tenantId, sessionId, force === true, requestId),
    compact: async (sessionId, { tenantId = defaultTenant, ...request } = {}) => {
      const { compactSession } = await import('./compact-session.ts');
      return compactSession(await core(), config, sessionId, { ...request, tenantId });
    },
    delete: async (sessionId, { force, tenantId = defaultTenant, requestId } = {}) =>
      (await opened()).delete(tenantId, sessionId, force === true, requestId),
    async takeOver(sessionId, { tenantId = defaultTenant, by = actor, requestId, ...words } = {}) {
      refuseUnknownFields(words, ['reason'], 'a takeover', 'INVALID_ARGUMENTS');
      return (await (await core()).takeovers()).take(tenantId, sessionId, { by, requestId, ...words });
    },
    async requestTakeover(sessionId, { tenantId = defaultTenant, ...words } = {}) {
      refuseUnknownFields(words, ['reason', 'summary', 'key'], 'a takeover', 'INVALID_ARGUMENTS');
      return (await (await core()).takeovers()).request(tenantId, sessionId, words);
    },
    async say(sessionId, content, { tenantId = defaultTenant, by = actor, requestId, name } = {}) {
      const shownName = config.takeover?.names === 'token' ? name : undefined;
      const words = { by, requestId, text: content, name: shownName };
      return (await (await core()).takeovers()).say(tenantId, sessionId, words);
    },
    giveBack: async (sessionId, { tenantId = defaultTenant, by = actor, requestId } = {}) =>
      (await (await core()).takeovers()).giveBack(tenantId, sessionId, { by, requestId }),
    answerAfter: async (takeover, tenantId = defaultTenant) =>
      (await (await core()).takeovers()).answerAfter(tenantId, takeover),
    rate: async (sessionId, { tenantId = defaultTenant, ...rating }) =>
      (await opened()).rate(tenantId, sessionId, rating),
    fork: async (sessionId, at, tenantId = defaultTenant) =>
      (await opened()).fork(tenantId, sessionId, at, config.policy?.approve),
    grants: async (sessionId, tenantId = defaultTenant) => (await opened()).grants(tenantId, sessionId),
    allGrants: async ({ tenantId = defaultTenant, userId = null, reach } = {}) =>
      (await opened()).allGrants(tenantId, userId, reach),
    revokeGrant: async (sessionId, grant, tenantId = defaultTenant, { requestId } = {}) =>
      (await opened()).revokeGrant(tenantId, sessionId, grant, requestId),
    async *export(sessionId, tenantId = defaultTenant) {
      yield* (await opened()).export(tenantId, sessionId);
    },
    async import(source, { sessionId, userId = null, tenantId = defaultTenant, ...others } = {}) {
      refuseUnknownFields(others, ['sessionId', 'userId', 'tenantId'], 'an import', 'INVALID_ARGUMENTS');
      return (await known(tenantId)).import(tenantId, source, sessionId, userId);
    },
  };
}
