import { timingSafeEqual } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { EventBus, Hints, RunSignal } from '../engine/bus.ts';
import type { SqliteStore } from '../store/sqlite.ts';

/** What a process says to another one: each a line of JSON. */
interface Message {
  token: string;
  /** Look at the rows. */
  look?: true;
  /** Send what this run says. */
  follow?: string;
}

/** What a reader who does not read may have waiting, in bytes, until its signals are dropped. */
const maxWaiting = 1_000_000;

/** How long the end of a process may take from its first closed socket to its last freed lock. */
const freeingMs = 50;

/** Hints over local sockets: each driver listens on one, whose folder only its user can open. */
export class SocketHints implements Hints {
  readonly #store: SqliteStore;
  readonly #connections = new Map<number, Promise<Socket | null>>();
  readonly #clients = new Set<Socket>();
  readonly #followed = new Map<string, Set<(signal: RunSignal) => void>>();
  #server: Server | null = null;
  #address: string | null = null;
  #token = '';
  #look: () => void = () => {};
  #bus: EventBus | null = null;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  /** Begins to listen. Resolves with false where that is not possible: then others are not hinted at. */
  open(address: string, token: string): Promise<boolean> {
    this.#token = token;
    return new Promise((resolve) => {
      const server = createServer((socket) => this.#serve(socket));
      server.once('error', () => resolve(false));
      server.listen(address, () => {
        // Its folder protects it as well; where permissions of sockets count, this does.
        if (process.platform !== 'win32') chmodSync(address, 0o600);
        this.#server = server.unref();
        this.#address = address;
        resolve(true);
      });
    });
  }

  listen(look: () => void, bus: EventBus): void {
    this.#look = look;
    this.#bus = bus;
  }

  send(driver: number): void {
    void this.#say(driver, { look: true });
  }

  attend(driver: number): void {
    void this.#connectionTo(driver);
  }

  follow(driver: number, runId: string, on: (signal: RunSignal) => void): () => void {
    const listeners = this.#followed.get(runId) ?? new Set();
    this.#followed.set(runId, listeners.add(on));
    void this.#say(driver, { follow: runId });
    return () => {
      listeners.delete(on);
      if (listeners.size === 0 && this.#followed.get(runId) === listeners) this.#followed.delete(runId);
    };
  }

  /** Ends all connections, and listens no more. */
  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    for (const connection of this.#connections.values()) void connection.then((socket) => socket?.destroy());
    this.#connections.clear();
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    await new Promise((resolve) => server.close(resolve));
    if (this.#address !== null && process.platform !== 'win32') rmSync(this.#address, { force: true });
  }

  async #say(driver: number, message: Omit<Message, 'token'>): Promise<void> {
    const found = await this.#connectionTo(driver);
    if (!found) return;
    const { token, socket } = found;
    if (!socket) this.#look();
    else if (socket.writableLength < maxWaiting) socket.write(line({ token, ...message }));
  }

  /** Undefined for a driver that ended, or does not listen; its socket is null if it does not answer. */
  async #connectionTo(driver: number): Promise<{ token: string; socket: Socket | null } | undefined> {
    const row = await this.#store.query('findDriver', { epoch: driver }).catch(() => undefined);
    if (!row || row.endedAt !== null || row.address === null) return undefined;
    const { address, token } = row;
    let connection = this.#connections.get(driver);
    if (!connection) {
      connection = this.#connect(driver, address);
      this.#connections.set(driver, connection);
    }
    return { token, socket: await connection };
  }

  /** A connection is kept: its end is the first sign that the driver ended. */
  #connect(driver: number, address: string): Promise<Socket | null> {
    return new Promise((resolve) => {
      const socket = connect(address).unref();
      let isOpen = false;
      socket.once('connect', () => {
        isOpen = true;
        readLines(socket, (signal) => this.#hear(signal));
        resolve(socket);
      });
      socket.on('error', () => resolve(null));
      socket.once('close', () => {
        resolve(null);
        this.#connections.delete(driver);
        if (!isOpen) return;
        this.#look();
        // The system may free its lock only a moment later.
        setTimeout(() => this.#look(), freeingMs).unref();
      });
    });
  }

  /** What the driver of a followed run says. Transitions only hint at the log. */
  #hear(said: unknown): void {
    if (!isSignal(said)) return;
    if (said.seq !== undefined || said.type === 'transition') this.#look();
    else for (const on of [...(this.#followed.get(said.runId) ?? [])]) on(said);
  }

  #serve(socket: Socket): void {
    const stops: (() => void)[] = [];
    socket.unref();
    this.#clients.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#clients.delete(socket);
      for (const stop of stops) stop();
    });
    readLines(socket, (message) => {
      if (!this.#isKnown(message)) return void socket.destroy();
      if (message.look === true) this.#look();
      const runId = message.follow;
      if (typeof runId !== 'string') return;
      const tell = (signal: RunSignal) => {
        if (socket.writableLength < maxWaiting) socket.write(line(signalToSend(signal)));
      };
      if (!this.#bus) return;
      for (const signal of this.#bus.soFar(runId)) tell(signal);
      stops.push(this.#bus.listen(runId, tell));
    });
  }

  #isKnown(message: unknown): message is Message {
    if (typeof message !== 'object' || message === null || !('token' in message)) return false;
    const given = Buffer.from(String(message.token));
    const own = Buffer.from(this.#token);
    return given.length === own.length && timingSafeEqual(given, own);
  }
}

/** Of a transition, others read the log. */
export function signalToSend(signal: RunSignal): RunSignal {
  const { runId, type, seq } = signal;
  return seq === undefined ? signal : { runId, type, seq };
}

function line(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

export function isSignal(said: unknown): said is RunSignal {
  return (
    typeof said === 'object' &&
    said !== null &&
    'runId' in said &&
    typeof said.runId === 'string' &&
    'type' in said &&
    typeof said.type === 'string'
  );
}

function readLines(socket: Socket, on: (message: unknown) => void): void {
  let waiting = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (waiting + text).split('\n');
    waiting = lines.pop() ?? '';
    if (waiting.length > maxWaiting) return void socket.destroy();
    for (const one of lines) if (!socket.destroyed) on(parsed(one));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
