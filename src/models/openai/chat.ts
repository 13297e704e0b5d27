import type { ModelDelta } from '../../protocol/content.ts';
import type { ChatModel } from '../../protocol/ports.ts';
import { quirksOf } from '../catalogue/presets.ts';
import type { Quirks } from '../catalogue/quirks.ts';
import { AnswerBody } from '../wire/answer-body.ts';
import type { AnswerBodyOptions } from '../wire/answer-reader.ts';
import { mayHaveRefusedFormat } from '../wire/output-refused.ts';
import type { SentArguments } from './call-to-send.ts';
import { ChatAnswer } from './chat-answer.ts';
import { chatRequestBody, outputModeOf } from './chat-request.ts';
import { Connection, type ConnectionOptions } from './connection.ts';

interface OpenAIChatOptions extends ConnectionOptions {
  /** Applies the quirks of the preset of this name. The host of the base URL also selects a preset. */
  provider?: string;
  /** Overrides of the preset's quirks. */
  quirks?: Partial<Quirks>;
}

/**
 * A provider of chat models over the chat-completions protocol: OpenAI, and every server compatible with it.
 *
 * The answer is read by our own accumulator. When the server refuses a request with an output format, the client repeats it without: the prompt then asks for the JSON.
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
  const connection = new Connection(options);
  const { origin, hostname } = connection;
  const quirks = quirksOf(hostname, options.provider, options.quirks);
  /** Models that refused an output format. */
  const withoutFormat = new Set<string>();
  const known: SentArguments = new WeakMap();
  return {
    nativeOutput: true,
    async generate(request, { onDelta, ...call }) {
      const { model } = request;
      let mode = withoutFormat.has(model) ? 'none' : outputModeOf(request, quirks);
      let { idempotencyKey } = call;
      for (let isAgain = false; ; isAgain = true) {
        const body = chatRequestBody(request, quirks, mode, known);
        const answer = new ChatBody({ origin, onDelta });
        const question = { path: '/chat/completions', body, answer };
        const made = await connection.ask(question, request, { ...call, idempotencyKey });
        if (isAgain && !made.error) withoutFormat.add(model);
        if (mode === 'none' || !mayHaveRefusedFormat(made)) return made;
        mode = 'none';
        // Under the same idempotency key a server might repeat its refusal.
        idempotencyKey = `${call.idempotencyKey}:2`;
      }
    },
  };
}

interface ChatBodyOptions extends Omit<AnswerBodyOptions, 'kind'> {
  onDelta(delta: ModelDelta): void;
}

/** Reads the body of a chat-completions response. */
export class ChatBody extends AnswerBody {
  constructor({ onDelta, ...options }: ChatBodyOptions) {
    super(new ChatAnswer(options.origin, onDelta), { ...options, kind: 'chat completion' });
  }
}
