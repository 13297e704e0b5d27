import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderWatch } from '../../files/folder-watch.ts';
import type { MemorySearch } from '../../ports/memory-source.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { EmbeddingsOptions } from '../embeddings/options.ts';
import { Speller } from '../search/query.ts';
import { GenerationReader } from '../search/reader.ts';
import { type Passage, type Sought, searchIndex } from '../search/search.ts';
import {
  activeGeneration,
  type IndexDatabase,
  identity,
  isUnreadable,
  openIndex,
  removeIndex,
} from './database.ts';
import { type FedChange, FeedPass } from './feed.ts';
import type { Tree } from './files.ts';
import type { Pass } from './pass.ts';
import { Syncer } from './syncer.ts';
import { Vectors } from './vectors.ts';

export interface IndexOptions {
  /** The index itself. One whose name begins with `:memory:` is in no file, and gone when it is closed. */
  file: string;
  /** Absolute path of the folder that holds the files. Left out: the index is fed. */
  root?: string;
  /** Left out: that of a memory. */
  tree?: Tree;
  /** Whether changes are looked for all the time, and not only when somebody searches. */
  isWatching?: boolean;
  /** Left out: by words alone. */
  embeddings?: EmbeddingsOptions;
}

export interface IndexSearch extends Sought {
  /** Milliseconds to wait for files that have changed; what is not in the index then is told of. Null: none is looked at. */
  waitMs: number | null;
}

/** What was found, with who wrote which line. */
export interface FoundPassages extends MemorySearch {
  results: Passage[];
  /** Of a fed index: another one after it was made anew, and must be fed again. */
  edition?: string;
}

export interface IndexStatus {
  indexed: number;
  chunks: number;
  pending: number | null;
  /** How files were cut, and words taken apart. */
  identity: string;
  /** Files that are left out, and why. */
  problems: { path: string; problem: string }[];
}

/** While others may wait for a search. */
const sliceMs = 10;
const pollMs = 60_000;
/** From the last of several changes until they are looked at. */
const quietMs = 300;
/** Until a writer that was met is looked for again. */
const busyMs = 10;

/**
 * One index: keeps it up to its files, and searches it. Everything here is synchronous at heart, so it lives in a worker;
 * long work is done in slices, and a search is answered between two of them.
 */
export class IndexService {
  readonly #options: IndexOptions;
  readonly #watch: FolderWatch | null;
  #db: IndexDatabase | null = null;
  #inode = 0n;
  #opened = '';
  #reader: GenerationReader | null = null;
  #speller = new Speller();
  readonly #vectors: Vectors | null;
  #filling: Promise<void> | null = null;
  /** Of the pass that is under way, or was the last. */
  #syncer: Pass | null = null;
  #lastPass: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #quiet: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#vectors = options.embeddings ? new Vectors(options.embeddings) : null;
    const { root, isWatching } = options;
    const isWatched = root !== undefined && isWatching === true;
    this.#watch = isWatched ? new FolderWatch(() => this.#refreshSoon()) : null;
    if (isWatched) this.#timer = setInterval(() => this.#refresh(), pollMs);
  }

  async search({ waitMs, ...sought }: IndexSearch): Promise<FoundPassages> {
    if (waitMs !== null) await this.#upToDate(waitMs);
    return this.#healing(async () => {
      const index = this.#current();
      const { files } = index?.counts() ?? { files: 0 };
      const vectors =
        index && files > 0 ? await this.#vectors?.search(this.#open(), index, sought.queries) : undefined;
      const searches = vectors?.searches ?? [];
      const results = index ? searchIndex(index, this.#speller, sought, searches) : [];
      const { pending, problems } = this.#behind();
      const problem = vectors?.problem ?? null;
      const stale = pending !== 0 || problems.length > 0 || problem !== null;
      const reason = reasonOf({ files, pending, problems, problem, isEmpty: results.length === 0 });
      return {
        mode: searches.length > 0 ? 'hybrid' : 'lexical',
        indexed: files,
        pending,
        stale,
        reason,
        results,
        ...(this.#options.root === undefined && { edition: this.#edition }),
      };
    });
  }

  /** What a fed index has: the `stat` of each document, by path. */
  async known(): Promise<Map<string, string>> {
    return this.#healing(async () => this.#current()?.stats() ?? new Map());
  }

  /** Resolves when all of it is in the file. @throws DetentError `MEMORY_INDEX_FAILED`; then nothing is. */
  feed(change: FedChange): Promise<void> {
    return this.#chain(() => this.#pass(() => new FeedPass(this.#open().write, change)));
  }

  /** @param waitMs for changes to be indexed. */
  async status(waitMs: number): Promise<IndexStatus> {
    await this.#upToDate(waitMs);
    return this.#healing(async () => {
      const { files, chunks } = this.#current()?.counts() ?? { files: 0, chunks: 0 };
      const { pending, problems } = this.#behind();
      return { indexed: files, chunks, pending, identity, problems: [...problems] };
    });
  }

  /** Brings the index up to its files; `isAnew`: makes it from nothing, while the one before is still searched. */
  async index(isAnew: boolean): Promise<IndexStatus> {
    if (isAnew) {
      this.#vectors?.begin(this.#open().write);
      await this.#enqueue(true);
    }
    await this.#upToDate(Number.POSITIVE_INFINITY);
    await this.#filling;
    return this.status(Number.POSITIVE_INFINITY);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearInterval(this.#timer);
    clearTimeout(this.#quiet);
    this.#watch?.close();
    this.#vectors?.close();
    this.#syncer?.stop();
    await this.#lastPass;
    await this.#filling;
    this.#db?.close();
    this.#db = null;
  }

  /** Resolves when all that was written before this call is in the index, or the time is up. */
  async #upToDate(waitMs: number): Promise<void> {
    if (this.#options.root === undefined) return;
    const done = this.#resync();
    // It goes on behind the back of whoever does not wait for it; the next one is told what went wrong.
    done.catch(() => {});
    if (waitMs === Number.POSITIVE_INFINITY) return done;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  /** A pass over the files that has not begun: one that is under way may have passed a file already. */
  #resync(): Promise<void> {
    this.#queued ??= this.#enqueue(false);
    return this.#queued;
  }

  #refreshSoon(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#refresh(), quietMs);
  }

  #refresh(): void {
    this.#resync().catch(() => {});
  }

  /** One pass after the other. */
  #enqueue(isAnew: boolean): Promise<void> {
    const { root = '', tree = 'memory' } = this.#options;
    return this.#chain(() => {
      if (!isAnew) this.#queued = null;
      return this.#pass(() => new Syncer(this.#open().write, root, tree, isAnew));
    });
  }

  #chain(pass: () => Promise<void>): Promise<void> {
    const done = this.#lastPass.then(() => (this.#isClosed ? undefined : pass()));
    this.#lastPass = done.catch(() => {});
    return done;
  }

  async #pass(begin: () => Pass): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#drive(begin);
        break;
      } catch (error) {
        if (!isUnreadable(error) || tries > 2) throw failed(error);
        // At first another process may just have put a new generation in the place of the one that was written.
        if (tries === 2) this.#discard();
      }
    }
    // What no watcher is left for is found by the next search, and once a minute.
    const { root = '' } = this.#options;
    const folders = this.#syncer?.state.folders ?? [];
    await this.#watch?.follow(folders.map((folder) => ({ path: join(root, folder) })));
    this.#fill();
  }

  /** Vectors come when they come; words can be searched at once. */
  #fill(): void {
    if (!this.#vectors || this.#filling || this.#isClosed) return;
    const filling = this.#vectors.fill(
      () => this.#open(),
      () => this.#current(),
    );
    this.#filling = filling.finally(() => {
      this.#filling = null;
    });
  }

  async #drive(begin: () => Pass): Promise<void> {
    const syncer = begin();
    this.#syncer = syncer;
    while (!this.#isClosed && !syncer.step(sliceMs))
      await (syncer.isWaiting ? sleep(busyMs) : new Promise((resolve) => setImmediate(resolve)));
  }

  #behind() {
    return this.#syncer?.state ?? { pending: null, problems: [] };
  }

  /** The generation in use; null before anything was indexed. */
  #current(): GenerationReader | null {
    const { read } = this.#open();
    const active = activeGeneration(read);
    if (!active) return null;
    if (this.#reader?.id !== active.id) this.#reader = new GenerationReader(read, active.id);
    return this.#reader;
  }

  get #edition(): string {
    return `${this.#inode} ${this.#reader?.id ?? 0} ${this.#opened}`;
  }

  /** An index that somebody has deleted is made again. */
  #open(): IndexDatabase {
    const { file } = this.#options;
    const inode = statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
    if (this.#db && inode !== this.#inode) this.#forget();
    if (!this.#db) {
      try {
        this.#db = openIndex(file);
      } catch (error) {
        throw failed(error);
      }
      this.#inode = statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
      this.#opened = randomUUID();
    }
    return this.#db;
  }

  #forget(): void {
    // What it has not committed is lost with the file; the next pass begins anew.
    this.#syncer?.stop();
    this.#db?.close();
    this.#db = null;
    this.#reader = null;
    this.#vectors?.forget();
    this.#speller = new Speller();
  }

  #discard(): void {
    this.#forget();
    removeIndex(this.#options.file);
  }

  /** A damaged index is thrown away and made again, and the question asked once more. */
  async #healing<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (!isUnreadable(error)) throw failed(error);
    }
    this.#reader = null;
    try {
      // Another process may have put a new generation in the place of the one that was read.
      return await ask();
    } catch (error) {
      if (!isUnreadable(error)) throw failed(error);
    }
    await this.#lastPass;
    this.#discard();
    await this.#upToDate(Number.POSITIVE_INFINITY);
    return ask();
  }
}

function reasonOf({
  files,
  pending,
  problems,
  problem,
  isEmpty,
}: {
  files: number;
  pending: number | null;
  problems: readonly { path: string; problem: string }[];
  /** Of the vectors. */
  problem: string | null;
  isEmpty: boolean;
}): string | null {
  const reasons: string[] = [];
  if (pending === null) reasons.push('the files are still being looked through');
  else if (pending > 0)
    reasons.push(`${pending} changed ${pending === 1 ? 'file is' : 'files are'} not indexed yet`);
  for (const { path, problem } of problems.slice(0, 3)) reasons.push(`${path} ${problem}`);
  if (problems.length > 3) reasons.push(`${problems.length - 3} more files are left out`);
  if (problem !== null) reasons.push(problem);
  if (isEmpty && files === 0 && pending === 0)
    reasons.push('nothing is remembered yet: there are no memory files');
  else if (isEmpty) reasons.push('no word of the query is in the memory; try other words');
  return reasons.length > 0 ? reasons.join('; ') : null;
}

function failed(error: unknown): DetentError {
  if (DetentError.is(error)) return error;
  return new DetentError('MEMORY_INDEX_FAILED', `the memory index cannot be used: ${messageOf(error)}`, {
    cause: error,
  });
}
