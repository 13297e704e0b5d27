import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway, type Gateway, type ServeOptions } from '../../src/gateway/gateway.ts';
import type { Detent, DetentOptions } from '../../src/index.ts';
import { type Scope, scopes } from '../../src/protocol/access.ts';
import {
  closeCodes,
  type EventFrame,
  type FeedFrame,
  type FrameError,
  type NoticeFrame,
  type ResponseFrame,
} from '../../src/protocol/frames.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { undescribed, undescribedAnswer } from '../support/described-events.ts';
import '../support/fitting-answers.ts';
import { scripted } from '../support/detent.ts';

/** A gateway that listens on loopback. */
export interface Served {
  detent: Detent;
  gateway: Gateway;
  server: Server;
  url: string;
  token(request?: {
    scopes?: readonly Scope[];
    tenantId?: number;
    userId?: string;
    sees?: 'tenant';
  }): Promise<string>;
  /** An HTTP request with a token of all scopes, or with `token`. */
  http(path: string, options?: HttpOptions): Promise<{ status: number; body: Texts; headers: Headers }>;
  /** A WebSocket that has said who it is. */
  connect(token?: string): Promise<FrameClient>;
}

/** What a test reads of an answer. */
type Texts = Record<string, string>;

interface HttpOptions {
  method?: string;
  body?: unknown;
  token?: string | null;
  headers?: Record<string, string>;
}

/** A gateway over a Detent whose model follows a script, with real HTTP and WebSockets. */
export async function served(
  script: readonly ScriptLine[],
  options: DetentOptions = {},
  gatewayOptions: ServeOptions = {},
): Promise<Served> {
  const { detent } = await scripted(script, options);
  return serve(detent, gatewayOptions);
}

/** @param port default: one that is free */
export async function serve(detent: Detent, options: ServeOptions = {}, port = 0): Promise<Served> {
  const gateway = createGateway(detent, { limits: { drainMs: 500 }, ...options });
  const server = createServer(gatewayListener(gateway));
  serveWebSockets(server, gateway);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token: Served['token'] = async (request = {}) =>
    (await detent.tokens.create({ scopes, ...request })).token;
  let usual: Promise<string> | null = null;
  const usualToken = () => {
    usual ??= token();
    return usual;
  };
  return {
    detent,
    gateway,
    server,
    url,
    token,
    async http(path, { method = 'GET', body, token, headers = {} } = {}) {
      const shown = token === undefined ? await usualToken() : token;
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(shown !== null && { authorization: `Bearer ${shown}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
    },
    connect: async (shown) => connectFrames(url, shown ?? (await usualToken())),
  };
}

type EventOf = EventFrame | NoticeFrame | FeedFrame;

/** A client that speaks raw frames. */
export class FrameClient {
  readonly socket: WebSocket;
  /** All events, in the order in which they came. */
  readonly events: EventOf[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #methods = new Map<string, string>();
  readonly #waiting = new Map<string, (frame: ResponseFrame) => void>();
  #seen = () => {};
  #next = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    const problems: string[] = [];
    onTestFinished(() => expect(problems).toEqual([]));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ResponseFrame | EventOf;
      if (frame.type === 'event') problems.push(...undescribed(frame));
      if (frame.type === 'event') this.events.push(frame);
      else {
        const method = this.#methods.get(String(frame.id));
        if (method !== undefined) problems.push(...undescribedAnswer(method, frame));
        this.#waiting.get(String(frame.id))?.(frame);
      }
      this.#seen();
    });
  }

  /** Sends a request, and resolves with its response. */
  request(method: string, payload?: unknown): Promise<ResponseFrame> {
    const id = `r${++this.#next}`;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#methods.set(id, method);
      // A connection that its token lost answers nothing more.
      void this.closed.then(({ code, reason: message }) => {
        const error = { code: 'UNAUTHORIZED', message, retryable: false };
        if (code === closeCodes.unauthorized) resolve({ type: 'response', id, ok: false, error });
      });
      this.socket.send(JSON.stringify({ type: 'request', id, method, payload }));
    });
  }

  /** The payload of a response that must not be an error. */
  async ask<T = Texts>(method: string, payload?: unknown): Promise<T> {
    const response = await this.request(method, payload);
    if (!response.ok) throw new Error(`${method}: ${JSON.stringify(response.error)}`);
    return response.payload as T;
  }

  /** The error of a request that must fail. */
  async refused(method: string, payload?: unknown): Promise<FrameError> {
    const response = await this.request(method, payload);
    if (response.ok) throw new Error(`${method} was not refused`);
    return response.error;
  }

  /** Resolves with the first event that fits, also if it came before. */
  async saw(is: (event: EventOf) => boolean): Promise<EventOf> {
    for (;;) {
      const found = this.events.find(is);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#seen = resolve;
      });
    }
  }

  close(): void {
    this.socket.close();
  }
}

/** Opens a WebSocket that does not say who it is. */
export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<FrameClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers });
  onTestFinished(() => socket.terminate());
  const client = new FrameClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  return client;
}

export async function connectFrames(url: string, token: string): Promise<FrameClient> {
  const client = await openSocket(url);
  await client.ask('connect', { token });
  return client;
}
