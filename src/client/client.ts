import type { Connected } from '../protocol/frames.ts';
import type { Answer } from '../protocol/views.ts';
import { type ClientRun, type Input, isRepeatable, type Method, type Output, takesKey } from './api.ts';
import { ClientError, errorOf, passing } from './error.ts';
import { Channel } from './link/channel.ts';
import type { ClientEvent } from './link/event-order.ts';
import { type ClientStorage, type FetchFunction, newId, type SocketConstructor } from './link/host.ts';
import { type KeptSend, keptSends } from './link/kept-sends.ts';
import type { ClientState, ReconnectOptions } from './link/link.ts';
import type { SendOptions } from './link/outbox.ts';
import type { ClientFeedEvent } from './link/watches.ts';
import { type ClientRunHandle, runHandle } from './run-handle.ts';

export interface ClientOptions {
  /** Of the gateway, with its prefix if it has one: `https://shop.example/agent`. */
  url: string;
  /** A token, or what gives one: called for each connection, and once more when the gateway refuses the one it gave. */
  token: string | (() => string | Promise<string>);
  /** Default: the host's own. */
  fetch?: FetchFunction;
  /** Default: the host's own. */
  WebSocket?: SocketConstructor;
  /** Keeps starts of runs that have no response yet, so that they survive a reload. One client of a user a storage. */
  storage?: ClientStorage;
  /** How long to wait between two attempts to connect. */
  reconnect?: ReconnectOptions;
  /** Requests that may wait for a response. Default 1,000. */
  maxQueued?: number;
  /** Called when `client.state` changes. */
  onState?(state: ClientState, error: ClientError | null): void;
  /** Called for each start of a run that an earlier life of the program left in the storage. */
  onRestored?(send: RestoredSend): void;
  /** Called when the storage fails. Default: nothing happens, and the sends are kept in memory alone. */
  onError?(error: unknown): void;
}

/** A start of a run that an earlier life of the program left in the storage. It is sent again by itself. */
export interface RestoredSend {
  prompt: string;
  sessionId?: string;
  idempotencyKey: string;
  run: ClientRunHandle;
}

/** How to start a run. */
export type RunOptions = Omit<Input<'agent.run'>, 'prompt'> & { signal?: AbortSignal };

/** A client of a gateway. */
export interface Client {
  readonly state: ClientState;
  /** Why the last connection ended; null while one is open. */
  readonly error: ClientError | null;
  /** When it connects again, in milliseconds since the epoch; null unless `state` is `waiting`. */
  readonly retryAt: number | null;
  /** What the gateway said of this client and of itself; null before the first connection. */
  readonly connected: Connected | null;
  /** Connects now: before the first request, when the host comes online, or after the gateway refused the client. */
  connect(): void;
  /** Ends the connection, and all requests and watches, with `CLOSED`. */
  close(): void;
  /**
   * Any method of the gateway. Without a connection it waits for one.
   *
   * @throws ClientError
   */
  request<M extends Method>(
    method: M,
    ...[payload, options]: Record<string, never> extends Input<M>
      ? [payload?: Input<M>, options?: { signal?: AbortSignal }]
      : [payload: Input<M>, options?: { signal?: AbortSignal }]
  ): Promise<Output<M>>;
  /** Starts a run. Runs of one session start in the order of these calls. */
  run(prompt: string, options?: RunOptions): ClientRunHandle;
  /** The events of a run after the transition `afterSeq`: each once and in order, over any number of connections. */
  watch(runId: string, options?: { afterSeq?: number }): AsyncIterableIterator<ClientEvent, undefined>;
  /**
   * What happens to all runs that the client sees, behind a place: each transition once, in the order of the commits, over any number
   * of connections. Ends with the client.
   *
   * @param options.after the `cursor` of an event; 0 for the beginning. Default: from now on
   */
  feed(options?: { after?: number }): AsyncIterableIterator<ClientFeedEvent, undefined>;
  /** Decides on a call that waits for a person. `hash`: `argumentsHash` of what the person saw. */
  confirm(
    runId: string,
    callId: string,
    decision: Omit<Input<'tool.confirm'>, 'runId' | 'callId'>,
  ): Promise<Output<'tool.confirm'>>;
  /** Answers a question; without an answer, closes it. */
  answer(runId: string, callId: string, answer?: Answer, hash?: string): Promise<Output<'question.answer'>>;
  cancel(runId: string, reason?: string): Promise<Output<'agent.cancel'>>;
  /** Adds a message to a run. The next model call gets it. */
  steer(runId: string, message: string): Promise<Output<'agent.steer'>>;
  get(runId: string): Promise<ClientRun>;
  runs(filter?: Input<'run.list'>): Promise<Output<'run.list'>['runs']>;
  sessions(filter?: Input<'session.list'>): Promise<Output<'session.list'>['sessions']>;
  /** An HTTP request with the client's token, such as an upload. @throws ClientError */
  http(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * A client of a gateway, for browsers, Node and React Native. It connects when it is first needed.
 *
 * @throws ClientError `INVALID_CLIENT`
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'http://127.0.0.1:7420', token });
 * const run = client.run('What is the capital of France?', { sessionId: 'quiz' });
 * for await (const { event, payload } of run.events)
 *   if (event === 'assistant.delta') show(payload.content);
 * const { status, text } = await run.result;
 * ```
 */
export function createClient(options: ClientOptions): Client {
  // A program without types may pass nothing.
  const url = String((options as Partial<ClientOptions> | undefined)?.url).replace(/\/+$/, '');
  if (!/^(?:http|ws)s?:\/\/[^/?#]/.test(url))
    throw invalidClient('"url" is that of the gateway: http://127.0.0.1:7420');
  const { token, maxQueued = 1000, onRestored, onError } = options;
  const Socket = options.WebSocket ?? (globalThis.WebSocket as SocketConstructor | undefined);
  const fetch = options.fetch ?? (globalThis.fetch as FetchFunction | undefined)?.bind(globalThis);
  if (!Socket) throw lacking('WebSocket');
  if (token === undefined) throw invalidClient('"token" is one, or a function that gives one');

  const isTokenRenewed = typeof token === 'function';
  const giveToken = async () => (typeof token === 'function' ? token() : token);
  const kept = keptSends(options.storage, url, (error) => onError?.(error));
  const channel = new Channel({
    url: `${url.replace(/^http/, 'ws')}/ws`,
    token: giveToken,
    isTokenRenewed,
    Socket,
    reconnect: options.reconnect ?? {},
    maxQueued,
    kept,
    options,
  });
  const { link, outbox, watches } = channel;

  function send(method: string, payload: unknown, more: SendOptions = {}): Promise<unknown> {
    if (method !== 'agent.run') {
      const sent = takesKey(method) ? withKey(payload ?? {}) : payload;
      return outbox.send(method, sent, { isRepeatable: isRepeatable(method), ...more });
    }
    const start = { subscribe: false, ...withKey(payload as { prompt: string }) };
    const { sessionId } = start as { sessionId?: string };
    kept.add(start);
    return outbox.send(method, start, {
      isRepeatable: true,
      lane: sessionId,
      settled: () => kept.remove(start.idempotencyKey),
      ...more,
    });
  }
  const request = send as Client['request'];

  async function restore(): Promise<void> {
    outbox.pause();
    const sends = await kept.load();
    sends.forEach((start, at) => {
      const run = begin(start, { at, signal: channel.restored.signal });
      const { prompt, sessionId, idempotencyKey } = start as KeptSend & { sessionId?: string };
      onRestored?.({ prompt, idempotencyKey, run, ...(sessionId !== undefined && { sessionId }) });
    });
    outbox.resume();
  }

  function begin(
    start: { prompt: string; idempotencyKey: string },
    more: Pick<SendOptions, 'signal' | 'at'>,
  ): ClientRunHandle {
    const subscribe = watches.size < (link.connected?.policy.maxSubscriptions ?? 1);
    return runHandle({
      idempotencyKey: start.idempotencyKey,
      watches,
      isWatched: subscribe,
      send: (answered) => send('agent.run', { ...start, subscribe }, { ...more, answered }),
      get: (runId) => request('run.get', { runId }),
    });
  }

  if (options.storage) void restore();

  return {
    get state() {
      return link.state;
    },
    get error() {
      return link.error;
    },
    get retryAt() {
      return link.state === 'waiting' ? link.dueAt : null;
    },
    get connected() {
      return link.connected;
    },
    connect: () => channel.connect(),
    close: () => channel.close(),
    request,
    run: (prompt, { signal, idempotencyKey = newId(), ...given } = {}) =>
      begin({ ...given, prompt, idempotencyKey }, { signal }),
    watch: (runId, { afterSeq = 0 } = {}) => watches.watch(runId, afterSeq),
    feed: ({ after = null }: { after?: number | null } = {}) => watches.feed(after),
    confirm: (runId, callId, decision) => request('tool.confirm', { runId, callId, ...decision }),
    answer: (runId, callId, answer, hash) => request('question.answer', { runId, callId, answer, hash }),
    cancel: (runId, reason) => request('agent.cancel', { runId, reason }),
    steer: (runId, message) => request('agent.steer', { runId, message }),
    get: (runId) => request('run.get', { runId }),
    runs: async (filter = {}) => (await request('run.list', filter)).runs,
    sessions: async (filter = {}) => (await request('session.list', filter)).sessions,
    async http(path, init) {
      if (!fetch) throw lacking('fetch');
      return requestHttp(
        { url: url.replace(/^ws/, 'http'), fetch, token: giveToken, isTokenRenewed },
        path,
        init,
      );
    },
  };
}

function withKey<Payload extends object>(payload: Payload): Payload & { idempotencyKey: string } {
  const { idempotencyKey = newId() } = payload as { idempotencyKey?: string };
  return { ...payload, idempotencyKey };
}

function lacking(name: string): ClientError {
  return invalidClient(`this host has no ${name}: give the client one`);
}

function invalidClient(message: string): ClientError {
  return new ClientError('INVALID_CLIENT', message);
}

interface HttpParts {
  url: string;
  fetch: FetchFunction;
  token(): Promise<string>;
  /** Whether another call of `token` may give another one. */
  isTokenRenewed: boolean;
}

/**
 * An HTTP request with the client's token, for what frames do not carry: uploads and downloads. A token that the gateway refuses is
 * asked for once more.
 *
 * @throws ClientError with the gateway's code; `UNREACHABLE` without an answer.
 */
async function requestHttp(parts: HttpParts, path: string, init: RequestInit = {}): Promise<Response> {
  const { url, token, fetch, isTokenRenewed } = parts;
  const attempt = async () => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${await token()}`);
    return fetch(url + path, { ...init, headers }).catch((error: unknown) => {
      const { message } = errorOf(error, 'no answer');
      throw init.signal?.aborted ? new ClientError('ABORTED', message) : passing('UNREACHABLE', message);
    });
  };
  let response = await attempt();
  if (response.status === 401 && isTokenRenewed) response = await attempt();
  if (response.ok) return response;
  throw errorOf(await response.json().catch(() => null), `HTTP_${response.status}`);
}
