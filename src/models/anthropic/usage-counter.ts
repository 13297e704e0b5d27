import type { TokenUsage } from '../../protocol/content.ts';
import { isObject } from '../../protocol/json.ts';

/**
 * Adds up the token counts of an answer. `message_start` has them, and `message_delta` repeats them cumulatively. The
 * last value of each count is right; a count that a later event leaves out keeps its value.
 */
export class UsageCounter {
  /** Usage of the earlier messages of a paused turn. */
  #earlier: TokenUsage | null = null;
  #counts: Map<CountName, number> = new Map();

  add(usage: unknown): void {
    if (!isObject(usage)) return;
    const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    for (const name of countNames) {
      const value = name === 'thinking_tokens' ? details[name] : usage[name];
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
        this.#counts.set(name, Math.trunc(value));
    }
  }

  /** The counts from here on belong to the next message of the same turn. */
  nextMessage(): void {
    this.#earlier = this.total();
    this.#counts = new Map();
  }

  /** Null when no counts came. */
  total(): TokenUsage | null {
    const earlier = this.#earlier;
    if (this.#counts.size === 0) return earlier;
    const count = (name: CountName) => this.#counts.get(name) ?? 0;
    const cached = count('cache_read_input_tokens');
    const written = count('cache_creation_input_tokens') + (earlier?.cacheWriteInputTokens ?? 0);
    return {
      // The wire's `input_tokens` excludes tokens that were read from the cache or written to it.
      inputTokens:
        count('input_tokens') + count('cache_creation_input_tokens') + cached + (earlier?.inputTokens ?? 0),
      outputTokens: count('output_tokens') + (earlier?.outputTokens ?? 0),
      cachedInputTokens: cached + (earlier?.cachedInputTokens ?? 0),
      ...(written > 0 && { cacheWriteInputTokens: written }),
      reasoningTokens: count('thinking_tokens') + (earlier?.reasoningTokens ?? 0),
    };
  }
}

const countNames = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'thinking_tokens',
] as const;

type CountName = (typeof countNames)[number];
