import type { Detent, RunDelta, RunEvent } from '../index.ts';
import { DetentError } from '../protocol/error.ts';

/** One event on its way to several readers: each form of it is made once. */
export class Outgoing {
  readonly event: RunEvent | RunDelta;
  #frame: string | null = null;
  #sse: string | null = null;

  constructor(event: RunEvent | RunDelta) {
    this.event = event;
  }

  /** The text of the WebSocket frame. */
  get frame(): string {
    this.#frame ??= JSON.stringify({ type: 'event', ...this.event });
    return this.#frame;
  }

  /** The text of the server-sent event. Only the last event of a transition has an id: a reader resumes after whole ones. */
  get sse(): string {
    const { event } = this;
    const id = 'seq' in event && event.last ? `id: ${event.seq}\n` : '';
    this.#sse ??= `${id}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`;
    return this.#sse;
  }
}

/** Where a reader's events go. */
export interface Sink {
  send(event: Outgoing): void;
  /** Resolves when the reader has taken most of what was sent; false if it has gone, or takes nothing. */
  ready(): boolean | Promise<boolean>;
  /** There will be no more events: the run has ended, or `error` says why it cannot be watched. */
  end(error?: unknown): void;
}

/** Live events that may wait for a reader that is still being sent earlier ones. */
const maxWaiting = 2_000;
/** After a feed broke, it begins anew after so long. */
const againMs = 500;

/**
 * The events of runs for many readers: each run is read once, however many watch it.
 *
 * A reader gets every transition's events exactly once and in order, from the log and then live, and of an answer that streams
 * the pieces so far and then each new one.
 */
export class Feeds {
  readonly #detent: Detent;
  readonly #feeds = new Map<string, Feed>();

  constructor(detent: Detent) {
    this.#detent = detent;
  }

  /** Sends the events of a run after `afterSeq`. Returns the function that stops it. */
  watch(tenantId: number, runId: string, afterSeq: number, sink: Sink): () => void {
    const key = `${tenantId}/${runId}`;
    let feed = this.#feeds.get(key);
    if (!feed) {
      const opened = new Feed(this.#detent, tenantId, runId, () => {
        if (this.#feeds.get(key) === opened) this.#feeds.delete(key);
      });
      feed = opened;
      this.#feeds.set(key, feed);
    }
    return feed.add(afterSeq, sink);
  }

  /** How many runs are read. */
  get size(): number {
    return this.#feeds.size;
  }
}

/** A reader of one run. */
interface Reader {
  sink: Sink;
  /** The last transition of which it has all events. */
  seq: number;
  /** Live events since it joined, while earlier ones are still sent; null once it is live. */
  waiting: Outgoing[] | null;
}

/** The pieces of the answer that streams now. */
interface Answer {
  effectId: number;
  attempt: number;
  pieces: Outgoing[];
  /** Characters that came, by kind of piece. */
  lengths: Map<string, number>;
}

class Feed {
  readonly #detent: Detent;
  readonly #tenantId: number;
  readonly #runId: string;
  readonly #closed: () => void;
  readonly #readers = new Set<Reader>();
  #answer: Answer | null = null;
  #iterator: AsyncIterator<RunEvent | RunDelta> | null = null;
  /** The newest transition of which all events came, and the last event of the next one that did. */
  #seq = 0;
  #index = -1;
  #isRead = false;
  #isEnded = false;

  constructor(detent: Detent, tenantId: number, runId: string, closed: () => void) {
    this.#detent = detent;
    this.#tenantId = tenantId;
    this.#runId = runId;
    this.#closed = closed;
  }

  add(afterSeq: number, sink: Sink): () => void {
    const reader: Reader = { sink, seq: afterSeq, waiting: [...(this.#answer?.pieces ?? [])] };
    this.#readers.add(reader);
    if (!this.#isRead) void this.#read();
    void this.#catchUp(reader);
    return () => this.#remove(reader);
  }

  #remove(reader: Reader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#close();
  }

  #close(): void {
    this.#isEnded = true;
    this.#closed();
    void this.#iterator?.return?.();
  }

  async #read(): Promise<void> {
    this.#isRead = true;
    while (!this.#isEnded) {
      const after = { afterSeq: this.#seq, tenantId: this.#tenantId };
      const iterator = this.#detent.runs.subscribe(this.#runId, after)[Symbol.asyncIterator]();
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
        // Another process took the run, say: its events go on in the log.
        await new Promise((resolve) => setTimeout(resolve, againMs).unref());
      }
    }
  }

  #end(error?: unknown): void {
    const readers = [...this.#readers].filter(({ waiting }) => waiting === null);
    this.#isEnded = true;
    this.#closed();
    for (const { sink } of readers) sink.end(error);
    // Those that are still behind end when they have caught up.
  }

  #pass(event: RunEvent | RunDelta): void {
    const outgoing = new Outgoing(event);
    if ('seq' in event) {
      // A feed that began anew within a transition gets its first events again.
      if (event.seq <= this.#seq || event.index <= this.#index) return;
      this.#index = event.last ? -1 : event.index;
      if (event.last) this.#seq = event.seq;
      if (event.event === 'assistant.message' || event.event === 'step.interrupted') this.#answer = null;
    } else if (!this.#isNewPiece(event, outgoing)) return;
    for (const reader of this.#readers) {
      if (reader.waiting === null) this.#send(reader, outgoing);
      else if (!('seq' in event) || event.seq > reader.seq) reader.waiting.push(outgoing);
    }
  }

  /** Keeps the pieces of the answer so far. False for a piece that came before: a feed that begins anew gets them again. */
  #isNewPiece(event: RunDelta, outgoing: Outgoing): boolean {
    const { effectId, attempt } = event.payload;
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
    }
    reader.sink.send(outgoing);
  }

  /** Sends a reader that joined later what it lacks, at its own pace, and then lets it follow. */
  async #catchUp(reader: Reader): Promise<void> {
    try {
      while (this.#readers.has(reader)) {
        const past = await this.#detent.runs.timeline(this.#runId, reader.seq, this.#tenantId);
        const over = new Set<number>();
        for (const event of past) {
          const ready = reader.sink.ready();
          if (ready !== true && !(await ready)) return;
          if (!this.#readers.has(reader)) return;
          if (event.event === 'assistant.message' || event.event === 'step.interrupted')
            over.add(event.payload.effectId);
          this.#send(reader, new Outgoing(event));
        }
        const waiting = reader.waiting ?? [];
        const isFar = waiting.length > maxWaiting;
        reader.waiting = isFar ? [...(this.#answer?.pieces ?? [])] : null;
        if (isFar) continue;
        for (const outgoing of waiting) {
          const { event } = outgoing;
          // The pieces of an answer that the log has as a whole.
          if (!('seq' in event) && over.has(event.payload.effectId)) continue;
          this.#send(reader, outgoing);
        }
        if (this.#isEnded) {
          this.#readers.delete(reader);
          reader.sink.end();
        }
        return;
      }
    } catch (error) {
      if (this.#readers.delete(reader)) reader.sink.end(error);
    }
  }
}

/** Whether it makes no sense to watch the run again. */
function isFinal(error: unknown): boolean {
  return DetentError.is(error) && (error.code === 'NOT_FOUND' || error.code === 'CLOSED');
}
