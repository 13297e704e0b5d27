import type { Worker } from 'node:worker_threads';
import { DetentError } from '../../protocol/error.ts';
import { openDatabases, startOwnThread } from '../../text/files.ts';
import type { FedChange } from './feed.ts';
import type { FoundPassages, IndexOptions, IndexSearch, IndexStatus } from './service.ts';
import type { IndexAnswer, IndexQuestion } from './worker.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * The worker thread of all indexes, so that neither a search nor long indexing blocks the calling thread. The first
 * question starts it. It does not keep the process alive.
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
    // Keep the process alive while a caller waits for an answer.
    worker.ref();
    // The thread has no list of its own.
    worker.postMessage({ n, index, databases: openDatabases(), ...question });
    return promise;
  }

  /** Closes all indexes, then ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.ask({ file: '' }, { ask: 'end' }).catch(() => {});
    this.#worker = null;
    await worker.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startOwnThread('src/memory/index/worker');
    worker.on('message', (answer: IndexAnswer) => this.#settle(worker, answer));
    const gone = (why: unknown) => {
      if (this.#worker !== worker) return;
      // The next question starts another thread.
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

/** The client of one index, for use outside of its thread. */
export class IndexClient {
  readonly #options: IndexOptions;
  readonly #thread: IndexThread;
  readonly #isSharing: boolean;
  #hasAsked = false;

  /** @param thread a thread that several indexes share; without it the index has its own. */
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

  /** The content of a fed index: the `stat` of each document, by path. */
  known(): Promise<ReadonlyMap<string, string>> {
    return this.#ask({ ask: 'known' }) as Promise<ReadonlyMap<string, string>>;
  }

  /** Updates documents of a fed index; resolves when the change is committed. */
  async feed(change: FedChange): Promise<void> {
    await this.#ask({ ask: 'feed', change });
  }

  /** Starts an update of the index in the background. Does nothing before the first question. */
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
