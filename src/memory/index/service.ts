import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { MemorySearch } from '../../protocol/ports.ts';
import { FolderWatch } from '../../text/files.ts';
import { breath, endsWithin } from '../../text/limiter.ts';
import type { EmbeddingsOptions } from '../embeddings/embeddings-options.ts';
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
import { type FedChange, feedPass } from './feed.ts';
import type { Tree } from './files.ts';
import type { Pass } from './pass.ts';
import { syncPass } from './syncer.ts';
import { Vectors } from './vectors.ts';

export interface IndexOptions {
  /** The index file. A name that begins with `:memory:` means an index in memory. */
  file: string;
  /** Absolute path of the folder with the files. Left out for an index that is fed. */
  root?: string;
  /** Default: `memory`. */
  tree?: Tree;
  /** Whether to watch for changes all the time, and not only check before a search. */
  isWatching?: boolean;
  /** The embedding model; left out for a search by words only. */
  embeddings?: EmbeddingsOptions;
}

export interface IndexSearch extends Sought {
  /** Milliseconds to wait for changed files; the result reports those still missing. Null: do not check the files. */
  waitMs: number | null;
  /** Milliseconds to wait for all but those that changed last, if many have changed. Default: as long as for these. */
  manyMs?: number;
}

/** Search results with the author of each line. */
export interface FoundPassages extends MemorySearch {
  results: Passage[];
  /** Of a fed index: changes when the index was rebuilt and must be fed again. */
  edition?: string;
}

export interface IndexStatus {
  indexed: number;
  chunks: number;
  pending: number | null;
  /** The way in which files were cut into chunks and words. */
  identity: string;
  /** Files that are not indexed, and why. */
  problems: { path: string; problem: string }[];
}

/** A pass over the files; `newest` resolves when those that changed last are in the index. */
interface QueuedPass {
  done: Promise<void>;
  newest: Promise<void>;
}

/** Duration of one slice of work, while a search may wait. */
const sliceMs = 10;
const pollMs = 60_000;
/** Debounce time after the last change. */
const quietMs = 300;
/** Pause before a retry, while another process writes. */
const busyMs = 10;

/**
 * One index: keeps it up to date with its files, and searches it. All work is synchronous, so it runs in a worker thread.
 * Long work is done in slices, and searches run between them.
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
  /** The current pass, or the last one. */
  #syncer: Pass | null = null;
  #lastPass: Promise<void> = Promise.resolve();
  #queued: QueuedPass | null = null;
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

  async search({ waitMs, manyMs, ...sought }: IndexSearch): Promise<FoundPassages> {
    if (waitMs !== null) await this.#upToDate(waitMs, manyMs);
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
      const reason = searchReason({ files, pending, problems, problem, isEmpty: results.length === 0 });
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

  /** The content of a fed index: the `stat` of each document, by path. */
  async known(): Promise<Map<string, string>> {
    return this.#healing(async () => this.#current()?.stats() ?? new Map());
  }

  /** Resolves when the change is committed. @throws DetentError `MEMORY_INDEX_FAILED`; then none of it is. */
  feed(change: FedChange): Promise<void> {
    return this.#chain(() => this.#pass(() => feedPass(this.#open().write, change)));
  }

  /** @param waitMs how long to wait for changes to be indexed. */
  async status(waitMs: number): Promise<IndexStatus> {
    await this.#upToDate(waitMs);
    return this.#healing(async () => {
      const { files, chunks } = this.#current()?.counts() ?? { files: 0, chunks: 0 };
      const { pending, problems } = this.#behind();
      return { indexed: files, chunks, pending, identity, problems: [...problems] };
    });
  }

  /** Updates the index from its files; `isAnew`: rebuilds it, while searches still use the previous one. */
  async index(isAnew: boolean): Promise<IndexStatus> {
    if (isAnew) {
      this.#vectors?.begin(this.#open().write);
      await this.#enqueue(true).done;
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
  async #upToDate(waitMs: number, manyMs = waitMs): Promise<void> {
    if (this.#options.root === undefined) return;
    const { done, newest } = this.#resync();
    if (waitMs === Number.POSITIVE_INFINITY) return done;
    // The work continues after the wait; the next caller gets its error.
    const ended = done.catch(() => {});
    await endsWithin(ended, manyMs);
    if (waitMs > manyMs) await endsWithin(Promise.race([newest, ended]), waitMs - manyMs);
  }

  /** Enqueues a new pass over the files, because the current one may have passed a file already. */
  #resync(): QueuedPass {
    this.#queued ??= this.#enqueue(false);
    return this.#queued;
  }

  #refreshSoon(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#refresh(), quietMs);
  }

  #refresh(): void {
    this.#resync().done.catch(() => {});
  }

  /** Enqueues a pass; passes run one after the other. */
  #enqueue(isAnew: boolean): QueuedPass {
    const { root = '', tree = 'memory' } = this.#options;
    const { promise: newest, resolve } = Promise.withResolvers<void>();
    const done = this.#chain(() => {
      if (!isAnew) this.#queued = null;
      return this.#pass(() => syncPass(this.#open().write, { root, tree, isAnew, onNewest: resolve }));
    });
    return { done, newest };
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
        if (!isUnreadable(error) || tries > 2) throw indexFailed(error);
        // On the first try the cause may be that another process has just activated a new generation.
        if (tries === 2) this.#discard();
      }
    }
    // Without a free watcher, the next search and a check once a minute find the changes.
    const { root = '' } = this.#options;
    const folders = this.#syncer?.state.folders ?? [];
    await this.#watch?.follow(folders.map((folder) => ({ path: join(root, folder) })));
    this.#fill();
  }

  /** Makes missing vectors in the background; the search by words does not wait for them. */
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
    while (!this.#isClosed && !syncer.step(sliceMs)) await (syncer.isWaiting ? sleep(busyMs) : breath());
  }

  #behind() {
    return this.#syncer?.state ?? { pending: null, problems: [] };
  }

  /** The active generation; null before anything was indexed. */
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

  /** Opens the index; makes it again if the file was deleted. */
  #open(): IndexDatabase {
    const { file } = this.#options;
    const inode = statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
    if (this.#db && inode !== this.#inode) this.#forget();
    if (!this.#db) {
      try {
        this.#db = openIndex(file);
      } catch (error) {
        throw indexFailed(error);
      }
      this.#inode = statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
      this.#opened = randomUUID();
    }
    return this.#db;
  }

  #forget(): void {
    // Its uncommitted work is lost with the file; the next pass starts over.
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

  /** Runs `ask`; if the index is damaged, rebuilds it and tries once more. */
  async #healing<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (!isUnreadable(error)) throw indexFailed(error);
    }
    this.#reader = null;
    try {
      // Another process may have activated a new generation during the read.
      return await ask();
    } catch (error) {
      if (!isUnreadable(error)) throw indexFailed(error);
    }
    await this.#lastPass;
    this.#discard();
    await this.#upToDate(Number.POSITIVE_INFINITY);
    return ask();
  }
}

function searchReason({
  files,
  pending,
  problems,
  problem,
  isEmpty,
}: {
  files: number;
  pending: number | null;
  problems: readonly { path: string; problem: string }[];
  /** The problem of the vectors. */
  problem: string | null;
  isEmpty: boolean;
}): string | null {
  const reasons: string[] = [];
  if (pending === null) reasons.push('the index is not complete yet');
  else if (pending > 0)
    reasons.push(`${pending} changed ${pending === 1 ? 'file is' : 'files are'} not indexed yet`);
  for (const { path, problem } of problems.slice(0, 3)) reasons.push(`${path} ${problem}`);
  if (problems.length > 3) reasons.push(`${problems.length - 3} more files are left out`);
  if (problem !== null) reasons.push(problem);
  if (isEmpty && files === 0 && pending === 0) reasons.push('the memory is empty: there are no memory files');
  else if (isEmpty) reasons.push('no word of the query is in the memory; try other words');
  return reasons.length > 0 ? reasons.join('; ') : null;
}

function indexFailed(error: unknown): DetentError {
  if (DetentError.is(error)) return error;
  return new DetentError('MEMORY_INDEX_FAILED', `the memory index cannot be used: ${messageOf(error)}`, {
    cause: error,
  });
}
