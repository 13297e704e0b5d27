import type { PromptMessage } from '../../ports/chat-model.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import { shortHash } from '../../text/short-hash.ts';
import { isWellFormed } from '../wire/well-formed.ts';
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
 * refused for it, so such a block is left out; and so is one, other than text, with half of a surrogate pair.
 */
export function recall({ providerData }: AssistantMessage): JsonObject[] | null {
  const { [contentKey]: content, [hashesKey]: hashes } = providerData ?? {};
  if (!Array.isArray(content)) return null;
  const blocks = content.filter(isObject) as JsonObject[];
  const signed = Array.isArray(hashes)
    ? blocks.filter((block, i) => signedHash(block) === hashes[i])
    : blocks;
  return signed.filter((block) => block.type === 'text' || isWellFormed(block));
}

function signedHash(block: JsonObject): string {
  return block.signature ? shortHash(JSON.stringify(block)) : '';
}

/**
 * The calls of tools that the server runs itself, as far as they have a result behind them in the conversation, and the
 * results that have a call: one without the other is refused, and so is one that comes twice. They may stand in different
 * answers, when a call of ours came between.
 */
export class ServerCalls {
  readonly #paired = new Set<JsonObject>();
  readonly #waiting = new Map<string, JsonObject>();

  constructor(answers: readonly AssistantMessage[]) {
    const asked = new Set<string>();
    for (const block of answers.flatMap((answer) => recall(answer) ?? [])) {
      const id = String(isServerCall(block) ? block.id : block.tool_use_id);
      if (isServerCall(block)) {
        if (!asked.has(id)) this.#waiting.set(id, block);
        asked.add(id);
      } else this.#pair(id, block);
    }
  }

  #pair(id: string, result: JsonObject): void {
    const call = this.#waiting.get(id);
    if (!call) return;
    this.#waiting.delete(id);
    this.#paired.add(call).add(result);
  }

  /** @param isAwaited the server has still to give results: it waits for those of our own calls */
  keeps(block: JsonObject, isAwaited: boolean): boolean {
    if (this.#paired.has(block)) return true;
    if (isServerCall(block)) return isAwaited && this.#waiting.get(String(block.id)) === block;
    return typeof block.tool_use_id !== 'string';
  }
}

/** `server_tool_use`, `mcp_tool_use`, and their like to come. */
function isServerCall({ type, id }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_tool_use') && typeof id === 'string';
}
