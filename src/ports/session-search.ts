import type { Reach } from '../protocol/access.ts';
import type { MethodOutput } from '../protocol/methods/methods.ts';

/** The scope of a search in conversations. */
export interface SessionSeeker {
  tenant: number;
  /** Searches only runs of this user; null: all runs of the tenant. */
  userId: string | null;
  /** Searches only runs of these agents and workflows. Default: of all. */
  reach?: Reach;
  /** The session that searches; hits exclude what its prompt already shows. */
  sessionId?: string;
}

/** One hit in a conversation. */
export type SessionHit = SessionSearch['results'][number];

/** The hits of a search in conversations, and the state of its index. */
export interface SessionSearch extends MethodOutput<'session.search'> {}

/** Searches earlier conversations. */
export interface SessionSearcher {
  /** @param queries one to four phrasings of the query. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(seeker: SessionSeeker, queries: readonly string[], limit?: number): Promise<SessionSearch>;
}
