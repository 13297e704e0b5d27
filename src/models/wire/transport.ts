import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { messageOf } from '../../protocol/error.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { CallFailure, modelError, timedOut } from './model-error.ts';
import { networkFailure } from './network-error.ts';
import { proxyOf } from './proxy.ts';
import type { HttpHeaders } from './retry-after.ts';

// An import of `node:http` would read all that it exports, and so load what is behind its WebSocket: 13 ms of a first call.
const http = () => process.getBuiltinModule('node:http');
const https = () => process.getBuiltinModule('node:https');

export interface HttpRequest {
  method: string;
  url: string | URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** From the start of the call to the first byte of the body, connecting included. */
  firstByteTimeoutMs: number;
  /** Between two pieces of the body. */
  idleTimeoutMs: number;
}

export interface HttpResponse {
  status: number;
  headers: HttpHeaders;
  body: HttpBody;
}

interface HttpBody {
  /**
   * Hands every piece of the body to `onChunk`, in order, as it arrives, and settles at the end. May be called once.
   * When `onChunk` returns true it wants no more: the promise resolves and the rest is discarded. Rejects with a
   * {@link CallFailure} when the body breaks off, and with whatever `onChunk` throws, closing the connection.
   */
  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void>;
}

/** How long a server may keep sending after the answer is complete, before the client closes the connection. */
const drainMs = 1_000;

/** How long connecting may take, TLS included. */
const connectTimeoutMs = 10_000;

/** Node fires a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * HTTP/1.1 only: an abort then closes the call's own socket, and one stuck session cannot hold several calls. Idle
 * sockets are kept for 4 s, below the 5 s after which Node and uvicorn servers close theirs.
 */
const pool = { keepAlive: true, timeout: 4_000 };
interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
  /** Node adds the password of a proxy to headers that are an object alone. */
  isProxied: boolean;
}

let agents: Agents | null = null;

function agentsOfProcess(): Agents {
  const proxyEnv = proxyOfProcess();
  const options = { ...pool, ...(proxyEnv && { proxyEnv: { ...proxyEnv } }) };
  return {
    http: new (http().Agent)(options),
    https: new (https().Agent)(options),
    isProxied: proxyEnv !== null,
  };
}

/** The next attempt would find the same proxy. */
function proxyOfProcess(): ReturnType<typeof proxyOf> {
  try {
    return proxyOf(process.env);
  } catch (error) {
    throw new CallFailure(modelError('network', messageOf(error), { retryable: false }));
  }
}

/**
 * Sends one HTTP request through a shared keep-alive pool, and through the proxy of the environment, and resolves when the
 * response's head has come, whatever its status. Follows no redirect and does not retry.
 *
 * @throws CallFailure of kind `aborted`, `timeout` or `network`
 */
export function send(request: HttpRequest): Promise<HttpResponse> {
  return new Exchange(request).response;
}

export function cancelled(origin: string): CallFailure {
  return new CallFailure(modelError('aborted', modelErrorText('model_cancelled', { origin })));
}

/** Reads a body as text, up to `maxBytes`; what follows is discarded. */
export async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  await body.read((chunk) => {
    text += decoder.decode(chunk.subarray(0, maxBytes - size), { stream: true });
    size += chunk.length;
    return size >= maxBytes;
  });
  return text;
}

/** Names and values in turns, as Node sends them without looking each header up. It then adds neither host nor length. */
function headerLines({ method, headers, body }: HttpRequest, host: string): string[] {
  const lines: string[] = [];
  let [hasHost, hasLength] = [false, method === 'GET'];
  for (const name of Object.keys(headers)) {
    lines.push(name, headers[name] as string);
    if (/^host$/i.test(name)) hasHost = true;
    if (/^(content-length|transfer-encoding)$/i.test(name)) hasLength = true;
  }
  if (!hasHost) lines.push('host', host);
  if (!hasLength) lines.push('content-length', String(Buffer.byteLength(body)));
  return lines;
}

function asObject(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < lines.length; i += 2) headers[lines[i] as string] = lines[i + 1] as string;
  return headers;
}

/** One request and its response: owns the timers, the abort listener and, until `read` is called, the buffered pieces. */
class Exchange implements HttpBody {
  readonly #request: HttpRequest;
  readonly #origin: string;
  readonly #head = Promise.withResolvers<HttpResponse>();
  readonly #end = Promise.withResolvers<void>();
  #failure: { thrown: unknown } | undefined;
  #exchange: ClientRequest | undefined;
  #timer: NodeJS.Timeout;
  readonly #waiting: Uint8Array[] = [];
  #onChunk: ((chunk: Uint8Array) => boolean) | undefined;
  /** The first piece of the body has come. */
  #started = false;
  /** The response is complete, and its socket back in the pool. */
  #ended = false;
  /** The promise of `read` has settled. */
  #settled = false;

  constructor(request: HttpRequest) {
    const url = typeof request.url === 'string' ? new URL(request.url) : request.url;
    this.#request = request;
    this.#origin = url.origin;
    this.#timer = this.#startTimer(request.firstByteTimeoutMs);
    if (request.signal.aborted) {
      this.#onAbort();
      return;
    }
    request.signal.addEventListener('abort', this.#onAbort);
    try {
      this.#exchange = this.#begin(url);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  get response(): Promise<HttpResponse> {
    return this.#head.promise;
  }

  async read(onChunk: (chunk: Uint8Array) => boolean): Promise<void> {
    this.#onChunk = onChunk;
    for (const chunk of this.#waiting.splice(0)) if (!this.#deliver(chunk)) break;
    await this.#end.promise;
    if (this.#failure) throw this.#failure.thrown;
  }

  #begin(url: URL): ClientRequest {
    const { method, body } = this.#request;
    const isSecure = url.protocol === 'https:';
    agents ??= agentsOfProcess();
    const lines = headerLines(this.#request, url.host);
    const exchange = (isSecure ? https() : http()).request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers: agents.isProxied ? asObject(lines) : lines,
      agent: isSecure ? agents.https : agents.http,
    });
    exchange.on('socket', (socket) => this.#limitConnecting(socket, isSecure));
    exchange.on('response', (response) => this.#onResponse(response));
    exchange.on('error', this.#onError);
    exchange.end(body);
    return exchange;
  }

  /** The limit for the first byte is far longer than a reachable server takes to connect. */
  #limitConnecting(socket: Socket, isSecure: boolean): void {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      const error = new Error(`no connection within ${connectTimeoutMs} ms`);
      this.#fail(networkFailure(Object.assign(error, { code: 'ETIMEDOUT' }), this.#origin));
    }, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
  }

  #onResponse(response: IncomingMessage): void {
    response.on('data', (chunk: Uint8Array) => this.#onData(chunk));
    response.on('end', () => this.#onEnd());
    response.on('error', this.#onError);
    this.#head.resolve({ status: response.statusCode ?? 0, headers: response.headers, body: this });
  }

  #onData(chunk: Uint8Array): void {
    if (this.#settled) return;
    this.#onSignOfLife();
    if (this.#onChunk) this.#deliver(chunk);
    else this.#waiting.push(chunk);
  }

  #onEnd(): void {
    this.#ended = true;
    this.#settle();
    this.#end.resolve();
  }

  /** Also gets the error of a body that breaks off, and after `#disconnect` the error of that. */
  readonly #onError = (error: Error): void => {
    this.#ended = true;
    if (this.#settled) clearTimeout(this.#timer);
    else this.#fail(networkFailure(error, this.#origin));
  };

  /** False when the reader wants no more. */
  #deliver(chunk: Uint8Array): boolean {
    try {
      if (!this.#onChunk?.(chunk)) return true;
      this.#release();
    } catch (thrown) {
      this.#fail(thrown);
    }
    return false;
  }

  /** Called when the reader wants no more. If the server ends at once, as most do, the connection is kept alive. */
  #release(): void {
    if (this.#settled) return;
    this.#settle();
    this.#end.resolve();
    // Most bodies end with the same packet. A timer for each would be measurable in the CPU time of a call.
    queueMicrotask(() => {
      if (!this.#ended) this.#timer = setTimeout(() => this.#disconnect(), drainMs).unref();
    });
  }

  #fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#settle();
    this.#head.reject(thrown);
    this.#end.resolve();
    this.#disconnect();
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }

  #disconnect(): void {
    if (!this.#ended) this.#exchange?.destroy();
  }

  #onSignOfLife(): void {
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#request;
    if (this.#started || firstByteTimeoutMs === idleTimeoutMs) {
      this.#timer.refresh();
    } else {
      clearTimeout(this.#timer);
      this.#timer = this.#startTimer(idleTimeoutMs);
    }
    this.#started = true;
  }

  #startTimer(delayMs: number): NodeJS.Timeout {
    return setTimeout(this.#onTimeout, Math.min(delayMs, maxTimerMs));
  }

  readonly #onAbort = (): void => this.#fail(cancelled(this.#origin));

  readonly #onTimeout = (): void => {
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#request;
    this.#fail(timedOut(this.#origin, this.#started, this.#started ? idleTimeoutMs : firstByteTimeoutMs));
  };
}
