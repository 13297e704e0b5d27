import { LRUCache } from 'lru-cache';
import type { Detent, RunDelta, RunEvent, RunView } from '../../index.ts';
import { type Caller, nameOfCaller } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isPiece, type RunPiece } from '../../protocol/run-events.ts';
import { type Reader as Kind, readerOf } from '../access/client-words.ts';
import { Outgoing } from './outgoing.ts';

/** The receiver of a reader's events. */
export interface Sink {
  send(event: Outgoing): void;
  /** Resolves when the reader has taken most of what was sent; false if it has gone, or takes nothing. */
  ready(): boolean | Promise<boolean>;
  /** There will be no more events: the run has ended, or `error` says why it cannot be watched. */
  end(error?: unknown): void;
}

/** Live events that may wait for a reader that is still being sent earlier ones. */
const maxWaiting = 2_000;
/** How long after an error a feed starts again. */
const usualAgainMs = 500;

/**
 * The events of runs for many readers: each run is read once, however many watch it.
 *
 * A reader gets every transition's events exactly once and in order, from the log and then live, and of an answer that streams
 * the pieces so far and then each new one.
 */
export class Feeds {
  readonly #detent: Detent;
  readonly #againMs: number;
  readonly #feeds = new Map<string, Feed>();
  /** How many clients wait for a run without its events. */
  readonly #waits = new Map<string, number>();
  /** The newest runs that ended while they were watched. */
  readonly #ended = new LRUCache<string, true>({ max: 1_000 });

  constructor(detent: Detent, { againMs = usualAgainMs } = {}) {
    this.#detent = detent;
    this.#againMs = againMs;
  }

  /** Sends the events of a run after `afterSeq`, in the words for the caller. Returns the function that stops it. */
  watch(
    caller: Pick<Caller, 'tenantId' | 'userId' | 'name' | 'scopes'>,
    runId: string,
    afterSeq: number,
    sink: Sink,
  ): () => void {
    const { tenantId } = caller;
    const key = `${tenantId}/${runId}`;
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = new Feed({
        detent: this.#detent,
        tenantId,
        runId,
        againMs: this.#againMs,
        key,
        feeds: this.#feeds,
        ended: this.#ended,
      });
      this.#feeds.set(key, feed);
    }
    return feed.add(afterSeq, sink, { kind: readerOf(caller), self: nameOfCaller(caller) });
  }

  /** Waits for a run as one who watches it. @param wait resolves with the run at rest; null if the client has waited long enough */
  async waitedFor(
    runId: string,
    tenantId: number,
    wait: () => Promise<RunView | null>,
  ): Promise<RunView | null> {
    const key = `${tenantId}/${runId}`;
    this.#waits.set(key, (this.#waits.get(key) ?? 0) + 1);
    try {
      const rested = await wait();
      if (rested && rested.outcome !== null) this.#ended.set(key, true);
      return rested;
    } finally {
      const left = (this.#waits.get(key) ?? 1) - 1;
      if (left > 0) this.#waits.set(key, left);
      else this.#waits.delete(key);
    }
  }

  /** Resolves when the events that the watched runs have now were sent to the readers that follow. */
  async caughtUp(): Promise<void> {
    await Promise.allSettled([...this.#feeds.values()].map((feed) => feed.caughtUp()));
  }

  /** Whether a client watches a run or waits for it, or did until it ended. */
  isWatched(runId: string, tenantId: number): boolean {
    const key = `${tenantId}/${runId}`;
    return this.#feeds.has(key) || this.#waits.has(key) || this.#ended.has(key);
  }

  /** How many runs are read. */
  get size(): number {
    return this.#feeds.size;
  }
}

/** A reader of one run. */
interface Reader {
  sink: Sink;
  kind: Kind;
  /** The client, as the log names it. */
  self: string;
  /** The last transition of which it has all events. */
  seq: number;
  /** Live events since it joined, while earlier ones are still sent; null once it is live. */
  waiting: Outgoing[] | null;
  /** More events came than may wait, so the reader reads them from the log. */
  isBehind: boolean;
  /** Model calls whose whole answers it has: later pieces of them are old. */
  over: Set<number>;
}

/** The pieces of the answer that streams now. */
interface Answer {
  effectId: number;
  attempt: number;
  pieces: Outgoing[];
  /** Characters that came, by kind of piece. */
  lengths: Map<string, number>;
}

interface FeedParts {
  detent: Detent;
  tenantId: number;
  runId: string;
  againMs: number;
  /** The feeds that readers find by their keys: it leaves them when no reader is left, or the run has ended. */
  feeds: Map<string, Feed>;
  key: string;
  /** Gets the key when the run ends while it has readers. */
  ended: LRUCache<string, true>;
}

class Feed {
  readonly #parts: FeedParts;
  readonly #readers = new Set<Reader>();
  #answer: Answer | null = null;
  /** Model calls whose whole answers have arrived: a feed that starts again may get pieces of them again. */
  readonly #over = new Set<number>();
  #iterator: AsyncIterator<RunEvent | RunDelta> | null = null;
  /** The newest transition of which all events have arrived, and the last event received of the next one. */
  #seq = 0;
  #index = -1;
  #isRead = false;
  #isEnded = false;
  /** Called at the end of each transition's events, and when there will be no more. */
  readonly #passed = new Set<() => void>();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  add(afterSeq: number, sink: Sink, { kind, self }: Pick<Reader, 'kind' | 'self'>): () => void {
    const waiting = [...(this.#answer?.pieces ?? [])];
    const reader: Reader = { sink, kind, self, seq: afterSeq, waiting, isBehind: false, over: new Set() };
    this.#readers.add(reader);
    if (!this.#isRead) void this.#read();
    void this.#catchUp(reader);
    return () => this.#remove(reader);
  }

  async caughtUp(): Promise<void> {
    const { detent, runId, tenantId } = this.#parts;
    let seq = 0;
    for await (const event of detent.runs.readTimeline(runId, this.#seq, tenantId)) seq = event.seq;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#seq < seq && !this.#isEnded) return;
        this.#passed.delete(look);
        resolve();
      };
      this.#passed.add(look);
      look();
    });
  }

  #tellPassed(): void {
    for (const look of [...this.#passed]) look();
  }

  #remove(reader: Reader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#close();
  }

  #leave(): void {
    const { feeds, key } = this.#parts;
    if (feeds.get(key) === this) feeds.delete(key);
  }

  #close(): void {
    this.#isEnded = true;
    this.#leave();
    this.#tellPassed();
    // This may throw the error that broke the feed.
    this.#iterator?.return?.()?.catch(() => {});
  }

  async #read(): Promise<void> {
    this.#isRead = true;
    while (!this.#isEnded) {
      const { detent, tenantId, runId, againMs } = this.#parts;
      const after = { afterSeq: this.#seq, tenantId };
      const iterator = detent.runs.subscribe(runId, after)[Symbol.asyncIterator]();
      this.#iterator = iterator;
      try {
        for (;;) {
          const { done, value } = await iterator.next();
          if (this.#isEnded) return;
          if (done) return this.#end();
          this.#pass(value);
        }
      } catch (error) {
        if (this.#isEnded) return;
        if (isFinal(error)) return this.#end(error);
        // Another process took the run, for example: its events continue in the log.
        await new Promise((resolve) => setTimeout(resolve, againMs).unref());
      }
    }
  }

  #end(error?: unknown): void {
    const readers = [...this.#readers].filter(({ waiting }) => waiting === null);
    const { ended, key } = this.#parts;
    if (this.#readers.size > 0 && error === undefined) ended.set(key, true);
    this.#isEnded = true;
    this.#leave();
    for (const { sink } of readers) sink.end(error);
    this.#tellPassed();
    // Readers that are still behind end when they have caught up.
  }

  #pass(event: RunEvent | RunDelta): void {
    const outgoing = new Outgoing(event);
    if ('seq' in event) {
      // A feed that started again within a transition gets its first events again.
      if (event.seq <= this.#seq || event.index <= this.#index) return;
      this.#index = event.last ? -1 : event.index;
      if (event.last) this.#seq = event.seq;
      if (event.event === 'assistant.message' || event.event === 'step.interrupted') {
        this.#answer = null;
        this.#over.add(event.payload.effectId);
      }
    } else if (isPiece(event) && !this.#isNewPiece(event, outgoing)) return;
    for (const reader of this.#readers) {
      if (reader.waiting === null) this.#send(reader, outgoing);
      else if (!('seq' in event) || event.seq > reader.seq) this.#keep(reader, reader.waiting, outgoing);
    }
    if ('seq' in event && event.last) this.#tellPassed();
  }

  #keep(reader: Reader, waiting: Outgoing[], outgoing: Outgoing): void {
    reader.isBehind ||= waiting.length >= maxWaiting;
    if (reader.isBehind) waiting.length = 0;
    else waiting.push(outgoing);
  }

  /**
   * Keeps the pieces of the answer so far. False for a piece that came before, because a feed that starts again gets
   * pieces again.
   */
  #isNewPiece(event: RunPiece, outgoing: Outgoing): boolean {
    const { effectId, attempt } = event.payload;
    if (this.#over.has(effectId)) return false;
    if (event.event === 'assistant.reset') {
      this.#answer = null;
      return true;
    }
    if (this.#answer?.effectId !== effectId || this.#answer.attempt !== attempt)
      this.#answer = { effectId, attempt, pieces: [], lengths: new Map() };
    const { lengths, pieces } = this.#answer;
    const kind = event.event === 'assistant.delta' ? event.payload.contentType : 'reasoning';
    const { offset, content } = event.payload;
    if (offset < (lengths.get(kind) ?? 0)) return false;
    lengths.set(kind, offset + content.length);
    pieces.push(outgoing);
    return true;
  }

  #send(reader: Reader, outgoing: Outgoing): void {
    const { event } = outgoing;
    if ('seq' in event) {
      if (event.seq <= reader.seq) return;
      if (event.last) reader.seq = event.seq;
      if (event.event === 'assistant.message' || event.event === 'step.interrupted')
        reader.over.add(event.payload.effectId);
    } else if (isPiece(event) && reader.over.has(event.payload.effectId)) return;
    const read = outgoing.as(reader.kind, reader.self);
    if (read) reader.sink.send(read);
  }

  /** Sends a reader that joined later what it lacks, at its own pace, and then lets it follow. */
  async #catchUp(reader: Reader): Promise<void> {
    const { detent, runId, tenantId } = this.#parts;
    try {
      while (this.#readers.has(reader)) {
        for await (const event of detent.runs.readTimeline(runId, reader.seq, tenantId)) {
          const ready = reader.sink.ready();
          if (ready !== true && !(await ready)) return;
          if (!this.#readers.has(reader)) return;
          this.#send(reader, new Outgoing(event));
        }
        const waiting = reader.waiting ?? [];
        const { isBehind } = reader;
        reader.isBehind = false;
        reader.waiting = isBehind ? [...(this.#answer?.pieces ?? [])] : null;
        if (isBehind) continue;
        for (const outgoing of waiting) this.#send(reader, outgoing);
        if (this.#isEnded) {
          this.#readers.delete(reader);
          reader.sink.end();
        }
        return;
      }
    } catch (error) {
      const isLeft = !this.#readers.has(reader);
      this.#remove(reader);
      if (!isLeft) reader.sink.end(error);
    }
  }
}

/** Whether watching the run again would fail in the same way. */
function isFinal(error: unknown): boolean {
  return DetentError.is(error) && (error.code === 'NOT_FOUND' || error.code === 'CLOSED');
}
