import type { ResponseFrame } from '../../protocol/frames.ts';
import { ClientError, errorOf, passing } from '../error.ts';
import { byteLength } from './host.ts';
import type { Link } from './link.ts';

export interface SendOptions {
  /** Requests of one lane go one after the other, so that the gateway gets them in order. */
  lane?: string | undefined;
  /** Whether it goes again over the next connection when this one breaks before its response. */
  isRepeatable?: boolean;
  /** Of the client itself: before all others, and over this connection alone. */
  isControl?: boolean;
  signal?: AbortSignal | undefined;
  /** The place among the requests that wait. Default: the last. */
  at?: number;
  /** Called with the payload before any later frame is read. */
  answered?: ((payload: unknown) => void) | undefined;
  /** Called when the request need not be sent again: it was answered, refused or aborted. Not called when the client stops. */
  settled?(): void;
}

/** A request that has no response yet. */
interface Entry extends SendOptions {
  id: string;
  method: string;
  /** The frame, as it was when it was sent: what the program changes later does not count. */
  text: string;
  isSent: boolean;
  /** The connection over which it was refused for now. */
  heldOn: number | null;
  abort(): void;
  resolve(payload: unknown): void;
  reject(error: ClientError): void;
}

/** The gateway refuses more than 50 requests at once. */
const maxInFlight = 32;

/** The requests of a client, in order: over a connection, or waiting for one. */
export class Outbox {
  readonly #link: Link;
  readonly #maxQueued: number;
  #entries: Entry[] = [];
  #lastId = 0;
  #ended: ClientError | null = null;
  #isPaused = false;

  /** @param maxQueued requests that may wait for a response */
  constructor(link: Link, maxQueued: number) {
    this.#link = link;
    this.#maxQueued = maxQueued;
  }

  /** Requests of the program without a response. */
  get size(): number {
    return this.#entries.filter(({ isControl }) => !isControl).length;
  }

  /** Lets no request of the program out until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.pump();
  }

  send(method: string, payload: unknown, options: SendOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { isControl, signal, at = this.#entries.length } = options;
      const id = `${++this.#lastId}`;
      let problem = this.#problem(options);
      let text = '';
      try {
        text = JSON.stringify({ type: 'request', id, method, payload });
      } catch (error) {
        problem ??= errorOf(error, 'INVALID_REQUEST');
      }
      const abort = () => this.#remove(entry) && reject(abortedBy(signal));
      const entry: Entry = {
        ...options,
        id,
        method,
        text,
        isSent: false,
        heldOn: null,
        abort,
        resolve,
        reject,
      };
      if (problem) {
        options.settled?.();
        return reject(problem);
      }
      signal?.addEventListener('abort', abort);
      this.#entries.splice(at, 0, entry);
      if (!isControl) this.#link.open();
      this.pump();
    });
  }

  /**
   * Sends a request of the client's own over this connection; rejects when the connection breaks. Calls `answered` with the
   * payload before a frame behind the response is read.
   */
  ask(method: string, payload: unknown, answered?: (payload: unknown) => void): Promise<unknown> {
    return this.send(method, payload, { isControl: true, answered });
  }

  /** Sends what may go now. */
  pump(): void {
    const connection = this.#link.connection;
    if (connection === null) return;
    const sent = this.#entries.filter(({ isSent }) => isSent);
    const busy = new Set(sent.map(({ lane }) => lane));
    busy.delete(undefined);
    let left = maxInFlight - sent.length;
    const own = this.#entries.filter(({ isControl }) => isControl);
    const others = this.#entries.filter(({ isControl }) => !isControl && !this.#isPaused);
    for (const entry of [...own, ...others]) {
      const { text, lane, isSent, heldOn } = entry;
      if (isSent || busy.has(lane)) continue;
      if (lane !== undefined) busy.add(lane);
      if (heldOn === connection) continue;
      if (left-- <= 0) return;
      const maxBytes = this.#link.connected?.policy.maxFrameBytes ?? Number.POSITIVE_INFINITY;
      if (byteLength(text) > maxBytes) {
        this.#remove(entry);
        entry.reject(tooLarge(maxBytes));
        continue;
      }
      entry.isSent = true;
      this.#link.send(text);
      if (this.#link.connection !== connection) return;
    }
  }

  received(response: ResponseFrame): void {
    const entry = this.#entries.find(({ id }) => id === response.id);
    if (!entry) return;
    if (!response.ok && response.error.code === 'DRAINING' && entry.isRepeatable) {
      // The gateway is about to close the connection: the next one takes the request.
      entry.isSent = false;
      entry.heldOn = this.#link.connection;
      this.pump();
      return;
    }
    this.#remove(entry);
    if (response.ok) {
      entry.answered?.(response.payload);
      entry.resolve(response.payload);
    } else entry.reject(errorOf(response.error, 'REFUSED'));
    this.pump();
  }

  /** The connection broke. Requests that were sent over it go again, or it is unknown what became of them. */
  lost(): void {
    const isKept = ({ isSent, isRepeatable, isControl }: Entry) => !isControl && (!isSent || isRepeatable);
    const given = this.#entries.filter((entry) => !isKept(entry));
    this.#entries = this.#entries.filter(isKept);
    for (const entry of this.#entries) entry.isSent = false;
    for (const { method, reject } of given) reject(unknownOutcome(method));
  }

  /** Rejects all requests; later ones too, until `reopen`. */
  end(error: ClientError): void {
    this.#ended = error;
    const all = this.#entries;
    this.#entries = [];
    for (const { reject } of all) reject(error);
  }

  reopen(): void {
    this.#ended = null;
  }

  #problem({ isControl, signal }: SendOptions): ClientError | null {
    if (this.#ended) return this.#ended;
    if (signal?.aborted) return abortedBy(signal);
    if (isControl || this.size < this.#maxQueued) return null;
    return passing('QUEUE_FULL', `${this.#maxQueued} requests wait for responses ("maxQueued")`);
  }

  #remove(entry: Entry): boolean {
    const at = this.#entries.indexOf(entry);
    if (at < 0) return false;
    this.#entries.splice(at, 1);
    entry.signal?.removeEventListener('abort', entry.abort);
    entry.settled?.();
    return true;
  }
}

function abortedBy(signal: AbortSignal | undefined): ClientError {
  const { reason } = signal ?? {};
  return reason instanceof ClientError ? reason : new ClientError('ABORTED', 'it was aborted');
}

function tooLarge(maxBytes: number): ClientError {
  const message = `the gateway takes at most ${maxBytes} bytes: upload attachments over HTTP`;
  return new ClientError('FRAME_TOO_LARGE', message, false, { maxBytes });
}

function unknownOutcome(method: string): ClientError {
  const message = `the connection broke before the response to ${method}: check whether it was done`;
  return new ClientError('OUTCOME_UNKNOWN', message, false, { method });
}
