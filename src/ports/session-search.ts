import type { Reach } from '../protocol/access.ts';
import type { MemoryAuthor } from './memory-source.ts';

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
export interface SessionHit {
  sessionId: string;
  runId: string;
  /** When the first line of the snippet was said, in milliseconds since the epoch, and by whom. */
  at: number;
  role: 'user' | 'assistant';
  /** At most 700 characters; each message begins with `user: ` or `assistant: `. */
  snippet: string;
  /** From 0 to 1; only the order is meaningful. */
  score: number;
  /** `owner`: what users said; `agent`: answers; `untrusted`: answers to prompts with untrusted text in them. */
  from: MemoryAuthor;
}

/** The hits of a search in conversations, and the state of its index. */
export interface SessionSearch {
  /** By words only: embedding every conversation would cost model calls. */
  mode: 'lexical';
  /** Runs in the index. */
  indexed: number;
  /** Changed runs that are not in the index yet; null when not counted. */
  pending: number | null;
  /** Whether hits may be missing. */
  stale: boolean;
  /** Why hits are missing, or why there are none; null without a reason. */
  reason: string | null;
  results: SessionHit[];
}

/** Searches earlier conversations. */
export interface SessionSearcher {
  /** @param queries one to four phrasings of the query. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(seeker: SessionSeeker, queries: readonly string[], limit?: number): Promise<SessionSearch>;
}
