import type { ModelToolCall } from '../../protocol/content.ts';
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { ModelRequest, PromptMessage, ToolSpec } from '../../protocol/ports.ts';
import type { Quirks } from '../catalogue/quirks.ts';
import { withOutputInstruction } from '../wire/output-instruction.ts';
import { isWellFormed } from '../wire/well-formed.ts';
import { CallIds } from './call-ids.ts';
import { callToSend, clean, type SentArguments } from './call-to-send.ts';
import { partsBehindResults, userContent } from './chat-parts.ts';
import { schemaFormat } from './strict-schema.ts';

/** How a request asks the server for its output schema, by the quirks. The prompt does it alone where a schema cannot go. */
export function outputModeOf({ output, tools }: ModelRequest, quirks: Quirks): Quirks['output'] {
  if (!output || (tools.length > 0 && !quirks.outputWithTools)) return 'none';
  // Servers take only objects.
  return output.schema.type === 'object' ? quirks.output : 'none';
}

/**
 * Builds the body of `POST /chat/completions`, for a streamed answer unless the request says otherwise.
 *
 * @param mode how to ask for the output schema, if there is one
 * @param known arguments of calls in earlier requests of the same conversation
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatRequestBody(
  asked: ModelRequest,
  quirks: Quirks,
  mode: Quirks['output'] = outputModeOf(asked, quirks),
  known: SentArguments = new WeakMap(),
): JsonObject {
  const request = mode === 'enforced' ? asked : withOutputInstruction(asked);
  const { model, messages, tools, maxOutputTokens, reasoningEffort, stream = true } = request;
  const setting = {
    offered: new Set(tools.map((tool) => tool.name)),
    ids: new CallIds(quirks.callIds),
    quirks,
    known,
  };
  const sent = partsBehindResults(messages)
    .map((message) => wireMessage(message, setting))
    .filter((message) => message !== null);
  const { parallelCalls } = quirks;
  return {
    model,
    messages: inTurns(sent, quirks.turns),
    stream,
    ...(stream && quirks.streamUsage && { stream_options: { include_usage: true } }),
    // OpenAI and Mistral refuse an empty list.
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...(tools.length > 0 && parallelCalls !== null && { parallel_tool_calls: parallelCalls }),
    ...responseFormat(request, mode),
    ...(maxOutputTokens !== undefined && { [quirks.maxTokensField]: maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  };
}

function responseFormat({ output }: ModelRequest, mode: Quirks['output']): JsonObject {
  if (!output || mode === 'none') return {};
  if (mode === 'object') return { response_format: { type: 'json_object' } };
  const format = schemaFormat(output, mode === 'enforced');
  return { response_format: { type: 'json_schema', json_schema: format } };
}

/** What the messages of one request share. */
interface Setting {
  /** Names of the tools that the request offers. */
  offered: ReadonlySet<string>;
  ids: CallIds;
  quirks: Quirks;
  known: SentArguments;
}

function wireMessage(message: PromptMessage, setting: Setting): JsonObject | null {
  switch (message.role) {
    case 'system':
      return { role: setting.quirks.systemRole, content: clean(message.text) };
    case 'user':
      return { role: message.role, content: userContent(message.text, message.parts) };
    case 'tool': {
      const id = setting.ids.forResult(message.toolCallId);
      return { role: 'tool', tool_call_id: id, content: clean(message.text) };
    }
    case 'assistant':
      return wireAssistant(message, setting);
  }
}

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Null for an empty answer, or one of reasoning only: Moonshot and others refuse an empty assistant message. */
function wireAssistant(message: AssistantMessage, setting: Setting): JsonObject | null {
  const { text, toolCalls } = message;
  const { reasoning, noText } = setting.quirks;
  const details = reasoning === 'never' ? null : reasoningDetails(message);
  if (text === '' && toolCalls.length === 0 && details === null) return null;
  const thoughts = reasoningToSend(message, reasoning);
  const extras = callExtras(message);
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 && noText === 'null' ? null : clean(text),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call, i) => ({ ...wireCall(call, setting), ...extras[i] })),
    }),
    ...(thoughts !== null && { reasoning_content: clean(thoughts) }),
    ...(details && { reasoning_details: details }),
  };
}

/** The `reasoning_content` to send back to the provider that made it; null for none. See {@link Quirks.reasoning}. */
function reasoningToSend(
  { reasoning, toolCalls, providerData }: AssistantMessage,
  quirk: Quirks['reasoning'],
): string | null {
  const isOwn = providerData?.reasoning_field === 'reasoning_content';
  if (quirk === 'never') return null;
  if (quirk === 'withCalls') return isOwn && toolCalls.length > 0 ? reasoning : null;
  if (isOwn) return reasoning;
  return toolCalls.length > 0 ? '' : null;
}

/** OpenRouter and Vercel need these back unchanged: they hold signatures and encrypted reasoning. */
function reasoningDetails({ providerData }: AssistantMessage): JsonValue[] | null {
  const details = providerData?.reasoning_details;
  return Array.isArray(details) && details.length > 0 && isWellFormed(details) ? details : null;
}

/** Gemini refuses a call of its own without its signature: https://ai.google.dev/gemini-api/docs/thought-signatures */
function callExtras({ providerData }: AssistantMessage): JsonObject[] {
  const extras = providerData?.call_extras;
  if (!Array.isArray(extras) || !isWellFormed(extras)) return [];
  return extras.map((extra): JsonObject => (isObject(extra) ? { extra_content: extra } : {}));
}

function wireCall(call: ModelToolCall, { offered, ids, known }: Setting): JsonObject {
  const { id, name, arguments: text } = callToSend(call, offered, known);
  return { id: ids.forCall(id), type: 'function', function: { name, arguments: text } };
}

function wireTool({ name, description, parameters }: ToolSpec): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}

/** A placeholder answer for strict servers, after a run was stopped or behind a result with images. */
const noAnswer = '(No answer yet.)';

/** Brings messages into the order that a server wants; see {@link Quirks.turns}. */
function inTurns(messages: readonly JsonObject[], turns: Quirks['turns']): JsonObject[] {
  if (turns === 'free') return [...messages];
  const ordered: JsonObject[] = [];
  for (const message of messages) {
    const last = ordered.at(-1);
    const isUser = message.role === 'user';
    if (isUser && last?.role === 'tool') ordered.push({ role: 'assistant', content: noAnswer });
    if (isUser && last?.role === 'user' && turns === 'alternating')
      ordered.splice(-1, 1, { ...last, content: joined(last.content, message.content) });
    else ordered.push(message);
  }
  return ordered;
}

/** Content is text, or a list of parts where there are images. */
function joined(first: unknown, second: unknown): JsonObject['content'] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) =>
    Array.isArray(content) ? content : [{ type: 'text', text: String(content) }],
  );
}
