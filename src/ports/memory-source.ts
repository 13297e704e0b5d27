/** Whose memory: that of a tenant in a workspace. */
export interface MemoryPlace {
  workspace: string;
  tenant: number;
}

/** Something that was found. */
export interface MemoryHit {
  /** From the folder of the memory, with `/`. */
  path: string;
  /** Lines of the snippet; they count from 1, and `endLine` is the last one. */
  startLine: number;
  endLine: number;
  /** At most 700 characters, exactly as they stand on these lines. */
  snippet: string;
  /** The headings above it, from the outermost, with ` › ` between them. */
  heading: string;
  /** From 0 to 1: about .45 where all words of a query are there once. With vectors good for the order alone. */
  score: number;
  /** Who wrote it; of several the least trusted. */
  from: MemoryAuthor;
}

/**
 * Who wrote a line: a person, with an editor or the command line; an agent; or an agent that had read text which nobody
 * here had written (a web page, a mail), and may only repeat what that text wanted to be remembered.
 */
export type MemoryAuthor = 'owner' | 'agent' | 'untrusted';

/** What a search found, and how good the index was that was asked. */
export interface MemorySearch {
  /** By words alone, or by their meaning, too. */
  mode: 'lexical' | 'hybrid';
  /** Files in the index. */
  indexed: number;
  /** Files that have changed and are not in it yet; null when they have not been counted. */
  pending: number | null;
  /** Whether something may be missing. */
  stale: boolean;
  /** Why something is missing, or nothing was found; null when there is nothing to say. */
  reason: string | null;
  results: MemoryHit[];
}

/** Lines of a memory file. */
export interface MemoryText {
  path: string;
  /** Counts from 1; `endLine` is the last one that is given. */
  startLine: number;
  endLine: number;
  /** Lines of the whole file. */
  totalLines: number;
  /** Exactly these lines, with `\n` between them. */
  text: string;
  /** Who wrote them; of several the least trusted. */
  from: MemoryAuthor;
}

/** Where lines are written: the file of the day, or the one for what stays true. */
export type MemoryTarget = 'day' | 'long_term';

/** What is remembered between runs. */
export interface MemorySource {
  /** @param queries one to four ways to say what is looked for; throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(place: MemoryPlace, queries: readonly string[], limit?: number): Promise<MemorySearch>;
  /** Lines of one file. Throws `MEMORY_PATH` for what is no memory file, `NOT_FOUND`, `PAST_END`. */
  get(
    place: MemoryPlace,
    path: string,
    range: { line?: number | undefined; limit?: number | undefined },
  ): Promise<MemoryText>;
  /** Writes lines, whole or not at all; under a key that is there already nothing. */
  write(
    place: MemoryPlace,
    lines: readonly MemoryLine[],
    how: { at: number; key: string; to?: MemoryTarget | undefined },
  ): Promise<{ path: string; lines: number }>;
  /**
   * What a run is to begin with: of what is remembered what fits its prompt, lines of people and agents alone. Null when
   * there is nothing. Never throws, and never takes long.
   *
   * @param said what stands in the conversation anyway: what it says word for word is left out.
   */
  recall(place: MemoryPlace, prompt: string, said: () => Promise<string>): Promise<string | null>;
}

/** Where the gist of a conversation goes before it is compacted. */
export interface DayLog {
  /**
   * Appends lines to the file of the day. Under a key that was written before it changes nothing.
   *
   * @param at milliseconds since the epoch; the day is the local one.
   * @param tenant whose memory; without it that of the workspace.
   */
  append(
    workspace: string,
    at: number,
    key: string,
    lines: readonly (string | MemoryLine)[],
    tenant?: number,
  ): Promise<void>;
}

/** A line for the memory. */
export interface MemoryLine {
  text: string;
  /** A model wrote it that had untrusted text before it: it may be what that text wanted to be remembered. */
  isUntrusted: boolean;
}
