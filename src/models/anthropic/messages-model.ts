import type { ModelAnswer } from '../../protocol/content.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ChatModel, ModelRequest, OutputSpec, Thinking } from '../../protocol/ports.ts';
import { AnswerBody } from '../wire/answer-body.ts';
import { closedSchema } from '../wire/closed-schema.ts';
import type { JsonClient } from '../wire/json-client.ts';
import { CallFailure } from '../wire/model-error.ts';
import { mayHaveRefusedFormat } from '../wire/output-refused.ts';
import { checkedURL, checkHeaders, type ProviderOptions, withoutKey } from '../wire/provider-options.ts';
import type { AnthropicClientOptions } from './anthropic-client.ts';
import { MessageAnswer } from './message-answer.ts';
import { messagesRequestBody } from './messages-request.ts';

interface MessagesModelOptions extends ProviderOptions {
  /** The URL up to `/v1/messages`: `https://api.anthropic.com`. A `/v1` at its end is ignored. */
  baseURL: string;
  /** Maximum tokens of an answer, for calls without a limit. Default 32,000 for Claude, less for its oldest and others. */
  maxTokens?: number;
  /** The `anthropic-version` header. Default: the newest at Anthropic; elsewhere `2023-06-01`, which all servers know. */
  version?: string;
  /** Whether cache breakpoints mark the stable part of every prompt. Default true. */
  promptCaching?: boolean;
  /** Whether the server takes output schemas. Default: at Anthropic, for the models that do. */
  structuredOutputs?: boolean;
  /** How the model thinks before it answers, for calls without their own setting. Default: the model decides. */
  thinking?: Thinking;
}

/** Maximum pauses in one answer: a server that pauses more often would probably never end. */
const maxPauses = 8;

/**
 * A provider of chat models over the Anthropic messages wire: Anthropic, and every server compatible with it.
 *
 * The answer is read by our own accumulator. When the server pauses a long turn (`pause_turn`), the client sends the turn back and the same answer continues. When it
 * refuses a request with an output format, the client repeats it without: the prompt then asks for the JSON.
 *
 * @throws DetentError `INVALID_BASE_URL`, or `INVALID_HEADER` when HTTP cannot carry the key or a header
 * @example
 * ```ts
 * const anthropic = createMessagesModel({ baseURL: 'https://api.anthropic.com', apiKey: process.env.ANTHROPIC_API_KEY ?? null });
 * const answer = await anthropic.generate({ model: 'claude-sonnet-4-5', messages, tools: [] }, options);
 * ```
 * @see https://docs.claude.com/en/api/messages
 */
export function createMessagesModel(options: MessagesModelOptions): ChatModel {
  const { baseURL, apiKey, headers = {}, firstByteTimeoutMs = 120_000, idleTimeoutMs = 120_000 } = options;
  const { wholeTimeoutMs = 600_000, maxTokens = null, promptCaching = true, thinking = null } = options;
  const { origin, hostname } = checkedURL(baseURL, 'https://api.anthropic.com');
  checkHeaders(options);
  const limits = { firstByteTimeoutMs, idleTimeoutMs, ...(options.fetch && { fetch: options.fetch }) };
  const version = options.version ?? (isAnthropic(hostname) ? null : '2023-06-01');
  let connecting: Promise<JsonClient> | undefined;
  /** Models that refused an output format. */
  const withoutFormat = new Set<string>();
  const formatOf = async ({ model, output }: ModelRequest): Promise<JsonObject | null> => {
    const { structuredOutputs = isAnthropic(hostname) && hasStructuredOutputs(model) } = options;
    if (!output || !structuredOutputs || withoutFormat.has(model)) return null;
    return outputFormat(output);
  };

  return {
    nativeOutput: true,
    async generate(request, { signal, idempotencyKey, onDelta }) {
      let answer = new MessageAnswer(origin, onDelta);
      connecting ??= connect({ baseURL, apiKey, headers, version, ...limits });
      const client = await connecting;
      const timeout = request.stream === false ? { firstByteTimeoutMs: wholeTimeoutMs } : {};
      const ask = async (requestBody: JsonObject, key: string): Promise<ModelAnswer> => {
        const body = new AnswerBody(answer, { origin, kind: 'message' });
        try {
          const options = { signal, idempotencyKey: key, ...timeout };
          const response = await client.post('/v1/messages', requestBody, options);
          await response.body.read((chunk) => body.feed(chunk));
          return body.finish(request.model);
        } catch (thrown) {
          if (!(thrown instanceof CallFailure)) throw thrown;
          return body.finish(request.model, thrown.error);
        }
      };

      const dialect = { maxTokens, promptCaching, thinking };
      const format = await formatOf(request);
      let requestBody = messagesRequestBody(request, dialect, format);
      let made = await ask(requestBody, idempotencyKey);
      if (format && mayHaveRefusedFormat(made)) {
        answer = new MessageAnswer(origin, onDelta);
        requestBody = messagesRequestBody(request, dialect);
        // Under the same idempotency key a server might repeat its refusal.
        made = await ask(requestBody, `${idempotencyKey}:f`);
        if (!made.error) withoutFormat.add(request.model);
      }
      for (let pause = 1; answer.isPaused && !made.error && pause <= maxPauses; pause++) {
        requestBody = withTurnSoFar(requestBody, answer.resume());
        // Under the same idempotency key a server might repeat the first answer.
        made = await ask(requestBody, `${idempotencyKey}:${pause}`);
      }
      return withoutKey(made, apiKey);
    },
  };
}

/** The same request with the turn so far appended. */
function withTurnSoFar(requestBody: JsonObject, content: JsonObject[]): JsonObject {
  const asked = (requestBody.messages as JsonObject[]).slice();
  if (asked.at(-1)?.role === 'assistant') asked.pop();
  return { ...requestBody, messages: [...asked, { role: 'assistant', content }] };
}

/** Loads what sends requests with the first call. */
async function connect(options: AnthropicClientOptions): Promise<JsonClient> {
  const { anthropicClient } = await import('./anthropic-client.ts');
  return anthropicClient(options);
}

function isAnthropic(hostname: string): boolean {
  return hostname === 'anthropic.com' || hostname.endsWith('.anthropic.com');
}

/** Claude models without structured outputs. All later ones have them. */
const without = /claude-(2|3|instant)|claude-(opus|sonnet)-4(-0|-1)?(-\d{8})?(-latest)?$/;

/**
 * Whether Anthropic holds the answers of this model to an output schema.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function hasStructuredOutputs(model: string): boolean {
  return model.includes('claude') && !without.test(model);
}

/**
 * An output schema as `output_config.format`; null where Anthropic cannot take it. The SDK's own function moves keywords
 * that the server does not know, as `maximum`, into descriptions: Detent validates the answer by the whole schema.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export async function outputFormat({ schema }: OutputSpec): Promise<JsonObject | null> {
  const closed = closedSchema(schema);
  if (!closed) return null;
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema');
  try {
    return { type: 'json_schema', schema: transformJSONSchema(closed) as JsonObject };
  } catch {
    // A schema without a type, for instance.
    return null;
  }
}
