import { type ContentPart, dataUrl, withNames } from '../../../protocol/content.ts';
import { isObject, type JsonObject } from '../../../protocol/json.ts';
import type { ModelRequest, PromptMessage, ToolSpec } from '../../../protocol/ports.ts';
import { withOutputInstruction } from '../../wire/output-instruction.ts';
import { wellFormed } from '../../wire/well-formed.ts';
import { CallIds } from '../call-ids.ts';
import { callToSend, clean } from '../call-to-send.ts';
import { fileName } from '../chat-parts.ts';
import { fitsStrict, schemaFormat } from '../strict-schema.ts';
import { type AssistantMessage, historyHash, isUnanswered, recall, withoutInstructions } from './replay.ts';

/** Optional server features that a request relies on. More servers accept a request that relies on fewer. */
export interface Reliance {
  /** The server stores responses, so that later requests can begin after them. */
  store: boolean;
  /** Begin after the last response that the server has stored. */
  thread: boolean;
  /** Ask for reasoning in a form that can be sent back. */
  include: boolean;
  /** Send back the items of earlier answers that are neither text nor calls. */
  items: boolean;
  /** Make the server enforce tool schemas and output schemas, where they allow it. */
  strict: boolean;
  /** Ask the server for the output schema. */
  output: boolean;
}

/**
 * Builds the body of `POST /responses`, for a streamed answer unless the request says otherwise.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesRequestBody(asked: ModelRequest, reliance: Reliance): JsonObject {
  const { output } = asked;
  const format = output && reliance.output ? schemaFormat(output, reliance.strict) : null;
  // A server that does not enforce the schema may ignore it.
  const request = format && reliance.strict ? asked : withOutputInstruction(asked);
  const { model, messages, tools, maxOutputTokens, reasoningEffort, stream = true } = request;
  const { store, include } = reliance;
  const thread = reliance.thread ? findThread(messages, model) : null;
  const offered = new Set(tools.map((tool) => tool.name));
  // "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64"
  const ids = new CallIds('max64');
  const history = withoutInstructions(messages);
  const instructions = messages
    .slice(0, messages.length - history.length)
    .map(({ text }) => clean(text))
    .join('\n\n');
  const sent = thread?.messages ?? history;
  return {
    model,
    // Instructions apply to one response only, so every request sends them.
    ...(instructions !== '' && { instructions }),
    input: sent.flatMap((message) => inputItems(message, { model, offered, ids, items: reliance.items })),
    stream,
    store,
    ...(include && { include: ['reasoning.encrypted_content'] }),
    ...(thread && { previous_response_id: thread.id }),
    ...(tools.length > 0 && { tools: tools.map((tool) => wireTool(tool, reliance.strict)) }),
    ...(format && { text: { format: { type: 'json_schema', ...format } } }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort } }),
  };
}

interface Setting {
  model: string;
  offered: ReadonlySet<string>;
  ids: CallIds;
  items: boolean;
}

function inputItems(message: PromptMessage, setting: Setting): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ type: 'message', role: 'system', content: clean(message.text) }];
    case 'user':
      return [{ type: 'message', role: 'user', content: inputContent(message) }];
    case 'tool':
      return [
        {
          type: 'function_call_output',
          call_id: setting.ids.forResult(message.toolCallId),
          output: inputContent(message),
        },
      ];
    case 'assistant':
      return assistantItems(message, setting);
  }
}

function assistantItems(message: AssistantMessage, { model, offered, ids, items }: Setting): JsonObject[] {
  const kept = items ? recall(message, model)?.items : undefined;
  const calls = message.toolCalls.map((call) => wireCall({ ...call, id: ids.forCall(call.id) }, offered));
  const text = message.text === '' ? [] : [assistantText(message.text)];
  if (!Array.isArray(kept)) return [...text, ...calls];
  const isPending = isUnanswered(kept);
  const sent = kept
    .filter((item) => isObject(item) && !isPending(item))
    .flatMap((item) => {
      if (item.type === 'message') return [assistantText(String(item.text ?? message.text), item.phase)];
      if (item.type !== 'function_call') return [wellFormed(item)];
      const call = calls.shift();
      return call ? [{ ...item, ...call }] : [];
    });
  sent.push(...calls);
  // The server refuses reasoning that no text or call follows.
  while (sent.at(-1)?.type === 'reasoning') sent.pop();
  return sent;
}

function assistantText(text: string, phase?: unknown): JsonObject {
  const content = clean(text);
  return { type: 'message', role: 'assistant', content, ...(typeof phase === 'string' && { phase }) };
}

function wireCall(call: AssistantMessage['toolCalls'][number], offered: ReadonlySet<string>): JsonObject {
  const { id, name, arguments: text } = callToSend(call, offered);
  return { type: 'function_call', call_id: id, name, arguments: text };
}

/** Always sets `strict`: this wire's default is true, which makes every optional parameter a required one. */
function wireTool({ name, description, parameters }: ToolSpec, strict: boolean): JsonObject {
  return { type: 'function', name, description, parameters, strict: strict && fitsStrict(parameters) };
}

/**
 * The content of a user message or a tool result: its text alone, or a list of text, images and files.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
function inputContent({
  text,
  parts = [],
}: {
  text: string;
  parts?: readonly ContentPart[];
}): string | JsonObject[] {
  if (parts.length === 0) return clean(text);
  const words = withNames(text, parts);
  return [...(words === '' ? [] : [{ type: 'input_text', text: clean(words) }]), ...parts.map(wirePart)];
}

function wirePart(part: ContentPart): JsonObject {
  const url = dataUrl(part);
  if (part.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url };
  return { type: 'input_file', filename: fileName(part), file_data: url };
}

/** A stored response after which a request can begin, and the messages since. */
interface Thread {
  /** The id of the stored response. */
  id: string;
  /** The messages after it, with the server's own ids of its calls. */
  messages: PromptMessage[];
}

/**
 * The last response of the conversation that the server has stored. Null when there is none, when no message came after
 * it, or when the conversation before it has changed since: a compaction replaced it, or something was removed.
 */
export function findThread(messages: readonly PromptMessage[], model: string): Thread | null {
  const place = messages.findLastIndex(
    (message) => message.role === 'assistant' && recall(message, model)?.thread !== undefined,
  );
  const answer = messages[place];
  if (answer?.role !== 'assistant' || place === messages.length - 1) return null;
  const thread = recall(answer, model)?.thread;
  if (!thread || thread.history !== historyHash(messages.slice(0, place), answer)) return null;
  const ids = new Map(answer.toolCalls.map((call, i) => [call.id, thread.callIds[i] ?? call.id]));
  return {
    id: thread.id,
    messages: messages.slice(place + 1).map((message) => {
      if (message.role !== 'tool') return message;
      return { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId };
    }),
  };
}
