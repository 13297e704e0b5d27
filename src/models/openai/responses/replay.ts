import type { ModelToolCall } from '../../../protocol/content.ts';
import { isObject, type JsonObject } from '../../../protocol/json.ts';
import type { PromptMessage } from '../../../protocol/ports.ts';
import { shortHash } from '../../../text/ids.ts';
import type { OutputItem } from './output-item.ts';

export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** The key of this wire in `providerData`. */
const key = 'openai_responses';

/** The `providerData` of an answer. */
type Remembered = {
  /** The requested model: other models cannot use the reasoning, and some refuse it. */
  model: string;
  /** The output items, if there is more than text and calls. What the conversation stores anyway is a placeholder. */
  items?: JsonObject[];
  /** The response after which the next request may begin. */
  thread?: {
    id: string;
    /** {@link historyHash} up to this answer. */
    history: string;
    /** The server's ids of its calls: the conversation may have others. */
    callIds: string[];
  };
};

/** The request that an answer belongs to. */
export interface Asked {
  model: string;
  messages: readonly PromptMessage[];
  /** Whether the server stores the responses. */
  threading: boolean;
}

/** What the next request needs from an answer. */
interface ResponseFacts {
  /** The response's id if the next request may begin after it: it is complete, and the server stores it. */
  id: string | null;
  items: readonly OutputItem[];
  /** Text and calls as the conversation will have them. */
  text: string;
  toolCalls: readonly ModelToolCall[];
}

/** The `providerData` of an answer; undefined when there is nothing to remember. */
export function remember(
  { model, messages, threading }: Asked,
  { id, items, text, toolCalls }: ResponseFacts,
): JsonObject | undefined {
  const kept = withoutOnlyText(items.map(toKeep).filter((item) => item !== null));
  const canContinue = threading && id !== null && !kept.some(isUnanswered(kept));
  const remembered = {
    model,
    ...(!isPlain(kept) && { items: kept }),
    ...(canContinue && {
      thread: {
        id,
        history: historyHash(messages, { text, toolCalls }),
        callIds: toolCalls.map((call) => call.id),
      },
    }),
  };
  return Object.keys(remembered).length > 1 ? { [key]: remembered } : undefined;
}

/** What {@link remember} stored of an answer; null for none, or for an answer of another model. */
export function recall({ providerData }: AssistantMessage, model: string): Remembered | null {
  const remembered = providerData?.[key];
  return isObject(remembered) && remembered.model === model ? (remembered as Remembered) : null;
}

/**
 * A hash that shows whether a conversation is still the one that a response belongs to. It excludes the instructions,
 * which every request sends, and the ids, which may be ours.
 */
export function historyHash(
  prompt: readonly PromptMessage[],
  answer: { text: string; toolCalls: readonly ModelToolCall[] },
): string {
  const said = [...withoutInstructions(prompt), { role: 'assistant' as const, ...answer }].map((message) => {
    if (message.role !== 'assistant') {
      const parts = 'parts' in message ? (message.parts ?? []) : [];
      return [message.role, message.text, ...parts.map(({ mimeType, data }) => `${mimeType} ${data.length}`)];
    }
    return [message.role, message.text, ...message.toolCalls.map((call) => [call.name, call.arguments])];
  });
  return shortHash(JSON.stringify(said));
}

/** The prompt without its leading system messages, which become `instructions`; unchanged if there are no others. */
export function withoutInstructions(prompt: readonly PromptMessage[]): readonly PromptMessage[] {
  const start = prompt.findIndex(({ role }) => role !== 'system');
  return start < 0 ? prompt : prompt.slice(start);
}

/**
 * Whether an item waits for an output that is not among `items`. Calls of our own functions do not, because the
 * conversation has their results.
 */
export function isUnanswered(items: readonly JsonObject[]): (item: JsonObject) => boolean {
  const answered = new Set(items.filter(isOutput).map((item) => item.call_id));
  return (item) => isCall(item) && item.call_id !== '' && !answered.has(item.call_id);
}

/** `custom_tool_call`, `computer_call` and other types of that pattern; not `program`, which waits for calls of ours. */
function isCall({ type, call_id: id }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_call') && typeof id === 'string';
}

function isOutput({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_output');
}

/** Null for what cannot be sent back. */
function toKeep(item: OutputItem): JsonObject | null {
  switch (item.type) {
    case 'message': {
      const text = item.said('text') || item.said('refusal');
      const { phase } = item.raw;
      return text === '' ? null : { type: 'message', text, ...(typeof phase === 'string' && { phase }) };
    }
    case 'function_call': {
      const { id, call_id, name, arguments: args, status, ...rest } = item.raw;
      return { ...rest, type: 'function_call' };
    }
    case 'reasoning':
      return item.isDone ? reasoningToKeep(item.raw) : null;
    default:
      return item.isDone && item.type !== '' ? item.raw : null;
  }
}

/** Empties the text of a single message, because the conversation has it. */
function withoutOnlyText(items: JsonObject[]): JsonObject[] {
  if (items.filter(({ type }) => type === 'message').length !== 1) return items;
  return items.map((item) => {
    const { text, ...rest } = item;
    return item.type === 'message' ? rest : item;
  });
}

/** Null for reasoning without content, encrypted or plain: the server may no longer know its id. */
function reasoningToKeep({ id, summary, content, encrypted_content }: JsonObject): JsonObject | null {
  const hasContent = Array.isArray(content) && content.length > 0;
  if (!encrypted_content && !hasContent) return null;
  return {
    type: 'reasoning',
    ...(id !== undefined && { id }),
    summary: summary ?? [],
    ...(hasContent && { content }),
    ...(encrypted_content && { encrypted_content }),
  };
}

/** Whether the items are at most one text, followed by calls only. */
function isPlain(items: readonly JsonObject[]): boolean {
  return items.every(({ type, ...rest }, place) => {
    if (type === 'message') return place === 0 && !('phase' in rest);
    return type === 'function_call' && Object.keys(rest).length === 0;
  });
}
