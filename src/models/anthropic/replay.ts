import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { PromptMessage } from '../../protocol/ports.ts';
import { shortHash } from '../../text/ids.ts';
import { isWellFormed } from '../wire/well-formed.ts';
import type { ContentBlock } from './content-block.ts';

export type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** Keys of `providerData`: an answer's blocks, and hashes of the signed ones. No other wire reads them. */
const contentKey = 'anthropic_content';
const hashesKey = 'anthropic_hashes';

/**
 * The blocks of an answer that later requests must send back unchanged; undefined when text and calls are all of it.
 * A call is stored as a placeholder, because the conversation has its arguments and may give it another id.
 */
export function rememberedContent(blocks: readonly ContentBlock[]): JsonObject | undefined {
  // Of the blocks that were cut off, only text can be sent back.
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

/** A paused turn in the form that the server takes back: without blank texts, and without trailing white space. */
export function pausedContent(content: readonly JsonObject[]): JsonObject[] {
  const isBlank = ({ type, text }: JsonObject) => type === 'text' && String(text).trim() === '';
  const kept = content.filter((block) => !isBlank(block));
  return kept.map((block, i) =>
    i === kept.length - 1 && block.type === 'text' ? { ...block, text: String(block.text).trimEnd() } : block,
  );
}

/**
 * The blocks that {@link rememberedContent} stored of an answer; null when it stored none.
 *
 * Redacting a secret in a thought breaks the thought's signature, and the server would refuse the whole request for it:
 * such a block is left out. So is any block, other than text, that holds half of a surrogate pair.
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
 * Decides which calls of server-side tools, and which of their results, a request keeps. The server refuses a call
 * without a result, a result without a call, and duplicates. A call and its result may be in different answers, when a
 * call of our own tools came between.
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

  /** @param isAwaited the server's results are still to come, because it waits for the results of our own calls */
  keeps(block: JsonObject, isAwaited: boolean): boolean {
    if (this.#paired.has(block)) return true;
    if (isServerCall(block)) return isAwaited && this.#waiting.get(String(block.id)) === block;
    return typeof block.tool_use_id !== 'string';
  }
}

/** `server_tool_use`, `mcp_tool_use`, and future types of that pattern. */
function isServerCall({ type, id }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_tool_use') && typeof id === 'string';
}
