import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryFiles, MemoryLine, MemorySearch, MemoryTarget, MemoryText } from '../protocol/ports.ts';
import type { EmbeddingsOptions } from './embeddings/embeddings-options.ts';
import { walk } from './index/files.ts';
import { IndexClient, type IndexThread } from './index/index-client.ts';
import type { FoundPassages, IndexStatus } from './index/service.ts';
import { linesOf } from './markdown/blocks.ts';
import { sourcesOf } from './markdown/provenance.ts';
import { askedQueries } from './notes/asked-queries.ts';
import { changeFile, readText } from './notes/change-file.ts';
import { dayFile, titleOf, withEntry } from './notes/day-log.ts';
import { checkedPath, getLines } from './notes/get.ts';
import { indexFileOf } from './notes/home.ts';
import { whileWriting } from './notes/write-lock.ts';

const longTermFile = 'memory/MEMORY.md';

/** How long a search waits for the files that changed last, and how long for all others if many have, unless it is the first one. */
const waitMs = 3_000;
const manyMs = 50;
const defaultHits = 6;
const maxListed = 2_000;

export interface MemoryOptions {
  /** Absolute path of the folder that has `MEMORY.md` and `memory/`. */
  home: string;
  /** Whether to watch for changes all the time, and not only check before a search. */
  isWatching: boolean;
  /** The embedding model; without one the search goes by words only. */
  embeddings?: EmbeddingsOptions | undefined;
  /** A worker thread that several indexes share; without it the index has its own. */
  thread?: IndexThread;
}

/** The memory of one home. Opens no file and starts no thread before the first search. */
export class Memory {
  readonly home: string;
  readonly #index: IndexClient;
  #hasSearched = false;

  constructor({ home, isWatching, embeddings, thread }: MemoryOptions) {
    this.home = home;
    const options = { root: home, file: indexFileOf(home), isWatching, ...(embeddings && { embeddings }) };
    this.#index = new IndexClient(options, thread);
  }

  /** Whether there is nothing to search. Costs two `stat` calls, at once: every run asks, and each promise costs ten times as much. */
  isEmpty(): boolean {
    return !['MEMORY.md', 'memory'].some((name) => isThere(join(this.home, name)));
  }

  /** Its files, by path. */
  files(): MemoryFiles {
    const files: MemoryFiles['files'] = [];
    const problems: MemoryFiles['problems'] = [];
    for (const found of walk(this.home, 'memory')) {
      if (files.length + problems.length >= maxListed) return { files, problems, isCut: true };
      if ('problem' in found) problems.push(found);
      else if ('stat' in found)
        files.push({
          path: found.path,
          bytes: Number.parseInt(found.stat, 10),
          changedAt: found.changedAt,
        });
    }
    return { files, problems, isCut: false };
  }

  /**
   * @param queries one to four wordings of the question; other languages help.
   * @throws DetentError `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`.
   */
  async search(queries: readonly string[], limit = defaultHits): Promise<MemorySearch> {
    const found = await this.passages(queries, limit);
    return { ...found, results: found.results.map(({ authors: _, coverage: __, ...hit }) => hit) };
  }

  /** {@link search}, with the author of each line. */
  async passages(queries: readonly string[], limit: number): Promise<FoundPassages> {
    const asked = askedQueries(queries);
    if (this.isEmpty()) return nothingThere;
    const many = this.#hasSearched ? { manyMs } : {};
    this.#hasSearched = true;
    return this.#index.search({ queries: asked, limit, waitMs, ...many });
  }

  /** @throws DetentError `MEMORY_PATH`, `NOT_FOUND`, `PAST_END`. */
  get(
    path: string,
    range: { line?: number | undefined; limit?: number | undefined } = {},
  ): Promise<MemoryText> {
    return getLines(this.home, path, range);
  }

  /**
   * Appends lines to a file atomically.
   *
   * @param at milliseconds since the epoch; the day is the local one.
   * @param key the key of an agent's entry; if the file has it already, nothing is written. Null for a person's.
   */
  async write(
    lines: readonly MemoryLine[],
    { at, key, to = 'day' }: { at: number; key: string | null; to?: MemoryTarget | undefined },
  ): Promise<{ path: string; lines: number }> {
    const clean = lines
      .map(({ text, isUntrusted }) => ({ text: plainLine(text), isUntrusted }))
      .filter(({ text }) => text !== '');
    const path = to === 'day' ? dayFile(at) : longTermFile;
    const title = to === 'day' ? titleOf(at) : '# Memory\n';
    if (clean.length > 0)
      await whileWriting(this.home, () =>
        changeFile(this.home, path, (before) => withEntry(before, title, key, clean)),
      );
    this.#index.hint();
    return { path, lines: clean.length };
  }

  /** Deletes lines from files. @throws DetentError `MEMORY_PATH`, `NOT_FOUND`, `PAST_END`. */
  async forget(forgetting: Forgetting): Promise<{ path: string; lines: string[] }[]> {
    const paths = 'path' in forgetting ? [checkedPath(forgetting.path)] : this.#files();
    return whileWriting(this.home, async () => {
      const forgotten: { path: string; lines: string[] }[] = [];
      for (const path of paths) {
        let lines: string[] = [];
        if ('path' in forgetting) await this.get(path, { line: forgetting.from, limit: 1 });
        await changeFile(this.home, path, (before) => {
          const rest = withoutLines(before ?? '', forgetting);
          lines = rest.lines;
          return lines.length > 0 ? rest.text : null;
        });
        if (lines.length > 0) forgotten.push({ path, lines });
      }
      this.#index.hint();
      return forgotten;
    });
  }

  async status(): Promise<IndexStatus & { home: string; file: string }> {
    const status = await this.#index.status(Number.POSITIVE_INFINITY);
    return { home: this.home, file: indexFileOf(this.home), ...status };
  }

  /** Updates the index from the files; `isAnew`: rebuilds it from scratch. */
  index(isAnew: boolean): Promise<IndexStatus> {
    return this.#index.index(isAnew);
  }

  /** The content of the long-term file; null if there is none. */
  async longTerm(): Promise<{ path: string; text: string } | null> {
    for (const path of ['MEMORY.md', longTermFile]) {
      const text = await readText(this.home, path).catch(() => null);
      if (text !== null) return { path, text };
    }
    return null;
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  #files(): string[] {
    return [...walk(this.home, 'memory')].flatMap((each) => ('stat' in each ? [each.path] : []));
  }
}

const nothingThere: FoundPassages = {
  mode: 'lexical',
  indexed: 0,
  pending: 0,
  stale: false,
  reason: 'the memory is empty: there are no memory files',
  results: [],
};

/** The text as one line that cannot pose as a heading, a list item or the key of another entry. */
function plainLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<!--|-->/g, '')
    .trim()
    .replace(/^(?:[-*+•]|\d+[.)])\s+/, '')
    .replace(/^(?:\(untrusted\) ?)+/, '')
    .trim();
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** What to delete: lines of a file (both ends included), or all lines that a run wrote. */
export type Forgetting = { path: string; from: number; to: number } | { run: string };

/** The text without the forgotten lines, and these lines. */
export function withoutLines(text: string, forgetting: Forgetting): { text: string; lines: string[] } {
  const lines = linesOf(text);
  const sources = sourcesOf(lines);
  const isForgotten = (i: number) =>
    'run' in forgetting
      ? sources[i]?.run === forgetting.run
      : i + 1 >= forgetting.from && i + 1 <= forgetting.to;
  const gone = lines.filter((_, i) => isForgotten(i));
  // Keep the line ends, so that all other lines stay the same to the last byte.
  const rest = text.split(text.includes('\n') ? /(?<=\n)/ : /(?<=\r)/).filter((_, i) => !isForgotten(i));
  return { text: rest.join(''), lines: gone };
}
