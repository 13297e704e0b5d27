import Anthropic from '@anthropic-ai/sdk';
import { OpenAI } from 'openai';
import type { Outcome } from '../models/support/generate.ts';
import type { Wire } from '../models/support/recordings.ts';

/** What an SDK and we can both say of an answer. */
interface Reading {
  text: string;
  /** Arguments are parsed, as one of the SDKs gives them so; what is no JSON stays text. */
  calls: { id: string; name: string; arguments: unknown }[];
  usage: { input: number; output: number } | null;
}

type Read = (baseUrl: string) => Promise<Reading>;

/** Reads an answer with the stream helper of the provider's own SDK, which is made for that wire; throws as that does. */
export const sdkReaders: Readonly<Record<Wire, Read>> = {
  async 'openai-chat'(baseUrl) {
    const { chat } = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'k', maxRetries: 0, logLevel: 'off' });
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' } as const] };
    const stream = chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const { choices, usage } = await stream.finalChatCompletion();
    const message = choices[0]?.message;
    return {
      text: message?.content ?? '',
      calls: (message?.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.type === 'function' ? call.function.name : '',
        arguments: parsed(call.type === 'function' ? call.function.arguments : ''),
      })),
      usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null,
    };
  },

  async 'openai-responses'(baseUrl) {
    const { responses } = new OpenAI({
      baseURL: `${baseUrl}/v1`,
      apiKey: 'k',
      maxRetries: 0,
      logLevel: 'off',
    });
    const { output, usage } = await responses.stream({ model: 'm', input: 'Hi' }).finalResponse();
    const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    return {
      text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ id: item.call_id, name: item.name, arguments: parsed(item.arguments) }]
          : [],
      ),
      usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : null,
    };
  },

  async 'anthropic-messages'(baseUrl) {
    const { messages } = new Anthropic({ baseURL: baseUrl, apiKey: 'k', maxRetries: 0, logLevel: 'off' });
    const request = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' } as const] };
    const { content, usage } = await messages.stream(request).finalMessage();
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
      ),
      usage: {
        input: input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0),
        output: usage.output_tokens,
      },
    };
  },
};

/** The same of what we made of it. */
export function readingOf({ answer }: Outcome): Reading {
  const { text, toolCalls, usage } = answer;
  return {
    text,
    calls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: parsed(args) })),
    usage: usage && { input: usage.inputTokens, output: usage.outputTokens },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
