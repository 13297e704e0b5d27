import type { ModelRequest, PromptMessage, ToolSpec } from '../../agent/chat-model.ts';
import type { ModelToolCall } from '../../protocol/answer.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { callToSend, clean } from './conversation.ts';
import type { Dialect } from './dialect.ts';

/**
 * Builds the body of `POST /chat/completions`, for a streamed answer unless the request says otherwise.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatRequestBody(request: ModelRequest, dialect: Dialect): JsonObject {
  const { model, messages, tools, maxOutputTokens, stream = true } = request;
  const offered = new Set(tools.map((tool) => tool.name));
  return {
    model,
    messages: messages.map((message) => wireMessage(message, offered)).filter((message) => message !== null),
    stream,
    ...(stream && dialect.streamOptions && { stream_options: { include_usage: true } }),
    // An empty list is refused by OpenAI and Mistral.
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...(maxOutputTokens !== undefined && { [dialect.maxTokensField]: maxOutputTokens }),
  };
}

function wireMessage(message: PromptMessage, offered: ReadonlySet<string>): JsonObject | null {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: clean(message.text) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: clean(message.text) };
    case 'assistant':
      return wireAssistant(message, offered);
  }
}

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Null for an answer of nothing, or of reasoning alone: Moonshot and others refuse an empty assistant message. */
function wireAssistant(message: AssistantMessage, offered: ReadonlySet<string>): JsonObject | null {
  const { text, toolCalls } = message;
  const details = reasoningDetails(message);
  if (text === '' && toolCalls.length === 0 && details === null) return null;
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : clean(text),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map((call) => wireCall(call, offered)) }),
    ...(needsReasoning(message) && { reasoning_content: clean(message.reasoning) }),
    ...(details && { reasoning_details: details }),
  };
}

/**
 * DeepSeek answers 400 when a message with tool calls comes back without the `reasoning_content` it was given with;
 * Mistral answers 422 when a message has that field at all. So it goes back only to a provider that made it.
 *
 * @see https://api-docs.deepseek.com/guides/thinking_mode
 */
function needsReasoning({ toolCalls, providerData }: AssistantMessage): boolean {
  return toolCalls.length > 0 && providerData?.reasoning_field === 'reasoning_content';
}

/** OpenRouter and Vercel want these back unchanged: they hold signatures and encrypted reasoning. */
function reasoningDetails({ providerData }: AssistantMessage): JsonValue[] | null {
  const details = providerData?.reasoning_details;
  return Array.isArray(details) && details.length > 0 ? details : null;
}

function wireCall(call: ModelToolCall, offered: ReadonlySet<string>): JsonObject {
  const { id, name, arguments: text } = callToSend(call, offered);
  return { id, type: 'function', function: { name, arguments: text } };
}

function wireTool({ name, description, parameters }: ToolSpec): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}
