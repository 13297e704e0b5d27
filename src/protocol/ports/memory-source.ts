import type { Reach } from '../access.ts';
import type { MethodOutput } from '../methods/methods.ts';
/** The owner of a memory: a tenant in a workspace, or a user of that tenant. */
export interface MemoryPlace {
  /** The folder whose memory it is; of a tenant without a workspace the folder that was opened. */
  workspace: string;
  /** A tenant without a workspace. The first one stands for the tenant whose workspace it is. */
  tenant: number;
  /** Each user has a memory of its own; null for that of the tenant. */
  user: string | null;
}

/** Where the memories of a tenant are: its own, and those of its users. */
export type MemoryFolder = Omit<MemoryPlace, 'user'>;

/** One hit of a search. */
export type MemoryHit = MemorySearch['results'][number];

/**
 * The author of a line: a person, with an editor or the command line; an agent; or an agent that had read untrusted text
 * (a web page, a mail), which may have planted the line.
 */
export type MemoryAuthor = 'owner' | 'agent' | 'untrusted';

/** The mark before untrusted text; people see it, and may remove it. */
export const untrustedMark = '(untrusted) ';

/** The hits of a search, and the state of its index. */
export interface MemorySearch extends MethodOutput<'memory.search'> {}

/** The files of a memory. */
export interface MemoryFiles extends MethodOutput<'memory.list'> {}

/** Lines of a memory file. */
export interface MemoryText extends MethodOutput<'memory.get'> {}

/** The target of new lines: the file of the day, or the file for lasting facts. */
export type MemoryTarget = 'day' | 'long_term';

/** The memory that outlives runs. */
export interface MemorySource {
  /** @param queries one to four phrasings of the query. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(place: MemoryPlace, queries: readonly string[], limit?: number): Promise<MemorySearch>;
  files(place: MemoryPlace): Promise<MemoryFiles>;
  /** Lines of one file. Throws `MEMORY_PATH` for other files, `NOT_FOUND`, `PAST_END`. */
  get(
    place: MemoryPlace,
    path: string,
    range: { line?: number | undefined; limit?: number | undefined },
  ): Promise<MemoryText>;
  /** Writes lines atomically. Idempotent: writes nothing under an existing key. */
  write(
    place: MemoryPlace,
    lines: readonly MemoryLine[],
    how: { at: number; key: string; to?: MemoryTarget | undefined },
  ): Promise<{ path: string; lines: number }>;
  /**
   * The memory that fits a new run's prompt, without untrusted lines. Null when there is none. Never throws, and is bounded
   * in time.
   *
   * @param known `said`: the text of the conversation; lines that it has word for word are left out. `untrusted`: files that
   * are left out.
   */
  recall(
    place: MemoryPlace,
    prompt: string,
    known: { said: () => Promise<string>; untrusted?: ReadonlySet<string> },
  ): Promise<string | null>;
}

/** Where a flush writes before a compaction. */
export interface DayLog {
  /**
   * Appends lines to the file of the day. Idempotent: writes nothing under an existing key.
   *
   * @param at milliseconds since the epoch; the day is the local one.
   */
  append(place: MemoryPlace, at: number, key: string, lines: readonly (string | MemoryLine)[]): Promise<void>;
}

/** A line for the memory. */
export interface MemoryLine {
  text: string;
  /** A model wrote it after reading untrusted text, which may have planted it. */
  isUntrusted: boolean;
}

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
