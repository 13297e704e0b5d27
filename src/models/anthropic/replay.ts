import type { PromptMessage } from '../../agent/chat-model.ts';
import { shortHash } from '../../engine/hash.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ContentBlock } from './content-block.ts';

export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Under which an answer's blocks are kept, and hashes of those with a signature; no other wire uses them. */
const contentKey = 'anthropic_content';
const hashesKey = 'anthropic_hashes';

/**
 * The blocks of an answer that later requests must send back unchanged; undefined when its text and its calls say all.
 * Calls hold their place only, as the conversation has their arguments, and may give them other ids.
 */
export function rememberedContent(blocks: readonly ContentBlock[]): JsonObject | undefined {
  // Of what broke off, only text can be sent back.
  const content = blocks.filter((block) => block.isClosed || block.type === 'text').map(remembered);
  const isPlain = content.every(
    (block) => block.type === 'text' || (block.type === 'tool_use' && Object.keys(block).length === 1),
  );
  const hasCitations = content.some((block) => block.type === 'text' && 'citations' in block);
  if (isPlain && !hasCitations) return undefined;
  return { [contentKey]: content, [hashesKey]: content.map(signedHash) };
}

function remembered(block: ContentBlock): JsonObject {
  const { id, name, input, caller, citations, ...rest } = block.toJSON();
  if (block.type === 'tool_use') {
    const isDirect = !isObject(caller) || caller.type === 'direct';
    return isDirect ? rest : { ...rest, caller: caller ?? null };
  }
  if (block.type !== 'text') return block.toJSON();
  return Array.isArray(citations) && citations.length > 0 ? { ...rest, citations } : rest;
}

/** A paused turn as the server takes it back: without blank texts, and with no white space at its end. */
export function pausedContent(content: readonly JsonObject[]): JsonObject[] {
  const isBlank = ({ type, text }: JsonObject) => type === 'text' && String(text).trim() === '';
  const kept = content.filter((block) => !isBlank(block));
  return kept.map((block, i) =>
    i === kept.length - 1 && block.type === 'text' ? { ...block, text: String(block.text).trimEnd() } : block,
  );
}

/**
 * What {@link rememberedContent} kept of an answer; null when nothing.
 *
 * A secret that was taken out of a thought before it was stored has made its signature wrong. The whole request would be
 * refused for it, so such a block is left out.
 */
export function recall({ providerData }: AssistantMessage): JsonObject[] | null {
  const { [contentKey]: content, [hashesKey]: hashes } = providerData ?? {};
  if (!Array.isArray(content)) return null;
  const blocks = content.filter(isObject) as JsonObject[];
  return Array.isArray(hashes) ? blocks.filter((block, i) => signedHash(block) === hashes[i]) : blocks;
}

function signedHash(block: JsonObject): string {
  return block.signature ? shortHash(JSON.stringify(block)) : '';
}

/**
 * The calls of tools that the server runs itself, as far as they have a result in the conversation, and the results that
 * have a call: one without the other is refused. They may stand in different answers, when a call of ours came between.
 */
export class ServerCalls {
  readonly #asked = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(answers: readonly AssistantMessage[]) {
    for (const answer of answers)
      for (const block of recall(answer) ?? []) {
        if (isServerCall(block)) this.#asked.add(String(block.id));
        else if (typeof block.tool_use_id === 'string') this.#answered.add(block.tool_use_id);
      }
  }

  /** @param isAwaited the server has still to give results: it waits for those of our own calls */
  keeps(block: JsonObject, isAwaited: boolean): boolean {
    if (isServerCall(block)) return isAwaited || this.#answered.has(String(block.id));
    return typeof block.tool_use_id !== 'string' || this.#asked.has(block.tool_use_id);
  }
}

/** `server_tool_use`, `mcp_tool_use`, and their like to come. */
function isServerCall({ type, id }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_tool_use') && typeof id === 'string';
}
