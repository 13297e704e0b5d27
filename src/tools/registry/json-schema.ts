import type { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../protocol/json.ts';
import { startOwnThread } from '../../text/files.ts';
import type { ValueIssue } from './issues.ts';
import type { SchemaAnswer, SchemaQuestion } from './schema-worker.ts';

/**
 * How long one value may take, in milliseconds. Schemas of clients and of MCP servers may hold patterns, or references that
 * double at every level, that never end; 300 KB of JSON by an honest schema take 60 ms.
 */
const maxMs = 500;
/** The time that the schemas of one owner may take at once, and the part of it that comes back each second: a twentieth of one core. */
const budgetMs = 2_000;
const backMs = 50;
/** The time that a value may take without any budget: honest values take a fraction of it, however many there are. */
const freeMs = 10;
/** Above, owners who have spent nothing any more are forgotten. */
const maxOwners = 1_000;
/** Of the thread, in MiB. */
const maxHeap = 256;

/**
 * Validates a value by a plain JSON Schema (draft 2020-12), where there is no Standard Schema: in a thread, because a schema
 * from outside may take for ever.
 *
 * @param owner who brought the schema: what one owner's schemas take has a budget, and the owner who took least comes first.
 * @returns the innermost problems, without the outer errors that repeat them; empty = valid.
 * @throws when the schema itself is broken (an unresolved `$ref`, a bad pattern), takes too long, or its owner's budget is used.
 */
export function jsonSchemaIssues(schema: JsonObject, value: unknown, owner: string): Promise<ValueIssue[]> {
  return thread.ask({ schema, value }, owner);
}

interface Waiting {
  question: SchemaQuestion;
  owner: string;
  resolve(issues: ValueIssue[]): void;
  reject(error: Error): void;
}

/** One thread for the process: one value at a time. */
class SchemaThread {
  readonly #queue: Waiting[] = [];
  readonly #spent = new Map<string, { ms: number; at: number }>();
  #worker: Worker | null = null;
  #isReady = false;
  #current: (Waiting & { since: number; timer: NodeJS.Timeout }) | null = null;

  ask(question: SchemaQuestion, owner: string): Promise<ValueIssue[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ValueIssue[]>();
    this.#queue.push({ question, owner, resolve, reject });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#current) return;
    const next = this.#frugal();
    if (!next) {
      this.#worker?.unref();
      return;
    }
    const worker = this.#started();
    // Keep the process alive while a caller waits for an answer.
    worker.ref();
    if (!this.#isReady) return;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    if (this.#spentBy(next.owner) >= budgetMs) {
      next.reject(new Error('the schemas of this user took too long to validate; try again in a minute'));
      this.#next();
      return;
    }
    // A message that the thread sent while this process was at work arrives before the timer fires.
    const timer = setTimeout(() => setImmediate(() => this.#giveUp(timer)), maxMs);
    this.#current = { ...next, since: performance.now(), timer };
    try {
      worker.postMessage(next.question);
    } catch (error) {
      this.#settle()?.reject(error as Error);
      this.#next();
    }
  }

  /** The one whose owner has taken least. */
  #frugal(): Waiting | undefined {
    return this.#queue.reduce<Waiting | undefined>(
      (least, one) => (least && this.#spentBy(least.owner) <= this.#spentBy(one.owner) ? least : one),
      undefined,
    );
  }

  #spentBy(owner: string): number {
    const { ms, at } = this.#spent.get(owner) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - ((performance.now() - at) / 1000) * backMs);
  }

  /** Forgets the owners that have their whole budget back. */
  #forgetOthers(): void {
    if (this.#spent.size < maxOwners) return;
    for (const owner of this.#spent.keys()) if (this.#spentBy(owner) === 0) this.#spent.delete(owner);
  }

  /** @param ms what the value took. A thread that said nothing was at work all the time. */
  #settle(ms?: number): Waiting | null {
    const current = this.#current;
    if (!current) return null;
    this.#current = null;
    clearTimeout(current.timer);
    const now = performance.now();
    this.#forgetOthers();
    const spent = Math.max(0, (ms ?? now - current.since) - freeMs);
    this.#spent.set(current.owner, { ms: this.#spentBy(current.owner) + spent, at: now });
    return current;
  }

  #giveUp(timer: NodeJS.Timeout): void {
    if (this.#current?.timer !== timer) return;
    const why = `it takes too long, more than ${maxMs} ms: simplify the patterns and references of the schema`;
    this.#stop(new Error(why));
  }

  #stop(why: Error): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#isReady = false;
    this.#settle()?.reject(why);
    // Never rejects; the next value starts another thread.
    void worker?.terminate();
    this.#next();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startOwnThread('src/tools/registry/schema-worker', { maxOldGenerationSizeMb: maxHeap });
    const gone = (why: unknown) => {
      if (this.#worker !== worker) return;
      if (this.#current) return this.#stop(new Error(`the schema cannot be validated: ${why}`));
      // It did not even load: nobody may wait for ever.
      this.#worker = null;
      for (const { reject } of this.#queue.splice(0))
        reject(new Error(`schemas cannot be validated: ${why}`));
    };
    worker.on('message', (answer: SchemaAnswer) => this.#worker === worker && this.#take(answer));
    worker.on('error', (error) => gone(error.message));
    worker.on('exit', (code) => gone(`its thread ended with code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #take(answer: SchemaAnswer): void {
    if ('ready' in answer) this.#isReady = true;
    else {
      const asked = this.#settle(answer.ms);
      if ('issues' in answer) asked?.resolve(answer.issues);
      else asked?.reject(new Error(answer.broken));
    }
    this.#next();
  }
}

const thread = new SchemaThread();
