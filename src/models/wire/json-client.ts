import type { JsonObject } from '../../protocol/json.ts';
import { type Fetch, sendBy } from './fetch-transport.ts';
import { httpError } from './http-error.ts';
import { CallFailure } from './model-error.ts';
import { cancelled, type HttpRequest, type HttpResponse, readText, send } from './transport.ts';

export interface ClientOptions {
  /** As the SDK of the wire takes it. */
  baseURL: string;
  /** Null sends no credentials, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over those that the API asks for. */
  headers: Readonly<Record<string, string>>;
  /** From the start of a call to the first byte of the body. */
  firstByteTimeoutMs: number;
  /** Between two pieces of the body. */
  idleTimeoutMs: number;
  fetch?: Fetch;
}

/** As it is sent: the URL is parsed once. */
interface Target {
  url: URL;
  headers: HttpRequest['headers'];
}

type Headers = Readonly<Record<string, string>>;

interface PostOptions {
  signal: AbortSignal;
  idempotencyKey: string;
  /** Overrides the client's own timeout. */
  firstByteTimeoutMs?: number;
}

/** Maximum of an error body that is read; the message is in its beginning. */
const errorBodyBytes = 64 * 1024;

/** Posts JSON on our transport, or by a `fetch` of the program. URL, authentication and headers are made once for each path; the body of the answer stays bytes. */
export class JsonClient {
  readonly #origin: string;
  readonly #timeouts: Pick<ClientOptions, 'firstByteTimeoutMs' | 'idleTimeoutMs'>;
  readonly #baseURL: string;
  readonly #layers: readonly Headers[];
  readonly #targets = new Map<string, Target>();
  readonly #send: (request: HttpRequest) => Promise<HttpResponse>;

  /** @param layers of headers; see {@link requestHead} */
  constructor(options: ClientOptions, layers: readonly Headers[]) {
    const { baseURL, fetch } = options;
    this.#origin = new URL(baseURL).origin;
    this.#timeouts = options;
    this.#baseURL = baseURL;
    this.#layers = layers;
    this.#send = fetch ? (request) => sendBy(fetch, request) : send;
  }

  /**
   * Resolves with a 2xx response whose body is still to be read.
   *
   * @throws CallFailure for every other status, and when no response came
   */
  async post(path: string, body: JsonObject, options: PostOptions): Promise<HttpResponse> {
    const { signal, idempotencyKey, firstByteTimeoutMs } = options;
    const { url, headers } = this.#targetOf(path);
    const response = await this.#send({
      method: 'POST',
      url,
      headers: { ...headers, 'idempotency-key': encodeURI(idempotencyKey.toWellFormed()) },
      body: JSON.stringify(body),
      signal,
      firstByteTimeoutMs: this.#timeouts.firstByteTimeoutMs,
      idleTimeoutMs: this.#timeouts.idleTimeoutMs,
      ...(firstByteTimeoutMs !== undefined && { firstByteTimeoutMs }),
    });
    if (response.status < 300) return response;
    throw await this.#refused(response, signal);
  }

  #targetOf(path: string): Target {
    const known = this.#targets.get(path);
    if (known) return known;
    const { url, headers } = requestHead(this.#baseURL, path, this.#layers);
    const target = { url: new URL(url), headers };
    this.#targets.set(path, target);
    return target;
  }

  async #refused({ status, headers, body }: HttpResponse, signal: AbortSignal): Promise<CallFailure> {
    // A body that breaks off must not hide the status.
    const text = await readText(body, errorBodyBytes).catch(() => '');
    if (signal.aborted) return cancelled(this.#origin);
    return new CallFailure(httpError({ status, headers, body: text, origin: this.#origin }));
  }
}

/**
 * URL and headers of a request to a path below the base URL, as the SDKs of OpenAI and Anthropic make them: a query of
 * the base URL stays, and a header of a later layer replaces the same one of an earlier, however it is written. A test
 * holds both equal to the SDKs.
 */
function requestHead(
  baseURL: string,
  path: string,
  layers: readonly Readonly<Record<string, string>>[],
): { url: string; headers: Record<string, string> } {
  const base = new URL(baseURL);
  const { search } = base;
  base.search = '';
  base.hash = '';
  const url = new URL(`${base.href.replace(/\/$/, '')}${path}${search}`);
  const headers = new Map<string, string>();
  // A key from a file often ends with a line break.
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer))
      headers.set(name.toLowerCase(), value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''));
  return { url: url.href, headers: Object.fromEntries([...headers].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
