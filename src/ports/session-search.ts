import type { MemoryAuthor } from './memory-source.ts';

/** Who looks for something that was said. */
export interface SessionSeeker {
  tenant: number;
  /** Finds what was said in runs for this user alone; null: in all runs of the tenant. */
  userId: string | null;
  /** The session that it is asked in: what its prompt shows anyway is not found. */
  sessionId?: string;
}

/** Something that was said in a conversation. */
export interface SessionHit {
  sessionId: string;
  runId: string;
  /** When the first line of the snippet was said, in milliseconds since the epoch, and by whom. */
  at: number;
  role: 'user' | 'assistant';
  /** At most 700 characters; each message begins with `user: ` or `assistant: `. */
  snippet: string;
  /** From 0 to 1; good for the order, and for nothing else. */
  score: number;
  /** `owner`: what users said; `agent`: answers; `untrusted`: answers to prompts with untrusted text in them. */
  from: MemoryAuthor;
}

/** What a search of conversations found, and how good the index was that was asked. */
export interface SessionSearch {
  /** By words: no model is paid to read every conversation. */
  mode: 'lexical';
  /** Runs in the index. */
  indexed: number;
  /** Runs that have moved and are not in it yet; null when they have not been counted. */
  pending: number | null;
  /** Whether something may be missing. */
  stale: boolean;
  /** Why something is missing, or nothing was found; null when there is nothing to say. */
  reason: string | null;
  results: SessionHit[];
}

/** Finds what was said in earlier conversations. */
export interface SessionSearcher {
  /** @param queries one to four ways to say what is looked for; throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(seeker: SessionSeeker, queries: readonly string[], limit?: number): Promise<SessionSearch>;
}
