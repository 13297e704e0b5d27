import type { Worker } from 'node:worker_threads';
import { afterTimeOf } from '../../engine/foreign-code.ts';
import { isObject } from '../../protocol/json.ts';
import { startOwnThread } from '../../text/files.ts';
import type { ValueIssue } from '../../text/json-schema.ts';
import { once } from '../../text/limiter.ts';
import type { SchemaCheck } from './issues.ts';
import type { SchemaQuestion } from './schema-verdict.ts';
import type { SchemaAnswer } from './schema-worker.ts';

/**
 * How long the thread may work on one value, in milliseconds of its processor time: on a busy machine it may not run for longer than
 * that. Schemas of clients and of MCP servers may hold patterns, or references that
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
 * Validates in a thread, because a schema from outside may take for ever. What the schemas of one owner take has a budget, and the
 * owner who took least comes first. What surely takes a moment needs no thread, and starts none.
 *
 * @throws also when it takes too long, or the budget of the owner is used.
 */
export const jsonSchemaIssues: SchemaCheck = async (schema, value, owner) => {
  const question = { schema, value };
  if (!isSoonValidated(schema, value)) return thread.ask(question, owner);
  const { verdictOf } = await verdicts();
  const verdict = verdictOf(question);
  if ('issues' in verdict) return verdict.issues;
  throw new Error(verdict.broken);
};

const verdicts = once(() => import('./schema-verdict.ts'));

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
  /** The processor time that the thread had taken when it last said something. */
  #workedMs = 0;
  #current: (Waiting & { stopTimer: () => void }) | null = null;

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
    this.#current = { ...next, stopTimer: this.#lookIn(maxMs) };
    try {
      worker.postMessage(next.question);
    } catch (error) {
      this.#settle(0)?.reject(error as Error);
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

  /** @param ms the processor time that the value took. */
  #settle(ms: number): Waiting | null {
    const current = this.#current;
    if (!current) return null;
    this.#current = null;
    current.stopTimer();
    this.#forgetOthers();
    const spent = Math.max(0, ms - freeMs);
    this.#spent.set(current.owner, { ms: this.#spentBy(current.owner) + spent, at: performance.now() });
    return current;
  }

  #lookIn(ms: number): () => void {
    return afterTimeOf(ms, () => void this.#look());
  }

  /** Gives the value up if the thread has worked on it for too long. */
  async #look(): Promise<void> {
    const [worker, current] = [this.#worker, this.#current];
    if (!worker || !current) return;
    // A Node before 24.6 cannot tell; a thread that has gone does not.
    const worked = await worker.cpuUsage?.().catch(() => undefined);
    if (this.#current !== current) return;
    const ms = worked ? (worked.user + worked.system) / 1000 - this.#workedMs : maxMs;
    if (ms < maxMs) current.stopTimer = this.#lookIn(maxMs - ms);
    else
      this.#stop(
        new Error(
          `it takes too long, more than ${maxMs} ms: simplify the patterns and references of the schema`,
        ),
        ms,
      );
  }

  #stop(why: Error, ms: number): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#isReady = false;
    this.#settle(ms)?.reject(why);
    // Never rejects; the next value starts another thread.
    void worker?.terminate();
    this.#next();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startOwnThread('src/tools/registry/schema-worker', { maxOldGenerationSizeMb: maxHeap });
    const gone = (why: unknown) => {
      if (this.#worker !== worker) return;
      if (this.#current) return this.#stop(new Error(`the schema cannot be validated: ${why}`), maxMs);
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
    const ms = answer.workedMs - this.#workedMs;
    this.#workedMs = answer.workedMs;
    if ('ready' in answer) this.#isReady = true;
    else {
      const asked = this.#settle(ms);
      if ('issues' in answer) asked?.resolve(answer.issues);
      else asked?.reject(new Error(answer.broken));
    }
    this.#next();
  }
}

const thread = new SchemaThread();

/** Characters of the schema times those of the value. Up to it, the slowest schema that is plain takes some ten milliseconds. */
const maxWork = 100_000;
/** Of schemas within schemas. */
const maxDepth = 10;

/** Keywords that take no longer than the value is large. */
const simple: ReadonlySet<string> = new Set(
  'title description default examples deprecated type required minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems'.split(
    ' ',
  ),
);

/**
 * Whether a value is validated in a moment, whoever wrote the schema: both are small, and the schema has neither a pattern nor a
 * reference, nor anything that compares parts of the value with each other.
 */
function isSoonValidated(schema: unknown, value: unknown): boolean {
  if (!isPlain(schema, maxDepth)) return false;
  const valueChars = charsOf(value);
  return valueChars !== null && valueChars * JSON.stringify(schema).length <= maxWork;
}

function isPlain(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (depth === 0 || !isObject(schema)) return false;
  return Object.entries(schema).every(([keyword, given]) => {
    switch (keyword) {
      case 'const':
        return !isPart(given);
      case 'enum':
        return Array.isArray(given) && !given.some(isPart);
      case 'items':
      case 'additionalProperties':
        return isPlain(given, depth - 1);
      case 'properties':
        return isObject(given) && Object.values(given).every((one) => isPlain(one, depth - 1));
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return Array.isArray(given) && given.every((one) => isPlain(one, depth - 1));
      default:
        return simple.has(keyword);
    }
  });
}

/** Whether a constant has parts, which are compared one by one. */
function isPart(constant: unknown): boolean {
  return typeof constant === 'object' && constant !== null;
}

/** Null for a value that JSON does not have. */
function charsOf(value: unknown): number | null {
  try {
    return JSON.stringify(value)?.length ?? null;
  } catch {
    return null;
  }
}
