import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import { DetentError } from '../../protocol/error.ts';
import type { FedChange } from './feed.ts';
import type { FoundPassages, IndexOptions, IndexSearch, IndexStatus } from './service.ts';
import type { IndexAnswer, IndexQuestion } from './worker.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * The thread that indexes live in, however many there are: neither a search nor a long indexing holds up the thread that
 * asks. It is started by the first question, and does not keep the process alive.
 */
export class IndexThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #asked = 0;

  ask(index: IndexOptions, question: IndexQuestion): Promise<unknown> {
    const worker = this.#started();
    const n = ++this.#asked;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(n, { resolve, reject });
    // Who waits for an answer must live to get it.
    worker.ref();
    worker.postMessage({ n, index, ...question });
    return promise;
  }

  /** Its indexes are closed before it ends. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.ask({ file: '' }, { ask: 'end' }).catch(() => {});
    this.#worker = null;
    await worker.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startWorker();
    worker.unref();
    worker.on('message', (answer: IndexAnswer) => this.#settle(worker, answer));
    const gone = (why: unknown) => {
      if (this.#worker !== worker) return;
      // The next question starts another.
      this.#worker = null;
      const message = `the memory index has stopped: ${why instanceof Error ? why.message : why}; ask again`;
      for (const { reject } of this.#waiting.values())
        reject(new DetentError('MEMORY_INDEX_FAILED', message, { cause: why, retryable: true }));
      this.#waiting.clear();
    };
    worker.on('error', gone);
    worker.on('exit', (code) => gone(`its thread ended with code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #settle(worker: Worker, answer: IndexAnswer): void {
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (this.#waiting.size === 0) worker.unref();
    if (!waiting) return;
    if ('error' in answer) waiting.reject(new DetentError(answer.error.code, answer.error.message));
    else waiting.resolve(answer.value);
  }
}

/**
 * A thread has a compile cache of its own to switch on, before its first module: without it the types are taken out of
 * every source file again, in a quarter of a second. What is published has no types.
 */
const start = `
const { enableCompileCache } = require('node:module');
const { entry, cache } = require('node:worker_threads').workerData;
if (cache !== null) enableCompileCache(cache);
import(entry);`;

function startWorker(): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(isSource ? './worker.ts' : './worker.js', import.meta.url).href;
  const cache = getCompileCacheDir() ?? (isSource ? undefined : null);
  return new Worker(start, { eval: true, workerData: { entry, cache } });
}

/** One index, asked from another thread than its own. */
export class IndexClient {
  readonly #options: IndexOptions;
  readonly #thread: IndexThread;
  readonly #isSharing: boolean;
  #hasAsked = false;

  /** @param thread to live in with others; without it a thread of its own. */
  constructor(options: IndexOptions, thread?: IndexThread) {
    this.#options = options;
    this.#thread = thread ?? new IndexThread();
    this.#isSharing = thread !== undefined;
  }

  search(search: IndexSearch): Promise<FoundPassages> {
    return this.#ask({ ask: 'search', search }) as Promise<FoundPassages>;
  }

  status(waitMs: number): Promise<IndexStatus> {
    return this.#ask({ ask: 'status', waitMs }) as Promise<IndexStatus>;
  }

  index(isAnew: boolean): Promise<IndexStatus> {
    return this.#ask({ ask: 'index', isAnew }) as Promise<IndexStatus>;
  }

  /** What a fed index has: the `stat` of each document, by path. */
  known(): Promise<ReadonlyMap<string, string>> {
    return this.#ask({ ask: 'known' }) as Promise<ReadonlyMap<string, string>>;
  }

  /** Brings documents of a fed index up to date; resolves when all of it is in the file. */
  async feed(change: FedChange): Promise<void> {
    await this.#ask({ ask: 'feed', change });
  }

  /** Lets the index be brought up to its files in the background. Does nothing before the first question. */
  hint(): void {
    if (this.#hasAsked) this.status(0).catch(() => {});
  }

  async close(): Promise<void> {
    if (!this.#isSharing) await this.#thread.close();
    else if (this.#hasAsked) await this.#ask({ ask: 'close' }).catch(() => {});
  }

  #ask(question: IndexQuestion): Promise<unknown> {
    this.#hasAsked = true;
    return this.#thread.ask(this.#options, question);
  }
}
