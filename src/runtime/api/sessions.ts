import type { GrantView } from '../../agent/policy/grants.ts';
import type { SessionSearch } from '../../ports/session-search.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import type { Forked } from '../../runs/history/fork.ts';
import type { ImportedSession } from '../../runs/sessions/import.ts';
import type { LogSource } from '../../runs/sessions/read-lines.ts';
import type { SessionSummary, SessionView } from '../../runs/sessions/session-view.ts';
import type { DeletedSession, ForkPlace } from '../../runs/sessions/sessions.ts';
import type { DetentOptions } from '../config/options.ts';
import type { Core } from '../core.ts';
import type { CompactedSession } from './compact-session.ts';

/** What can be done with whole sessions. `tenantId` is 1 by default; another tenant's session is `NOT_FOUND`. */
export interface DetentSessions {
  /** Newest first; 100 unless `limit` says otherwise. */
  list(filter?: { tenantId?: number; limit?: number }): Promise<SessionSummary[]>;
  show(session: string, tenantId?: number): Promise<SessionView>;
  /**
   * What was said in conversations, by its words. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`.
   *
   * @param query one, or up to four ways to say the same
   * @param options.userId in runs for this user alone; without it in all of the tenant
   */
  search(
    query: string | readonly string[],
    options?: { limit?: number; userId?: string; tenantId?: number },
  ): Promise<SessionSearch>;
  /**
   * Lets the conversation begin anew: what was said stays in the log and enters no prompt any more. Answers how many
   * messages that are. Throws `SESSION_BUSY` while a run of it is unfinished; `force` cancels that first.
   */
  clear(session: string, options?: { force?: boolean; tenantId?: number }): Promise<{ cleared: number }>;
  /**
   * Puts a summary in the place of the older messages, as it happens by itself when a conversation outgrows its window,
   * and waits for it. In a busy session it waits in line. That there is nothing to compact is no failure.
   *
   * @param options.model who writes it; without it the model of the last run
   */
  compact(session: string, options?: { model?: string; tenantId?: number }): Promise<CompactedSession>;
  /**
   * Deletes everything of a session and overwrites what that leaves in the files of the database, which takes time that
   * grows with its size. Throws `SESSION_BUSY` while a run of it is unfinished; `force` cancels that first.
   */
  delete(session: string, options?: { force?: boolean; tenantId?: number }): Promise<DeletedSession>;
  /** Makes a new session that stands where this one stood after a transition. Nothing of it moves before a resume. */
  fork(session: string, at: ForkPlace, tenantId?: number): Promise<Forked>;
  /** What people have allowed for the rest of the session, with the approval of a call. */
  grants(session: string, tenantId?: number): Promise<GrantView[]>;
  /** Takes one back, by its number. Throws `NOT_FOUND` when it is not in force. */
  revokeGrant(session: string, grant: number, tenantId?: number): Promise<void>;
  /**
   * The whole log as lines of JSON without their ends: `for await (const line of detent.sessions.export('chat')) …`.
   * Throws `NOT_FOUND` when it is first read.
   */
  export(session: string, tenantId?: number): AsyncIterable<string>;
  /**
   * Makes a finished history out of such lines, ours or the Kotlin SDK's: the text of a file, or its pieces. Throws
   * `SESSION_EXISTS`, `INVALID_SESSION`, and `INVALID_SESSION_LOG` that names the bad line.
   *
   * @param options.session key of the new session; without it the one that the file names.
   */
  import(source: LogSource, options?: { session?: string; tenantId?: number }): Promise<ImportedSession>;
}

/** @param core opens what is not open yet. */
export function sessionsApi(core: () => Promise<Core>, config: DetentOptions): DetentSessions {
  const opened = async () => (await core()).sessions;
  return {
    list: async ({ tenantId = defaultTenant, limit = 100 } = {}) => (await opened()).list(tenantId, limit),
    show: async (session, tenantId = defaultTenant) => (await opened()).show(tenantId, session),
    search: async (query, { limit, userId = null, tenantId: tenant = defaultTenant } = {}) =>
      (await opened()).search({ tenant, userId }, typeof query === 'string' ? [query] : query, limit),
    clear: async (session, { force = false, tenantId = defaultTenant } = {}) => ({
      cleared: await (await opened()).clear(tenantId, session, force),
    }),
    compact: async (session, { tenantId = defaultTenant, ...request } = {}) => {
      const { compactSession } = await import('./compact-session.ts');
      return compactSession(await core(), config, session, { ...request, tenantId });
    },
    delete: async (session, { force = false, tenantId = defaultTenant } = {}) =>
      (await opened()).delete(tenantId, session, force),
    fork: async (session, at, tenantId = defaultTenant) => (await opened()).fork(tenantId, session, at),
    grants: async (session, tenantId = defaultTenant) => (await opened()).grants(tenantId, session),
    revokeGrant: async (session, grant, tenantId = defaultTenant) =>
      (await opened()).revokeGrant(tenantId, session, grant),
    async *export(session, tenantId = defaultTenant) {
      yield* (await opened()).export(tenantId, session);
    },
    import: async (source, { session, tenantId = defaultTenant } = {}) =>
      (await opened()).import(tenantId, source, session),
  };
}
