import type { Connected, EventFrame, FeedFrame, NoticeFrame, ResponseFrame } from '../../protocol/frames.ts';
import { ClientError, errorOf, passing } from '../error.ts';
import type { ClientSocket, SocketConstructor } from './host.ts';

/**
 * `idle`: nothing needs a connection; `connecting`; `open`; `waiting` for the next attempt after a connection broke;
 * `stopped`: the gateway refuses this client, and `connect()` tries again; `closed` by the program, for good.
 */
export type ClientState = 'idle' | 'connecting' | 'open' | 'waiting' | 'stopped' | 'closed';

/** How long the client waits between two attempts to connect. */
export interface ReconnectOptions {
  /** Milliseconds before the second attempt; doubled with each one after it, less a random part. Default 250. */
  minMs?: number;
  /** The maximum of that. Default 15,000. */
  maxMs?: number;
}

export interface LinkParts {
  url: string;
  /** Asked for each connection. */
  token: () => Promise<string>;
  /** Whether another call of `token` may give another one. */
  isTokenRenewed: boolean;
  Socket: SocketConstructor;
  reconnect: ReconnectOptions;
}

/** Who uses the connection. */
export interface LinkListener {
  /** Whether anything waits for the connection. */
  readonly isNeeded: boolean;
  opened(connected: Connected): void;
  received(frame: ResponseFrame | EventFrame | NoticeFrame | FeedFrame): void;
  /** Asks the gateway for a sign of life. */
  ping(): void;
  /** An open connection ended. */
  lost(): void;
  /** There will be no connection. */
  stopped(error: ClientError): void;
  changed(): void;
}

/** Version of the frames that the client speaks. */
const protocol = 1;
const connectId = 'connect';
const connectMs = 15_000;
/** A connection that lasted so long was a good one: the next attempt comes soon. */
const stableMs = 5_000;
const unauthorized = 4401;
/** Refusals that another attempt does not change. */
const final: readonly string[] = ['UNAUTHORIZED', 'FORBIDDEN', 'PROTOCOL_VERSION', 'INVALID_REQUEST'];

/** The one WebSocket of a client: opened when it is needed, opened again when it breaks. */
export class Link {
  /** When the next attempt comes, while it waits for that. */
  dueAt = 0;
  /** What the gateway said of this client and of itself; null before the first connection. */
  connected: Connected | null = null;
  readonly #parts: LinkParts;
  readonly #listener: LinkListener;
  #state: ClientState = 'idle';
  #error: ClientError | null = null;
  #socket: ClientSocket | null = null;
  /** Counts attempts: what comes of an earlier one is of no interest any more. */
  #attempt = 0;
  #failures = 0;
  #isHeard = false;
  /** The response to this connection's `connect`, if it was an error. */
  #refusal: ClientError | null = null;
  /** Whether this attempt has a token that was asked for because the one before it was refused. */
  #isRefusedAgain = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(parts: LinkParts, listener: LinkListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Why the last connection or attempt ended; null while one is open. */
  get error(): ClientError | null {
    return this.#error;
  }

  /** The number of the open connection; null without one. */
  get connection(): number | null {
    return this.#state === 'open' ? this.#attempt : null;
  }

  /** Opens a connection unless there is one, or an attempt is under way. */
  open(): void {
    if (this.#state === 'idle') void this.#connect();
  }

  /** Connects now, also after the gateway refused the client and while the next attempt waits. */
  retry(): void {
    if (!['idle', 'waiting', 'stopped'].includes(this.#state)) return;
    this.#failures = 0;
    this.#isRefusedAgain = false;
    void this.#connect();
  }

  send(text: string): void {
    try {
      this.#socket?.send(text);
    } catch (error) {
      this.#end(errorOf(error, 'DISCONNECTED'));
    }
  }

  close(): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.#state === 'open';
    this.#drop();
    this.#set('closed', null);
    if (wasOpen) this.#listener.lost();
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer);
    const attempt = ++this.#attempt;
    const isCurrent = () => attempt === this.#attempt;
    this.#set('connecting', this.#error);
    this.#timer = setTimeout(() => this.#end(disconnected('no answer')), connectMs);
    try {
      const token = await this.#parts.token();
      if (!isCurrent()) return;
      if (!token) return this.#stop(new ClientError('UNAUTHORIZED', 'the client has no token'));
      const socket = new this.#parts.Socket(this.#parts.url);
      this.#socket = socket;
      const payload = { token, minProtocol: protocol, maxProtocol: protocol };
      const hello = JSON.stringify({ type: 'request', id: connectId, method: 'connect', payload });
      socket.addEventListener('open', () => isCurrent() && this.send(hello));
      socket.addEventListener('message', ({ data }: { data: unknown }) => isCurrent() && this.#read(data));
      socket.addEventListener('close', ({ code }: { code: number }) => isCurrent() && this.#closed(code));
      // Without a listener some of them throw. A close always follows.
      socket.addEventListener('error', () => {});
    } catch (error) {
      if (isCurrent()) this.#end(errorOf(error, 'DISCONNECTED'));
    }
  }

  #read(data: unknown): void {
    this.#isHeard = true;
    let frame: ResponseFrame | EventFrame | NoticeFrame;
    try {
      frame = JSON.parse(String(data));
    } catch {
      this.#end(disconnected('no gateway is there'));
      return;
    }
    if (this.#state === 'open') this.#listener.received(frame);
    else if (frame.type !== 'response') return;
    else if (frame.ok) this.#opened(frame.payload as Connected);
    else this.#refusal = errorOf(frame.error, 'REFUSED');
  }

  #opened(connected: Connected): void {
    clearTimeout(this.#timer);
    this.#isRefusedAgain = false;
    this.#timer = setTimeout(() => {
      this.#failures = 0;
    }, stableMs);
    this.#watchHeartbeat(connected.policy.heartbeatMs);
    this.#state = 'open';
    this.#error = null;
    this.connected = connected;
    // Before the program hears of it: it may ask at once who it is.
    this.#listener.opened(connected);
    this.#listener.changed();
  }

  /** Browsers show no pings: a connection over which nothing comes is asked for a sign of life, and then given up. */
  #watchHeartbeat(everyMs: number): void {
    this.#isHeard = true;
    let isAsked = false;
    this.#heartbeat = setInterval(() => {
      const isHeard = this.#isHeard;
      this.#isHeard = false;
      if (!isHeard && isAsked) this.#end(disconnected('no sign of life'));
      else if (!isHeard) this.#listener.ping();
      isAsked = !isHeard;
    }, everyMs);
  }

  #closed(code: number): void {
    const error =
      this.#refusal ??
      (code === unauthorized
        ? new ClientError('UNAUTHORIZED', 'the token is no longer valid')
        : disconnected(`closed with code ${code}`));
    const mayAskAgain = error.code === 'UNAUTHORIZED' && this.#parts.isTokenRenewed && !this.#isRefusedAgain;
    if (error.retryable || !final.includes(error.code)) this.#end(error);
    else if (!mayAskAgain) this.#stop(error);
    else {
      this.#isRefusedAgain = true;
      this.#break(error);
      void this.#connect();
    }
  }

  /** The connection, or the attempt, is over: waits, and tries again while anything needs it. */
  #end(error: ClientError): void {
    this.#break(error);
    if (this.#state === 'closed') return;
    if (!this.#listener.isNeeded) {
      this.#set('idle', error);
      return;
    }
    const { minMs = 250, maxMs = 15_000 } = this.#parts.reconnect;
    const longest = Math.min(maxMs, minMs * 2 ** this.#failures++);
    const delay = longest * (0.5 + Math.random() / 2);
    this.dueAt = Date.now() + delay;
    this.#timer = setTimeout(() => void this.#connect(), delay);
    this.#set('waiting', error);
  }

  #stop(error: ClientError): void {
    this.#break(error);
    this.#set('stopped', error);
    this.#listener.stopped(error);
  }

  #break(error: ClientError): void {
    const wasOpen = this.#state === 'open';
    this.#drop();
    this.#error = error;
    if (!wasOpen) return;
    this.#state = 'waiting';
    this.#listener.lost();
  }

  #drop(): void {
    this.#attempt++;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    const socket = this.#socket;
    this.#socket = null;
    this.#refusal = null;
    try {
      socket?.close();
    } catch {
      // It was closed before.
    }
  }

  #set(state: ClientState, error: ClientError | null): void {
    this.#state = state;
    this.#error = error;
    this.#listener.changed();
  }
}

function disconnected(message: string): ClientError {
  return passing('DISCONNECTED', message);
}
