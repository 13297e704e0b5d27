import type { GatewayLimits } from '../gateway-options.ts';

const lookMs = 25;

/**
 * The body of a stream of server-sent events, with signs of life. A reader that is too slow is cut off. What is sent at once is one
 * piece, however long: a reader can only be too slow between the pieces.
 */
export class SseBody {
  readonly body: ReadableStream<Uint8Array>;
  readonly #limits: GatewayLimits;
  readonly #encoder = new TextEncoder();
  readonly #left: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #isInPiece = false;

  /** @param left called once, when the stream has ended or its reader has gone. */
  constructor(limits: GatewayLimits, left: () => void) {
    this.#limits = limits;
    this.#left = left;
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: limits.maxBufferedBytes });
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      strategy,
    );
    this.#heartbeat = setInterval(() => this.write(': alive\n\n'), limits.heartbeatMs).unref();
  }

  /** @param event its name, for those streams whose events have names. */
  send(data: unknown, event?: string): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
  }

  /** Sends an event, or several, that are written out already. */
  write(text: string): void {
    if (this.#controller && this.#room < 0 && !this.#isInPiece) this.close();
    this.#isInPiece = true;
    queueMicrotask(() => {
      this.#isInPiece = false;
    });
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  close(): void {
    const controller = this.#controller;
    this.#leave();
    controller?.close();
  }

  /** Waits until the reader has taken most of what was sent. False if it takes nothing, or has gone. */
  ready(): boolean | Promise<boolean> {
    return this.#isHalfEmpty || this.#drained();
  }

  async #drained(): Promise<boolean> {
    let most = this.#room;
    let since = performance.now();
    while (this.#controller && !this.#isHalfEmpty) {
      if (this.#room > most) since = performance.now();
      most = Math.max(most, this.#room);
      if (performance.now() - since > this.#limits.stallMs) this.close();
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    return this.#controller !== null;
  }

  get #room(): number {
    return this.#controller?.desiredSize ?? 0;
  }

  get #isHalfEmpty(): boolean {
    return this.#room >= this.#limits.maxBufferedBytes / 2;
  }

  #leave(): void {
    if (!this.#controller) return;
    this.#controller = null;
    clearInterval(this.#heartbeat);
    this.#left();
  }
}
