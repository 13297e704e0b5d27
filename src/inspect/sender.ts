import type { ClientSocket, SocketConstructor } from '../client/index.ts';
import type { ActorMessage, ActorSnapshot, InspectionMessage } from '../protocol/frames.ts';
import { InspectError, type InspectGateway, inspectUrl } from './ticket.ts';

/** Messages that wait for a connection; beyond them the oldest go. */
const maxWaiting = 1_000;
/** Actors whose registrations are kept for the next connection. */
const maxActors = 200;
/** A longer message would end the connection: it goes without its context. */
const maxCharacters = 500_000;
/** Bytes that the platform may hold back for a gateway that reads slowly. */
const maxBuffered = 4_000_000;
const firstAgainMs = 500;
const longestAgainMs = 15_000;

interface SenderOptions extends InspectGateway {
  sender: string;
  onError(error: unknown): void;
}

/** All platforms but React Native say how much they hold back. */
type BufferingSocket = ClientSocket & { readonly bufferedAmount?: number };

/** An actor: how it was registered, and how it is now. */
interface Known {
  registration: ActorMessage;
  now: ActorSnapshot;
}

/**
 * Sends the messages of actors to a gateway. It connects again when a connection ends, and then registers the actors that exist again,
 * so that a gateway that was restarted knows them.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #actors = new Map<string, Known>();
  #waiting: string[] = [];
  #socket: BufferingSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #againMs = firstAgainMs;
  #isStopped = false;
  /** One report an outage is enough. */
  #isReported = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    void this.#connect();
  }

  send(message: InspectionMessage): void {
    if (this.#isStopped) return;
    this.#keep(message);
    // The next connection begins with the registrations.
    if (!this.#socket && message.type === '@xstate.actor') return;
    this.#waiting.push(short(message));
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#flush();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#socket?.close(1000);
    this.#socket = null;
  }

  #keep(message: InspectionMessage): void {
    const { sessionId } = message;
    if (message.type === '@xstate.actor') {
      this.#actors.set(sessionId, { registration: message, now: message.snapshot });
      const [oldest] = this.#actors.keys();
      if (this.#actors.size > maxActors && oldest !== undefined) this.#actors.delete(oldest);
    } else if (message.type === '@xstate.snapshot') {
      const known = this.#actors.get(sessionId);
      if (known) known.now = message.snapshot;
      if (known && this.#socket) this.#advance(sessionId, known);
    }
  }

  /** What was sent need not be sent again by the next connection: it begins with how the actor is now. */
  #advance(sessionId: string, { registration, now }: Known): void {
    if (now.status === 'active')
      this.#actors.set(sessionId, { registration: { ...registration, snapshot: now }, now });
    else this.#actors.delete(sessionId);
  }

  #flush(): void {
    const socket = this.#socket;
    while (socket && (socket.bufferedAmount ?? 0) < maxBuffered) {
      const text = this.#waiting.shift();
      if (text === undefined) return;
      socket.send(text);
    }
  }

  async #connect(): Promise<void> {
    const { sender, onError } = this.#options;
    const WebSocket = this.#options.WebSocket ?? (globalThis.WebSocket as SocketConstructor);
    try {
      const url = await inspectUrl(this.#options, { use: 'send', sender });
      if (this.#isStopped) return;
      const socket: BufferingSocket = new WebSocket(url);
      socket.addEventListener('open', () => this.#opened(socket));
      socket.addEventListener('error', () => {});
      socket.addEventListener('close', () => this.#again());
    } catch (error) {
      if (this.#isStopped) return;
      if (!this.#isReported) onError(error);
      this.#isReported = true;
      // A token that is refused now is refused later.
      if (error instanceof InspectError && !error.retryable) return this.stop();
      this.#again();
    }
  }

  #opened(socket: BufferingSocket): void {
    if (this.#isStopped) {
      socket.close(1000);
      return;
    }
    this.#socket = socket;
    this.#againMs = firstAgainMs;
    this.#isReported = false;
    const actors = [...this.#actors];
    for (const [, { registration }] of actors) socket.send(short(registration));
    this.#flush();
    for (const [sessionId, known] of actors) this.#advance(sessionId, known);
  }

  #again(): void {
    this.#socket = null;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#againMs * (0.5 + Math.random() / 2));
    this.#againMs = Math.min(this.#againMs * 2, longestAgainMs);
  }
}

function short(message: InspectionMessage): string {
  const text = jsonOf(message);
  if (text.length <= maxCharacters || message.type === '@xstate.event') return text;
  const snapshot = { ...message.snapshot, context: { isTooLarge: true, characters: text.length } };
  return jsonOf({ ...message, snapshot });
}

/** Levels of a value; what lies deeper is left out. */
const maxLevels = 50;

/** JSON of any value of a program: functions by their names, cycles and what lies too deep in words. */
export function jsonOf(value: unknown): string {
  const around: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key, one: unknown) {
    if (typeof one === 'bigint') return String(one);
    if (typeof one === 'function') return { type: one.name };
    if (typeof one !== 'object' || one === null) return one;
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    if (around.includes(one)) return '[Circular]';
    if (around.length >= maxLevels) return '[Object]';
    around.push(one);
    return one;
  });
}
