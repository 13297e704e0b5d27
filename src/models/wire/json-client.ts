import type { JsonObject } from '../../protocol/json.ts';
import { httpError } from './http-error.ts';
import { CallFailure } from './model-error.ts';
import { cancelled, type HttpRequest, type HttpResponse, readText, send } from './transport.ts';

export interface Timeouts {
  /** From the start of a call to the first byte of the body. */
  firstByteTimeoutMs: number;
  /** Between two pieces of the body. */
  idleTimeoutMs: number;
}

/** What stays the same in every call to one path. */
export type Prepared = Pick<HttpRequest, 'url' | 'headers'>;

export interface PostOptions {
  signal: AbortSignal;
  idempotencyKey: string;
  /** Instead of the client's own. */
  firstByteTimeoutMs?: number;
}

/** More of an error body than this says nothing more. */
const errorBodyBytes = 64 * 1024;

/**
 * Posts JSON on our transport with what a provider's SDK makes: URL, authentication and headers, once for each path, as
 * that takes half of an SDK's time. Sending, time-outs and errors are ours, and the body of the answer stays bytes.
 */
export class JsonClient {
  readonly #origin: string;
  readonly #timeouts: Timeouts;
  readonly #prepare: (path: string) => Promise<Prepared>;
  readonly #prepared = new Map<string, Promise<Prepared>>();

  /** @param prepare asks the SDK; `path` counts from the base URL on */
  constructor(origin: string, timeouts: Timeouts, prepare: (path: string) => Promise<Prepared>) {
    this.#origin = origin;
    this.#timeouts = timeouts;
    this.#prepare = prepare;
  }

  /**
   * Resolves with a 2xx response whose body is still to be read.
   *
   * @throws CallFailure for every other status, and when no response came
   */
  async post(path: string, body: JsonObject, options: PostOptions): Promise<HttpResponse> {
    const { signal, idempotencyKey, firstByteTimeoutMs } = options;
    const prepared = this.#prepared.get(path) ?? this.#prepare(path);
    this.#prepared.set(path, prepared);
    const { url, headers } = await prepared;
    const response = await send({
      method: 'POST',
      url,
      headers: { ...headers, 'idempotency-key': encodeURI(idempotencyKey.toWellFormed()) },
      body: JSON.stringify(body),
      signal,
      ...this.#timeouts,
      ...(firstByteTimeoutMs !== undefined && { firstByteTimeoutMs }),
    });
    if (response.status < 300) return response;
    throw await this.#refused(response, signal);
  }

  async #refused({ status, headers, body }: HttpResponse, signal: AbortSignal): Promise<CallFailure> {
    // A body that breaks off does not hide the status.
    const text = await readText(body, errorBodyBytes).catch(() => '');
    if (signal.aborted) return cancelled(this.#origin);
    return new CallFailure(httpError({ status, headers, body: text, origin: this.#origin }));
  }
}
