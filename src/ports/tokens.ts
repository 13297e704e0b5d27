import { estimateTokenCount } from 'tokenx';
import type { PromptMessage, ToolSpec } from './chat-model.ts';
import { partTokens } from './part-tokens.ts';

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
