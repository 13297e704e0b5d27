import type { ModelToolCall } from '../../protocol/content.ts';
import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import { wellFormed } from '../wire/well-formed.ts';
import { type AssistantMessage, recall, type ServerCalls } from './replay.ts';
import { textBlocks } from './text-block.ts';
import type { ToolIds } from './tool-ids.ts';

interface AssistantContext {
  ids: ToolIds;
  /** Names of the tools that the request offers. */
  offered: ReadonlySet<string>;
  serverCalls: ServerCalls;
  /** Whether it is the last answer of the conversation. */
  isLast: boolean;
}

/** The blocks of an answer in the form in which the wire takes them back; empty when none can be sent. */
export function assistantContent(message: AssistantMessage, context: AssistantContext): JsonObject[] {
  const calls = message.toolCalls.map((call) => wireCall(call, context));
  const content = recall(message);
  if (!content) return [...textBlocks(message.text), ...calls];
  const isAwaited = context.isLast && calls.length > 0;
  const kept = content.filter((block) => context.serverCalls.keeps(block, isAwaited));
  return withoutLastThoughts(fill(kept, calls, message.text));
}

/** Puts the calls into their placeholders, and the text in front of the calls when no block holds it. */
function fill(content: readonly JsonObject[], calls: readonly JsonObject[], text: string): JsonObject[] {
  const waiting = [...calls];
  const filled: JsonObject[] = [];
  for (const block of content) {
    const call = block.type === 'tool_use' ? waiting.shift() : undefined;
    if (call) filled.push({ ...block, ...call });
    if (block.type === 'text')
      filled.push(...textBlocks(String(block.text)).map((clean) => ({ ...block, ...clean })));
    if (block.type !== 'tool_use' && block.type !== 'text') filled.push(block);
  }
  // Later models read a refusal as text.
  const words = content.some((block) => block.type === 'text') ? [] : textBlocks(text);
  const firstCall = filled.findIndex((block) => block.type === 'tool_use');
  filled.splice(firstCall < 0 ? filled.length : firstCall, 0, ...words);
  return [...filled, ...waiting];
}

/** The server refuses an answer that ends in a thought, which happens when the answer was cut off there. */
function withoutLastThoughts(content: JsonObject[]): JsonObject[] {
  const last = content.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return content.slice(0, last + 1);
}

function wireCall(
  { id, name, arguments: text }: ModelToolCall,
  { ids, offered }: AssistantContext,
): JsonObject {
  // The server would refuse every later request that has a name the model made up ("web.search").
  const safeName = offered.has(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  const input = parseJson(text);
  return {
    type: 'tool_use',
    id: ids.forCall(id),
    name: safeName,
    // Arguments that are no object become `{}`: the tool result that follows tells the model what was wrong.
    input: isObject(input) ? wellFormed(input as JsonObject) : {},
  };
}
