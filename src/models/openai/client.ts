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

/**
 * The OpenAI SDK on our transport. The SDK makes URL, authentication and headers; the body of the answer stays with us,
 * as bytes.
 *
 * This module imports the SDK, which takes 80 ms: import it only where a call is about to be made.
 */
export class OpenAIClient {
  readonly #sdk: TransportedOpenAI;
  readonly #origin: string;

  constructor(options: OpenAIClientOptions) {
    this.#sdk = new TransportedOpenAI(options);
    this.#origin = new URL(options.baseURL).origin;
  }

  /**
   * Posts JSON and resolves with a 2xx response whose body is still to be read.
   *
   * @param path from the base URL on: `/chat/completions`
   * @throws CallFailure for every other status, and when no response came
   */
  async post(path: string, body: JsonObject, { signal, idempotencyKey }: PostOptions): Promise<HttpResponse> {
    try {
      const response = await this.#sdk
        .post(path, { body, signal, idempotencyKey, stream: true })
        .asResponse();
      return (response as WireResponse).wire;
    } catch (thrown) {
      if (signal.aborted) throw cancelled(this.#origin);
      // The SDK wraps what the transport throws in errors of its own.
      throw thrown instanceof Error && thrown.cause instanceof CallFailure ? thrown.cause : thrown;
    }
  }
}

/** What the SDK gets to see: that a 2xx answer came. */
class WireResponse extends Response {
  readonly wire: HttpResponse;

  constructor(wire: HttpResponse) {
    super(null, { status: wire.status });
    this.wire = wire;
  }
}

/** More of an error body than this says nothing more. */
const errorBodyBytes = 64 * 1024;

type Call = Parameters<OpenAI['buildRequest']>[0];
type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;

/** What stays the same in every call to one path. */
interface Prepared {
  built: Built;
  http: Omit<HttpRequest, 'body' | 'signal'>;
}

class TransportedOpenAI extends OpenAI {
  readonly #options: OpenAIClientOptions;
  readonly #prepared = new Map<string, Promise<Prepared>>();

  constructor(options: OpenAIClientOptions) {
    const { baseURL, apiKey, headers } = options;
    super({
      baseURL,
      // What is left out here the SDK takes from the environment and sends to any server.
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      defaultHeaders: { ...(apiKey === null && { authorization: null }), ...headers },
      maxRetries: 0,
      logLevel: 'off',
    });
    this.#options = options;
  }

  override async buildRequest(call: Call): Promise<Built> {
    const { path, body, idempotencyKey, signal } = call;
    const prepared = this.#prepared.get(path) ?? this.#prepare(call);
    this.#prepared.set(path, prepared);
    const { built, http } = await prepared;
    const headers = { ...http.headers };
    if (idempotencyKey) headers['idempotency-key'] = encodeURI(idempotencyKey.toWellFormed());
    return {
      ...built,
      // The signal too is this call's own: the SDK refuses to send when that of the first call was aborted.
      req: { ...built.req, signal, http: { ...http, headers, body: JSON.stringify(body), signal } } as Built['req'],
    };
  }

  /** Made once, because making URL, authentication and headers is half of the SDK's time. */
  async #prepare(call: Call): Promise<Prepared> {
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#options;
    const built = await super.buildRequest({ ...call, body: {} });
    // The SDK tells every server our operating system, processor and Node version.
    const kept = [...built.req.headers].filter(([name]) => !name.startsWith('x-stainless-'));
    const headers = Object.fromEntries(kept);
    return { built, http: { url: built.url, method: 'POST', headers, firstByteTimeoutMs, idleTimeoutMs } };
  }

  /** The SDK's errors drop every body that is not `{error: …}`, so it never gets to see a failed answer. */
  override async fetchWithTimeout(_url: unknown, init: unknown): Promise<Response> {
    const { http } = init as { http: HttpRequest };
    const wire = await send(http);
    if (wire.status < 300) return new WireResponse(wire);
    // A body that breaks off does not hide the status.
    const body = await readText(wire.body, errorBodyBytes).catch(() => '');
    const { origin } = new URL(http.url);
    throw new CallFailure(httpError({ status: wire.status, headers: wire.headers, body, origin }));
  }
}
