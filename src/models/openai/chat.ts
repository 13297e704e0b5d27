import type { ChatModel } from '../../agent/chat-model.ts';
import type { ModelAnswer } from '../../protocol/answer.ts';
import { DetentError } from '../../protocol/error.ts';
import { CallFailure } from '../model-error.ts';
import { ChatBody } from './chat-body.ts';
import { chatRequestBody } from './chat-request.ts';
import type { OpenAIClient, OpenAIClientOptions } from './client.ts';
import { dialectOf } from './dialect.ts';

export interface OpenAIChatOptions {
  /** With the path before `/chat/completions`: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  baseURL: string;
  /** Null for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
  /** From the start of a call to the first byte of its answer. Default 120,000. */
  firstByteTimeoutMs?: number;
  /** The longest silence inside an answer. Default 120,000. */
  idleTimeoutMs?: number;
}

/**
 * A provider of chat models over the chat-completions protocol: OpenAI, and every server compatible with it.
 *
 * The request is made by the `openai` SDK, loaded on the first call; the answer is read by our own accumulator.
 *
 * @throws DetentError `INVALID_BASE_URL`, or `INVALID_HEADER` when HTTP cannot carry the key or a header
 * @example
 * ```ts
 * const moonshot = createOpenAIChat({ baseURL: 'https://api.moonshot.ai/v1', apiKey: process.env.MOONSHOT_API_KEY ?? null });
 * const answer = await moonshot.generate({ model: 'kimi-k2', messages, tools: [] }, options);
 * ```
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function createOpenAIChat(options: OpenAIChatOptions): ChatModel {
  const { baseURL, apiKey, headers = {}, firstByteTimeoutMs = 120_000, idleTimeoutMs = 120_000 } = options;
  const { origin, hostname } = checkedURL(baseURL);
  checkHeaders({ ...headers, ...(apiKey !== null && { 'API key': apiKey }) });
  const dialect = dialectOf(hostname);
  let connecting: Promise<OpenAIClient> | undefined;

  return {
    async generate(request, { signal, idempotencyKey, onDelta }) {
      const requestBody = chatRequestBody(request, dialect);
      const body = new ChatBody({ origin, onDelta });
      connecting ??= connect({ baseURL, apiKey, headers, firstByteTimeoutMs, idleTimeoutMs });
      const client = await connecting;
      try {
        const response = await client.post('/chat/completions', requestBody, { signal, idempotencyKey });
        await response.body.read((chunk) => body.feed(chunk));
        return withoutSecrets(body.finish(request.model));
      } catch (thrown) {
        if (!(thrown instanceof CallFailure)) throw thrown;
        return withoutSecrets(body.finish(request.model, thrown.error));
      }
    },
  };

  /** Some servers repeat the key they refuse. */
  function withoutSecrets(answer: ModelAnswer): ModelAnswer {
    const { error } = answer;
    if (!error || !apiKey || !error.message.includes(apiKey)) return answer;
    return { ...answer, error: { ...error, message: error.message.replaceAll(apiKey, '***') } };
  }
}

/** The SDK and undici are imported with the first call: together they take longer than the rest of a start. */
async function connect(options: OpenAIClientOptions): Promise<OpenAIClient> {
  const { OpenAIClient } = await import('./client.ts');
  return new OpenAIClient(options);
}

function checkedURL(baseURL: string): URL {
  const url = URL.parse(baseURL);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new DetentError(
    'INVALID_BASE_URL',
    `The base URL "${baseURL}" is no http(s) address. Give one like https://api.openai.com/v1.`,
    { details: { baseURL } },
  );
}

/** Found here, because later the HTTP library would put the value, often a key, into its message. */
function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new DetentError(
      'INVALID_HEADER',
      `The value of "${name}" holds a line break or another character that HTTP headers cannot carry.`,
      { details: { name } },
    );
  }
}
