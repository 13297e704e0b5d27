import { estimateTokenCount } from 'tokenx';
import { base64Bytes, type ContentPart, type StoredPart } from '../content.ts';
import type { PromptMessage, ToolSpec } from './chat-model.ts';

/** Tokens that every message costs besides its text. */
const perMessage = 4;

/** Hashes, keys and base64 have no words: tokenizers split them into pieces of about two characters. */
const wordless = { pattern: /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\w{12,}$/, averageCharsPerToken: 2 };
const options = { languageConfigs: [wordless] };

/**
 * Estimates the tokens of a text with the rules of thumb of tokenx: within some percent of the usual tokenizers on prose
 * and code. Never more than the text's UTF-16 units. For the calibration to a provider's count see `calibration.ts` of the
 * agent.
 */
export function estimateTokens(text: string): number {
  if (text.length <= shortText) return estimate(text);
  const known = recent.get(text);
  if (known !== undefined) return known;
  const tokens = estimate(text);
  recent.set(text, tokens);
  recentChars += text.length;
  for (const oldest of recent.keys()) {
    if (recentChars <= maxRecentChars) break;
    recent.delete(oldest);
    recentChars -= oldest.length;
  }
  return tokens;
}

function estimate(text: string): number {
  return Math.min(text.length, estimateTokenCount(text, options));
}

/** A cache: an estimate takes a second for some megabytes, so the next run of a session must not repeat its whole history. */
const recent = new Map<string, number>();
let recentChars = 0;
const maxRecentChars = 2_000_000;
const shortText = 200;

function weighTool(tool: ToolSpec): number {
  return estimateTokens(JSON.stringify(tool));
}

function weighMessage(message: PromptMessage): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  return calls.reduce(
    (sum, call) => sum + estimateTokens(`${call.name} ${call.arguments}`) + perMessage,
    estimateTokens(message.text) + perMessage + parts.reduce((sum, part) => sum + partTokens(part), 0),
  );
}

/** Estimated tokens of a prompt. */
export function estimatePrompt(messages: readonly PromptMessage[], tools: readonly ToolSpec[]): number {
  return new TokenWeights().ofPrompt(messages, tools);
}

/**
 * Estimates prompts that share messages and tools, each object once. The projection returns the same objects for unchanged
 * blocks, so a prompt that was estimated before costs one look-up per message.
 */
export class TokenWeights {
  readonly #weights = new WeakMap<PromptMessage | ToolSpec, number>();

  ofPrompt(messages: readonly PromptMessage[], tools: readonly ToolSpec[]): number {
    let tokens = 0;
    for (const message of messages) tokens += this.#of(message, weighMessage);
    for (const tool of tools) tokens += this.#of(tool, weighTool);
    return tokens;
  }

  #of<T extends PromptMessage | ToolSpec>(thing: T, weigh: (thing: T) => number): number {
    const known = this.#weights.get(thing);
    if (known !== undefined) return known;
    const weight = weigh(thing);
    this.#weights.set(thing, weight);
    return weight;
  }
}

/**
 * What an image costs at most when it is scaled to what providers read: width times height through 750, up to about
 * 1,600, at Anthropic; 765 to 1,445 in high detail at OpenAI; 1,024 at Moonshot.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.openai.com/docs/guides/images-vision
 */
const imageTokens = 1_600;

/**
 * A page of a PDF is text and an image, 1,500 to 3,000 tokens, and pages cannot be counted without reading it; a page of
 * text is about 50 kB.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const pageTokens = 2_500;
const pageBytes = 50_000;
/** Maximum estimate: a large file is more often pictures than many pages, and the provider refuses what is too long. */
const maxPages = 20;

/** About how many tokens an image or a document costs. */
export function partTokens(part: StoredPart | ContentPart): number {
  if (part.type === 'image') return imageTokens;
  const bytes = 'bytes' in part ? part.bytes : base64Bytes(part.data);
  return pageTokens * Math.min(maxPages, Math.max(1, Math.ceil(bytes / pageBytes)));
}
