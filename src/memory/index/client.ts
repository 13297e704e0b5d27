import { Worker } from 'node:worker_threads';
import { DetentError } from '../../protocol/error.ts';
import type { FoundPassages, IndexOptions, IndexSearch, IndexStatus } from './service.ts';
import type { IndexAnswer, IndexQuestion } from './worker.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * An index in a thread of its own: neither a search nor a long indexing holds up the thread that asks. The thread is
 * started by the first question, and does not keep the process alive.
 */
export class IndexClient {
  readonly #options: IndexOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #asked = 0;

  constructor(options: IndexOptions) {
    this.#options = options;
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

  /** Lets the index be brought up to its files in the background. Does nothing before the first search. */
  hint(): void {
    if (this.#worker) this.status(0).catch(() => {});
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.#ask({ ask: 'close' }).catch(() => {});
    this.#worker = null;
    await worker.terminate();
  }

  #ask(question: IndexQuestion): Promise<unknown> {
    const worker = this.#started();
    const n = ++this.#asked;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(n, { resolve, reject });
    // Who waits for an answer must live to get it.
    worker.ref();
    worker.postMessage({ n, ...question });
    return promise;
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./worker.${ending}`, import.meta.url), { workerData: this.#options });
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
