import type { ModelAnswer } from '../../protocol/content.ts';
import type { GenerateOptions, ModelRequest } from '../../protocol/ports.ts';
import type { ClientOptions, JsonClient } from '../wire/json-client.ts';
import { CallFailure } from '../wire/model-error.ts';
import { checkedURL, checkHeaders, type ProviderOptions, withoutKey } from '../wire/provider-options.ts';
import type { GivenClient, Question } from './given-client.ts';

export interface ConnectionOptions extends ProviderOptions {
  /** The URL up to the wire's own path: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  baseURL: string;
  /** Makes the calls in place of our own client. */
  client?: GivenClient;
}

/** A connection to a server of one of OpenAI's wires. Loads what sends requests on the first call. */
export class Connection {
  readonly origin: string;
  readonly hostname: string;
  readonly #options: ClientOptions;
  readonly #wholeTimeoutMs: number;
  readonly #given: GivenClient | undefined;
  #client: Promise<JsonClient> | undefined;

  /** @throws DetentError `INVALID_BASE_URL`, `INVALID_HEADER` */
  constructor(options: ConnectionOptions) {
    const { baseURL, apiKey, headers = {}, firstByteTimeoutMs = 120_000, idleTimeoutMs = 120_000 } = options;
    const { origin, hostname } = checkedURL(baseURL, 'https://api.openai.com/v1');
    checkHeaders(options);
    this.origin = origin;
    this.hostname = hostname;
    const { fetch } = options;
    this.#options = { baseURL, apiKey, headers, firstByteTimeoutMs, idleTimeoutMs, ...(fetch && { fetch }) };
    this.#given = options.client;
    this.#wholeTimeoutMs = options.wholeTimeoutMs ?? 600_000;
  }

  /** Makes one call. A failure is in the answer's `error`, beside the partial answer. */
  async ask(
    question: Question,
    request: ModelRequest,
    { signal, idempotencyKey }: Pick<GenerateOptions, 'signal' | 'idempotencyKey'>,
  ): Promise<ModelAnswer> {
    const { path, body, answer } = question;
    const { model, stream } = request;
    const { apiKey, idleTimeoutMs, firstByteTimeoutMs } = this.#options;
    if (this.#given) {
      const { askClient } = await import('./given-client.ts');
      return askClient(this.#given, this.origin, question, request, {
        signal,
        idempotencyKey,
        idleTimeoutMs,
        firstByteTimeoutMs: stream === false ? this.#wholeTimeoutMs : firstByteTimeoutMs,
      });
    }
    this.#client ??= connect(this.#options);
    const client = await this.#client;
    try {
      const response = await client.post(path, body, {
        signal,
        idempotencyKey,
        ...(stream === false && { firstByteTimeoutMs: this.#wholeTimeoutMs }),
      });
      await response.body.read((chunk) => answer.feed(chunk));
      return withoutKey(answer.finish(model), apiKey);
    } catch (thrown) {
      if (!(thrown instanceof CallFailure)) throw thrown;
      return withoutKey(answer.finish(model, thrown.error), apiKey);
    }
  }
}

/** Loads what sends requests with the first call. */
async function connect(options: ClientOptions): Promise<JsonClient> {
  const { openAIClient } = await import('./openai-client.ts');
  return openAIClient(options);
}
