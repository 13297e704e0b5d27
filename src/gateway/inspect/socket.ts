import type { WebSocket } from 'ws';
import type { Scope } from '../../protocol/access.ts';
import { closeCodes } from '../../protocol/frames.ts';
import { jsonInClientWords } from '../access/client-answers.ts';
import { isOperator } from '../access/client-words.ts';
import { type LetIn, mayStay } from '../access/gate.ts';
import type { GatewayLimits } from '../gateway-options.ts';

interface SocketParts {
  who: LetIn;
  /** The scope that its token must have as long as it is open. */
  scope: Scope;
  limits: Pick<GatewayLimits, 'maxBufferedBytes' | 'stallMs'>;
  report(error: unknown): void;
}

/** How often the buffer of a slow reader is checked, in milliseconds. */
const lookMs = 25;
/** Bytes of a reason of a close frame. */
const maxReasonBytes = 123;

/** A WebSocket that speaks the protocol of inspectors. Its client was let in before it opened. */
export class InspectSocket {
  readonly #socket: WebSocket;
  readonly #parts: SocketParts;
  readonly #gone = new AbortController();
  #isAlive = true;
  #isClosing = false;
  #draining: Promise<boolean> | null = null;

  /** @internal */
  constructor(socket: WebSocket, parts: SocketParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', (data) => {
      if (socket.bufferedAmount <= parts.limits.maxBufferedBytes) socket.pong(data);
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#gone.abort());
  }

  /** Aborts when the client has gone. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends a sign of life, and ends a connection whose client gave none since the last one. */
  ping(): void {
    if (!this.#isAlive) this.#socket.terminate();
    this.#isAlive = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  who(): LetIn {
    return this.#parts.who;
  }

  async checkToken(): Promise<void> {
    const { who, scope, report } = this.#parts;
    if (!this.#isClosing && !(await mayStay(who, report, scope)))
      this.close(closeCodes.unauthorized, 'the token is no longer valid');
  }

  /** The protocol has no message that says so. */
  notify(): void {}

  /** Sends a message, and resolves when the client has taken most of what was sent; false if it has gone. */
  async deliver(message: object): Promise<boolean> {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const { caller } = this.#parts.who;
    this.#socket.send(JSON.stringify(isOperator(caller) ? message : jsonInClientWords(message)));
    if (this.#socket.bufferedAmount <= this.#parts.limits.maxBufferedBytes / 2) return true;
    this.#draining ??= this.#drained().finally(() => {
      this.#draining = null;
    });
    return this.#draining;
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.close(code, cut(reason));
    // A client that does not answer the close frame.
    setTimeout(() => this.#socket.terminate(), 1000).unref();
  }

  /** Waits until the client has taken most of what was sent; sends one away that takes nothing. */
  async #drained(): Promise<boolean> {
    const { maxBufferedBytes, stallMs } = this.#parts.limits;
    let least = this.#socket.bufferedAmount;
    let since = performance.now();
    while (this.#socket.readyState === this.#socket.OPEN) {
      const waiting = this.#socket.bufferedAmount;
      if (waiting <= maxBufferedBytes / 2) return true;
      if (waiting < least) since = performance.now();
      least = Math.min(least, waiting);
      if (performance.now() - since > stallMs)
        this.close(closeCodes.tooSlow, 'reads too slowly: connect again, and get everything again');
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    return false;
  }
}

function cut(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  return text.toWellFormed();
}
