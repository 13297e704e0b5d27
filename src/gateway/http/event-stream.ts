import type { Caller } from '../../protocol/access.ts';
import type { Sink } from '../feeds/feeds.ts';
import type { Outgoing } from '../feeds/outgoing.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import { failureOf } from '../socket/failure.ts';

/** A sink that needs no more of an event than its text. */
export type TextSink = Pick<Sink, 'ready' | 'end'> & { send(event: Pick<Outgoing, 'sse'>): void };

interface EventStream {
  limits: GatewayLimits;
  caller: Caller;
  /** Begins to send the events. Returns the function that stops it. */
  watch(sink: TextSink): () => void;
  report(error: unknown): void;
  /** Called when the client has gone, or the stream has ended. */
  closed(): void;
}

/** Milliseconds after which a client connects again. */
const retryMs = 1000;
const lookMs = 25;

/** The headers of every event stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  // A compressing proxy would hold events back until it has enough of them.
  'cache-control': 'no-store, no-transform',
  // Proxies must pass each event on at once.
  'x-accel-buffering': 'no',
};

/**
 * Events as server-sent events, from the log and then live. In the stream of a run, only the last event of a transition
 * has an id, so a client that connects again with `Last-Event-ID` gets whole transitions. A reader that is too slow is
 * cut off.
 */
export function eventStream(options: EventStream): { body: ReadableStream<Uint8Array>; stop(): void } {
  const stream = new Stream(options);
  const { maxBufferedBytes: highWaterMark } = options.limits;
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => stream.start(controller),
    cancel: () => stream.leave(),
  };
  const body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark }));
  return { body, stop: () => stream.close() };
}

class Stream implements TextSink {
  readonly #options: EventStream;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #heartbeat: NodeJS.Timeout | null = null;
  #unwatch = () => {};

  constructor(options: EventStream) {
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { limits, watch } = this.#options;
    this.#controller = controller;
    this.#heartbeat = setInterval(() => this.#write(': alive\n\n'), limits.heartbeatMs).unref();
    this.#write(`retry: ${retryMs}\n\n`);
    this.#unwatch = watch(this);
  }

  send(outgoing: Pick<Outgoing, 'sse'>): void {
    this.#write(outgoing.sse);
  }

  ready(): boolean | Promise<boolean> {
    return this.#isHalfEmpty || this.#drained();
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      const failure = failureOf(error, this.#options.report, this.#options.caller).error;
      this.#write(`event: subscription.ended\ndata: ${JSON.stringify(failure)}\n\n`);
    }
    this.close();
  }

  close(): void {
    const controller = this.#controller;
    this.leave();
    controller?.close();
  }

  /** The client has gone. */
  leave(): void {
    if (!this.#controller) return;
    this.#controller = null;
    if (this.#heartbeat) clearInterval(this.#heartbeat);
    this.#unwatch();
    this.#options.closed();
  }

  get #room(): number {
    return this.#controller?.desiredSize ?? 0;
  }

  get #isHalfEmpty(): boolean {
    return this.#room >= this.#options.limits.maxBufferedBytes / 2;
  }

  #write(text: string): void {
    if (this.#controller && this.#room < 0) this.close();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  /** Waits until the client has taken most of what was sent. False if it takes nothing. */
  async #drained(): Promise<boolean> {
    let most = this.#room;
    let since = performance.now();
    while (this.#controller && !this.#isHalfEmpty) {
      if (this.#room > most) since = performance.now();
      most = Math.max(most, this.#room);
      if (performance.now() - since > this.#options.limits.stallMs) this.close();
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    return this.#controller !== null;
  }
}
