import { isObject } from '../../protocol/json.ts';
import type { TokenUsage } from '../../protocol/usage.ts';

/**
 * Adds up the counts of an answer. They come with `message_start` and again, cumulative, with `message_delta`: for each
 * count the last one that came is right, and one that is left out keeps what was said before.
 */
export class UsageCounter {
  /** Of the messages that a turn which paused consists of. */
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

  /** What comes from here on belongs to another message of the same turn. */
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
      // The wire counts only what was neither read from the cache nor written to it.
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
