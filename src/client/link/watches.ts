import type { FeedFrame, FrameError } from '../../protocol/frames.ts';
import { type ClientError, errorOf } from '../error.ts';
import { type ClientEvent, EventOrder } from './event-order.ts';
import type { Link } from './link.ts';
import type { Outbox } from './outbox.ts';

/** A transition of a run that the client sees. */
export type ClientFeedEvent = FeedFrame['payload'];

interface Reader {
  /** What it has; null until it is known where "from now on" begins. */
  place(): number | null;
  /** Begins at a place, unless it has one. */
  begin(place: number): void;
  take(event: ClientEvent | ClientFeedEvent): void;
  end(end?: { error?: unknown }): void;
  /** The question whose answer brings the events after its place. Those of an earlier one may be too far on. */
  since: number;
}

/** A run that is watched, by any number of readers, or what happens to all runs. */
interface Watch {
  /** The run's id, or {@link feedId}. */
  id: string;
  readers: Set<Reader>;
  /** Whether this connection was asked for events, and the place behind which: null from now on. */
  isAsked: boolean;
  askedAfter: number | null;
  /** Whether events came since. */
  hasEvents: boolean;
  /** Counts questions. */
  asked: number;
  /** The newest question that was answered. */
  answered: number;
}

/** What the feed of all runs is watched as; no run has this id. */
const feedId = '*';
/** After the gateway could not read a run for now, it is asked again after so long. */
const againMs = 1_000;

/** The runs that the program watches, and the feed of all. Each is asked for once, and resumed after what its readers have when a connection breaks. */
export class Watches {
  readonly #link: Link;
  readonly #outbox: Outbox;
  readonly #watches = new Map<string, Watch>();
  #ended: ClientError | null = null;

  constructor(link: Link, outbox: Outbox) {
    this.#link = link;
    this.#outbox = outbox;
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
    const order = new EventOrder(afterSeq);
    const queue = newQueue<ClientEvent>();
    const take = (event: ClientEvent | ClientFeedEvent) => {
      if ('event' in event) for (const one of order.take(event)) queue.push(one);
    };
    return this.#read(runId, queue, { place: () => order.wholeSeq, begin() {}, take }, isAsked);
  }

  /** What happens to all runs, behind a place; null: from now on. It ends with the client. */
  feed(after: number | null): AsyncIterableIterator<ClientFeedEvent, undefined> {
    let place = after;
    const queue = newQueue<ClientFeedEvent>();
    const begin = (at: number) => {
      place ??= at;
    };
    const take = (event: ClientEvent | ClientFeedEvent) => {
      if (!('cursor' in event) || event.cursor <= (place ?? 0)) return;
      place = event.cursor;
      queue.push(event);
    };
    return this.#read(feedId, queue, { place: () => place, begin, take });
  }

  #read<T>(
    id: string,
    queue: Queue<T>,
    of: Pick<Reader, 'place' | 'begin' | 'take'>,
    isAsked = false,
  ): AsyncIterableIterator<T, undefined> {
    const reader: Reader = { ...of, end: queue.end, since: 0 };
    const stop = async () => {
      queue.end();
      this.#remove(id, reader);
      return { done: true, value: undefined } as const;
    };
    if (this.#ended) queue.end({ error: this.#ended });
    else this.#add(id, reader, isAsked);
    const iterator = { next: queue.next, return: stop, [Symbol.asyncIterator]: () => iterator };
    return iterator;
  }

  received(event: ClientEvent | ClientFeedEvent): void {
    const isOfRun = 'event' in event;
    const watch = this.#watches.get(isOfRun ? event.runId : feedId);
    if (!watch) return;
    watch.hasEvents = true;
    const isEnd = isOfRun && (event.event === 'lifecycle.end' || event.event === 'lifecycle.error');
    for (const reader of watch.readers) {
      if (reader.since > watch.answered) continue;
      reader.take(event);
      // The last event of a run, whatever seq the reader began at.
      if (isEnd) this.#end(watch, reader);
    }
  }

  /** The gateway sends no more events of a run, or of the feed. */
  ended(runId: string | undefined, error: FrameError | undefined): void {
    const watch = this.#watches.get(runId ?? feedId);
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
    for (const watch of this.#watches.values()) watch.isAsked = false;
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

  #add(id: string, reader: Reader, isAsked: boolean): void {
    const watch: Watch = this.#watches.get(id) ?? {
      id,
      readers: new Set(),
      isAsked: false,
      askedAfter: null,
      hasEvents: false,
      asked: 0,
      answered: 0,
    };
    this.#watches.set(id, watch);
    // What others have is as new as it gets here.
    const places = [...watch.readers].flatMap((one) => one.place() ?? []);
    if (places.length > 0) reader.begin(Math.max(...places));
    watch.readers.add(reader);
    const place = reader.place();
    const { askedAfter, hasEvents } = watch;
    const isBehind = askedAfter === null ? place === null : place !== null && askedAfter <= place;
    const comesAnyway = watch.isAsked && isBehind && !hasEvents;
    if (this.#link.state !== 'open') this.#link.open();
    else if (isAsked) watch.answered = this.#asks(watch, place);
    else if (!comesAnyway) this.#ask(watch);
    reader.since = watch.asked;
  }

  #remove(id: string, reader: Reader): void {
    const watch = this.#watches.get(id);
    if (!watch?.readers.delete(reader) || watch.readers.size > 0) return;
    this.#watches.delete(id);
    if (this.#link.state === 'open') this.#outbox.ask(...methodOf(id, 'unsubscribe')).catch(() => {});
  }

  #end(watch: Watch, reader: Reader, error?: ClientError): void {
    reader.end(error ? { error } : {});
    watch.readers.delete(reader);
    if (watch.readers.size === 0) this.#watches.delete(watch.id);
  }

  #asks(watch: Watch, after: number | null): number {
    watch.isAsked = true;
    watch.askedAfter = after;
    watch.hasEvents = false;
    return ++watch.asked;
  }

  #ask(watch: Watch): void {
    const places = [...watch.readers].flatMap((reader) => reader.place() ?? []);
    const after = places.length > 0 ? Math.min(...places) : null;
    const asked = this.#asks(watch, after);
    const answered = (payload: unknown) => {
      watch.answered = Math.max(watch.answered, asked);
      const { cursor = 0 } = payload as { cursor?: number };
      for (const reader of watch.readers) reader.begin(cursor);
    };
    this.#outbox.ask(...methodOf(watch.id, 'subscribe', after), answered).catch((error: ClientError) => {
      const isCurrent = watch.asked === asked && this.#watches.get(watch.id) === watch;
      if (!isCurrent || !watch.isAsked) return;
      if (error.retryable) this.#askAgain(watch);
      else for (const reader of watch.readers) this.#end(watch, reader, error);
    });
  }

  #askAgain(watch: Watch): void {
    const { asked } = watch;
    setTimeout(() => {
      const isCurrent = this.#watches.get(watch.id) === watch && watch.asked === asked;
      if (isCurrent && this.#link.state === 'open') this.#ask(watch);
    }, againMs);
  }
}

/** The method that begins or ends the events of a run, or of the feed, and its payload. */
function methodOf(id: string, verb: 'subscribe' | 'unsubscribe', after?: number | null): [string, object] {
  const place = after ?? undefined;
  return id === feedId ? [`feed.${verb}`, { after: place }] : [`run.${verb}`, { runId: id, afterSeq: place }];
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
