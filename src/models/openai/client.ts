import { OpenAI } from 'openai';
import type { JsonObject } from '../../protocol/json.ts';
import { httpError } from '../http-error.ts';
import { CallFailure } from '../model-error.ts';
import { cancelled, type HttpRequest, type HttpResponse, readText, send } from '../transport.ts';

export interface OpenAIClientOptions {
  /** As the OpenAI SDK takes it: `https://api.openai.com/v1`. */
  baseURL: string;
  /** Null sends no Authorization header, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over the SDK's own. */
  headers: Readonly<Record<string, string>>;
  /** From the start of a call to the first byte of the body. */
  firstByteTimeoutMs: number;
  /** Between two pieces of the body. */
  idleTimeoutMs: number;
}

export interface PostOptions {
  signal: AbortSignal;
  idempotencyKey: string;
}

/** What stays the same in every call to one path. */
type Prepared = Pick<HttpRequest, 'url' | 'headers'>;

/** More of an error body than this says nothing more. */
const errorBodyBytes = 64 * 1024;

/**
 * The OpenAI SDK on our transport. The SDK makes URL, authentication and headers, once for each path, as that takes half
 * of its time; sending, time-outs and errors are ours, and the body of the answer stays bytes.
 *
 * This module imports the SDK, which takes 80 ms: import it only where a call is about to be made.
 */
export class OpenAIClient {
  readonly #sdk: OpenAI;
  readonly #origin: string;
  readonly #timeouts: Pick<HttpRequest, 'firstByteTimeoutMs' | 'idleTimeoutMs'>;
  readonly #prepared = new Map<string, Promise<Prepared>>();

  constructor(options: OpenAIClientOptions) {
    const { baseURL, apiKey, headers, firstByteTimeoutMs, idleTimeoutMs } = options;
    this.#sdk = new OpenAI({
      baseURL,
      // What is left out here the SDK takes from the environment and sends to any server.
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      defaultHeaders: { ...(apiKey === null && { authorization: null }), ...headers },
      logLevel: 'off',
    });
    this.#origin = new URL(baseURL).origin;
    this.#timeouts = { firstByteTimeoutMs, idleTimeoutMs };
  }

  /**
   * Posts JSON and resolves with a 2xx response whose body is still to be read.
   *
   * @param path from the base URL on: `/chat/completions`
   * @throws CallFailure for every other status, and when no response came
   */
  async post(path: string, body: JsonObject, { signal, idempotencyKey }: PostOptions): Promise<HttpResponse> {
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
    });
    if (response.status < 300) return response;
    throw await this.#refused(response, signal);
  }

  async #prepare(path: string): Promise<Prepared> {
    const { url, req } = await this.#sdk.buildRequest({ method: 'post', path, body: {}, stream: true });
    // The SDK tells every server our operating system, processor and Node version.
    const kept = [...req.headers].filter(([name]) => !name.startsWith('x-stainless-'));
    return { url, headers: Object.fromEntries(kept) };
  }

  async #refused({ status, headers, body }: HttpResponse, signal: AbortSignal): Promise<CallFailure> {
    // A body that breaks off does not hide the status.
    const text = await readText(body, errorBodyBytes).catch(() => '');
    if (signal.aborted) return cancelled(this.#origin);
    return new CallFailure(httpError({ status, headers, body: text, origin: this.#origin }));
  }
}
