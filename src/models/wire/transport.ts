import { createRequire } from 'node:module';
import type { Dispatcher } from 'undici';
import { keepFetch } from '../../ports/keep-fetch.ts';
import { CallFailure, modelError } from './model-error.ts';
import { networkFailure } from './network-error.ts';
import type { HttpHeaders } from './retry-after.ts';

export interface HttpRequest {
  method: string;
  url: string;
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

export interface HttpBody {
  /**
   * Hands every piece of the body to `onChunk`, in order, as it arrives, and settles at the end. May be called once.
   * When `onChunk` returns true it wants no more: the promise resolves and the rest is discarded. Rejects with a
   * {@link CallFailure} when the body breaks off, and with whatever `onChunk` throws, closing the connection.
   */
  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void>;
}

const require = createRequire(import.meta.url);

/** How long a server may keep sending after the answer is complete, before the client closes the connection. */
const drainMs = 1_000;

/** Node fires a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

const { Agent } = keepFetch((): typeof import('undici') => require('undici'));

/**
 * HTTP/1.1 only: an abort then closes the call's own socket, and one stuck session cannot hold several calls. undici
 * keeps idle sockets for 4 s, below the 5 s after which Node and uvicorn servers close theirs. Timeouts are ours,
 * because undici's are up to a second late and its first one starts after connecting.
 */
const agent = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0 });

/**
 * Sends one HTTP request through a shared keep-alive pool and resolves when the response's head has come, whatever its
 * status. Follows no redirect and does not retry.
 *
 * Uses undici's `dispatch`, the layer below `request`, because the body then passes no Node stream.
 *
 * This module imports undici, which takes some 80 ms: import it dynamically, with the first call.
 *
 * @throws CallFailure of kind `aborted`, `timeout` or `network`
 */
export function send(request: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
  const { origin, pathname, search } = new URL(url);
  const exchange = new Exchange(request, origin);
  if (!signal.aborted) agent.dispatch({ origin, path: pathname + search, method, headers, body }, exchange);
  return exchange.response;
}

export function cancelled(origin: string): CallFailure {
  return new CallFailure(modelError('aborted', `The call to ${origin} was cancelled.`));
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

/** One request and its response: owns the timer, the abort listener and, until `read` is called, the buffered pieces. */
class Exchange implements Dispatcher.DispatchHandler, HttpBody {
  readonly #request: HttpRequest;
  readonly #origin: string;
  readonly #head = Promise.withResolvers<HttpResponse>();
  readonly #end = Promise.withResolvers<void>();
  #failure: { thrown: unknown } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout;
  readonly #waiting: Uint8Array[] = [];
  #onChunk: ((chunk: Uint8Array) => boolean) | undefined;
  /** The first piece of the body has come. */
  #started = false;
  /** undici has finished the response. */
  #ended = false;
  /** The promise of `read` has settled. */
  #settled = false;

  constructor(request: HttpRequest, origin: string) {
    this.#request = request;
    this.#origin = origin;
    this.#timer = this.#startTimer(request.firstByteTimeoutMs);
    if (request.signal.aborted) this.#onAbort();
    else request.signal.addEventListener('abort', this.#onAbort);
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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) this.#disconnect();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpHeaders): void {
    if (status >= 200) this.#head.resolve({ status, headers, body: this });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#settled) return;
    this.#onSignOfLife();
    if (this.#onChunk) this.#deliver(chunk);
    else this.#waiting.push(chunk);
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#settle();
    this.#end.resolve();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#ended = true;
    if (this.#settled) clearTimeout(this.#timer);
    else this.#fail(networkFailure(error, this.#origin));
  }

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
    this.#controller?.abort(new Error('The call is over.'));
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
    const message = this.#started
      ? `${this.#origin} sent nothing more for ${idleTimeoutMs} ms.`
      : `${this.#origin} did not begin to answer within ${firstByteTimeoutMs} ms.`;
    this.#fail(new CallFailure(modelError('timeout', message)));
  };
}
