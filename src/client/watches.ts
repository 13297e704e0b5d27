import type { FrameError } from '../protocol/frames.ts';
import { type ClientError, errorOf } from './error.ts';
import { type ClientEvent, EventOrder } from './event-order.ts';

interface WatchesParts {
  /**
   * Sends a request of the client's own over this connection; rejects when the connection breaks. Calls `answered` before a
   * frame behind the response is read.
   */
  ask(method: string, payload: unknown, answered?: () => void): Promise<unknown>;
  isOpen(): boolean;
  /** A connection is needed. */
  wanted(): void;
}

interface Reader {
  order: EventOrder;
  queue: Queue<ClientEvent>;
  /** The question whose answer brings the events after its place. Those of an earlier one may be too far on. */
  since: number;
}

/** A run that is watched, by any number of readers. */
interface Watch {
  runId: string;
  readers: Set<Reader>;
  /** The transition after which this connection was asked for events; null if it was not asked. */
  askedAfter: number | null;
  /** Whether events came since. */
  hasEvents: boolean;
  /** Counts questions. */
  asked: number;
  /** The newest question that was answered. */
  answered: number;
}

/** After the gateway could not read a run for now, it is asked again after so long. */
const againMs = 1_000;

/** The runs that the program watches. Each is asked for once, and resumed after what its readers have when a connection breaks. */
export class Watches {
  readonly #parts: WatchesParts;
  readonly #watches = new Map<string, Watch>();
  #ended: ClientError | null = null;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#watches.size;
  }

  /**
   * The events of a run after a transition. It ends with the run.
   *
   * @param isAsked whether the gateway sends them already
   */
  watch(runId: string, afterSeq: number, isAsked = false): AsyncIterableIterator<ClientEvent, undefined> {
    const reader: Reader = { order: new EventOrder(afterSeq), queue: newQueue(), since: 0 };
    const next = () => reader.queue.next();
    const stop = async () => {
      reader.queue.end();
      this.#remove(runId, reader);
      return { done: true, value: undefined } as const;
    };
    if (this.#ended) reader.queue.end({ error: this.#ended });
    else this.#add(runId, reader, isAsked);
    const iterator = { next, return: stop, [Symbol.asyncIterator]: () => iterator };
    return iterator;
  }

  received(event: ClientEvent): void {
    const watch = this.#watches.get(event.runId);
    if (!watch) return;
    watch.hasEvents = true;
    const isEnd = event.event === 'lifecycle.end' || event.event === 'lifecycle.error';
    for (const reader of watch.readers) {
      if (reader.since > watch.answered) continue;
      for (const one of reader.order.take(event)) reader.queue.push(one);
      // The last event of a run, whatever seq the reader began at.
      if (isEnd) this.#end(watch, reader);
    }
  }

  /** The gateway sends no more events of a run. */
  ended(runId: string, error: FrameError | undefined): void {
    const watch = this.#watches.get(runId);
    if (!watch) return;
    if (error?.retryable) this.#askAgain(watch);
    else
      for (const reader of watch.readers)
        this.#end(watch, reader, error && errorOf(error, 'SUBSCRIPTION_ENDED'));
  }

  opened(): void {
    for (const watch of this.#watches.values()) this.#ask(watch);
  }

  lost(): void {
    for (const watch of this.#watches.values()) watch.askedAfter = null;
  }

  /** Ends all readers with an error; later ones too, until `reopen`. */
  end(error: ClientError): void {
    this.#ended = error;
    for (const watch of this.#watches.values())
      for (const reader of watch.readers) this.#end(watch, reader, error);
  }

  reopen(): void {
    this.#ended = null;
  }

  #add(runId: string, reader: Reader, isAsked: boolean): void {
    const watch: Watch = this.#watches.get(runId) ?? {
      runId,
      readers: new Set(),
      askedAfter: null,
      hasEvents: false,
      asked: 0,
      answered: 0,
    };
    this.#watches.set(runId, watch);
    watch.readers.add(reader);
    const { wholeSeq } = reader.order;
    const comesAnyway = watch.askedAfter !== null && watch.askedAfter <= wholeSeq && !watch.hasEvents;
    if (!this.#parts.isOpen()) this.#parts.wanted();
    else if (isAsked) watch.answered = this.#asks(watch, wholeSeq);
    else if (!comesAnyway) this.#ask(watch);
    reader.since = watch.asked;
  }

  #remove(runId: string, reader: Reader): void {
    const watch = this.#watches.get(runId);
    if (!watch?.readers.delete(reader) || watch.readers.size > 0) return;
    this.#watches.delete(runId);
    if (this.#parts.isOpen()) this.#parts.ask('run.unsubscribe', { runId }).catch(() => {});
  }

  #end(watch: Watch, reader: Reader, error?: ClientError): void {
    reader.queue.end(error ? { error } : {});
    watch.readers.delete(reader);
    if (watch.readers.size === 0) this.#watches.delete(watch.runId);
  }

  #asks(watch: Watch, afterSeq: number): number {
    watch.askedAfter = afterSeq;
    watch.hasEvents = false;
    return ++watch.asked;
  }

  #ask(watch: Watch): void {
    const afterSeq = Math.min(...[...watch.readers].map(({ order }) => order.wholeSeq));
    const asked = this.#asks(watch, afterSeq);
    const answered = () => {
      watch.answered = Math.max(watch.answered, asked);
    };
    this.#parts
      .ask('run.subscribe', { runId: watch.runId, afterSeq }, answered)
      .catch((error: ClientError) => {
        const isCurrent = watch.asked === asked && this.#watches.get(watch.runId) === watch;
        if (!isCurrent || watch.askedAfter === null) return;
        if (error.retryable) this.#askAgain(watch);
        else for (const reader of watch.readers) this.#end(watch, reader, error);
      });
  }

  #askAgain(watch: Watch): void {
    const { asked } = watch;
    setTimeout(() => {
      const isCurrent = this.#watches.get(watch.runId) === watch && watch.asked === asked;
      if (isCurrent && this.#parts.isOpen()) this.#ask(watch);
    }, againMs);
  }
}

/** Values of a producer for one reader, in order. */
interface Queue<T> {
  push(value: T): void;
  /** There will be no more values; with an error, the reader gets it after the last one. */
  end(end?: { error?: unknown }): void;
  next(): Promise<IteratorResult<T, undefined>>;
}

function newQueue<T>(): Queue<T> {
  const values: T[] = [];
  let ended: { error?: unknown } | null = null;
  let wake = () => {};
  return {
    push(value) {
      if (!ended) values.push(value);
      wake();
    },
    end(end = {}) {
      ended ??= end;
      wake();
    },
    async next() {
      while (values.length === 0) {
        if (ended) {
          const { error } = ended;
          ended = {};
          if (error !== undefined) throw error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return { done: false, value: values.shift() as T };
    },
  };
}
