import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from '../../protocol/frames.ts';
import { textFrame } from '../feeds/outgoing.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import type { BytesUnderWay } from './under-way.ts';

export interface OutletParts {
  /** The connection below the WebSocket. */
  stream: Duplex;
  limits: GatewayLimits;
  underWay: BytesUnderWay;
}

/** Characters of a frame that counts as under way. */
const countedChars = 64 * 1024;
/** How often the buffer of a slow reader is checked, in milliseconds. */
const lookMs = 25;
const tooSlow = 'reads too slowly: connect again, and resume after the last whole seq';

/** What is written to a client, which may read slowly. */
export class Outlet {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #limits: GatewayLimits;
  readonly #underWay: BytesUnderWay;
  /** Characters of the largest frame that the client has not taken yet; 0 when it has taken most. */
  #largest = 0;
  #isClosing = false;

  constructor(socket: WebSocket, { stream, limits, underWay }: OutletParts) {
    this.#socket = socket;
    this.#stream = stream;
    this.#limits = limits;
    this.#underWay = underWay;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether the client has taken most of what was sent. */
  get hasRoom(): boolean {
    return this.#socket.bufferedAmount <= this.#limits.maxBufferedBytes / 2;
  }

  /** Waits until there is room. False if the client takes nothing. */
  async drained(): Promise<boolean> {
    const { stallMs } = this.#limits;
    let least = this.#socket.bufferedAmount;
    let since = performance.now();
    while (this.#socket.readyState === this.#socket.OPEN) {
      if (this.hasRoom) return true;
      if (this.#socket.bufferedAmount < least) since = performance.now();
      least = Math.min(least, this.#socket.bufferedAmount);
      if (performance.now() - since > stallMs) this.close(closeCodes.tooSlow, tooSlow);
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    return false;
  }

  /** @param holder whose bytes under way it adds to; left out before the client is known */
  write(text: string, holder: string | undefined): void {
    if (!this.mayWrite()) return;
    const bytes = text.length > countedChars && holder !== undefined ? this.#underWay.begin(holder) : null;
    bytes?.add(text.length);
    this.#stream.write(textFrame(text), bytes?.release);
    if (this.#socket.bufferedAmount > this.#limits.maxBufferedBytes)
      this.#largest = Math.max(this.#largest, text.length);
  }

  /**
   * Without compression every frame leaves at once and whole, so ready ones fit in between. Those of `ws` are two
   * writes each.
   */
  send(frame: Buffer): void {
    if (this.mayWrite()) this.#stream.write(frame);
  }

  /** False once the client is gone. A client that reads too slowly is disconnected; it can resume where it stopped. */
  mayWrite(): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const { maxBufferedBytes } = this.#limits;
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount <= maxBufferedBytes) this.#largest = 0;
    // A client is not a slow reader while one or two large answers that it asked for are on their way.
    if (bufferedAmount <= maxBufferedBytes + 2 * this.#largest) return true;
    this.close(closeCodes.tooSlow, tooSlow);
    return false;
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.close(code, reason);
    // A client that does not answer the close frame.
    setTimeout(() => this.#socket.terminate(), 1000).unref();
  }
}
