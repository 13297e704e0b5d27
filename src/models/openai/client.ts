import type { OpenAI } from 'openai';
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

export interface OpenAIClient {
  /**
   * Posts JSON and resolves with a 2xx response whose body is still to be read.
   *
   * @param path from the base URL on: `/chat/completions`
   * @throws CallFailure for every other status, and when no response came
   */
  post(path: string, body: JsonObject, options: PostOptions): Promise<HttpResponse>;
}

/** Loads the OpenAI SDK, whose import takes longer than the rest of a start, and puts it on our transport. */
export async function connectOpenAI(options: OpenAIClientOptions): Promise<OpenAIClient> {
  const client = new (await loadClientClass())(options);
  const { origin } = new URL(options.baseURL);
  return {
    async post(path, body, { signal, idempotencyKey }) {
      const call = client.post(path, { body, signal, idempotencyKey, stream: true });
      try {
        return wireOf(await call.asResponse());
      } catch (thrown) {
        throw signal.aborted ? cancelled(origin) : failureIn(thrown);
      }
    },
  };
}

/** What the SDK gets to see: that a 2xx answer came. The body stays with us, as bytes. */
class WireResponse extends Response {
  readonly wire: HttpResponse;

  constructor(wire: HttpResponse) {
    super(null, { status: wire.status });
    this.wire = wire;
  }
}

/** More of an error body than this says nothing more. */
const errorBodyBytes = 64 * 1024;

type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;
type Prepared = { built: Built; request: Omit<HttpRequest, 'body' | 'signal'> };
type PreparedInit = Built['req'] & { http: HttpRequest };

async function loadClientClass() {
  const { OpenAI } = await import('openai');

  return class Client extends OpenAI {
    readonly #options: OpenAIClientOptions;
    readonly #prepared = new Map<string, Promise<Prepared>>();

    constructor(options: OpenAIClientOptions) {
      const { baseURL, apiKey, headers } = options;
      super({
        baseURL,
        // Left out, the SDK would take them from the environment and send them to any server.
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

    override async buildRequest(call: Parameters<OpenAI['buildRequest']>[0]): Promise<Built> {
      const { path, body, idempotencyKey = '', signal } = call;
      const prepared = this.#prepared.get(path) ?? this.#prepare(call);
      this.#prepared.set(path, prepared);
      const { built, request } = await prepared;
      const headers = { ...request.headers, 'idempotency-key': encodeURI(idempotencyKey.toWellFormed()) };
      const http = {
        ...request,
        headers,
        body: JSON.stringify(body),
        signal: signal ?? new AbortController().signal,
      };
      return { ...built, req: { ...built.req, http } as PreparedInit };
    }

    /** URL, authentication and headers are the same in every call, and making them is half of the SDK's time. */
    async #prepare(call: Parameters<OpenAI['buildRequest']>[0]): Promise<Prepared> {
      const { firstByteTimeoutMs, idleTimeoutMs } = this.#options;
      const built = await super.buildRequest({ ...call, body: {} });
      // The SDK tells every server our operating system, processor and Node version.
      const headers = Object.fromEntries(
        [...built.req.headers].filter(([name]) => !name.startsWith('x-stainless-')),
      );
      return {
        built,
        request: { url: built.url, method: 'POST', headers, firstByteTimeoutMs, idleTimeoutMs },
      };
    }

    /** The SDK's errors drop every body that is not `{error: …}`, so it never gets to see a failed answer. */
    override async fetchWithTimeout(_url: unknown, init: unknown): Promise<Response> {
      const { http } = init as PreparedInit;
      const wire = await send(http);
      if (wire.status < 300) return new WireResponse(wire);
      // A body that breaks off does not hide the status.
      const body = await readText(wire.body, errorBodyBytes).catch(() => '');
      const { origin } = new URL(http.url);
      throw new CallFailure(httpError({ status: wire.status, headers: wire.headers, body, origin }));
    }
  };
}

function wireOf(response: Response): HttpResponse {
  if (response instanceof WireResponse) return response.wire;
  throw new TypeError('The OpenAI SDK answered with a response that is not ours.');
}

/** The SDK wraps what the transport throws in errors of its own. */
function failureIn(thrown: unknown): unknown {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof CallFailure ? cause : thrown;
}
