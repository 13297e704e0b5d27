import type { TokenUsage } from '../../protocol/content.ts';
import { isObject } from '../../protocol/json.ts';

/**
 * The usage of a chunk or whole answer, or null when it has none. It is at the top level, in old Groq streams under
 * `x_groq`, in Moonshot's under the choice. Counts that are no numbers read as 0.
 */
export function readUsage(chunk: Record<string, unknown>): TokenUsage | null {
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const places = [chunk.usage, field(chunk.x_groq, 'usage'), field(choice, 'usage')];
  const usage = places.find(hasCounts);
  if (!isObject(usage)) return null;
  const written = count(
    field(usage.prompt_tokens_details, 'cache_write_tokens') ?? usage.cache_creation_input_tokens,
  );
  return {
    inputTokens: count(usage.prompt_tokens),
    outputTokens: count(usage.completion_tokens),
    // Moonshot has `cached_tokens` at the top, DeepSeek `prompt_cache_hit_tokens`.
    cachedInputTokens: count(
      field(usage.prompt_tokens_details, 'cached_tokens') ??
        usage.cached_tokens ??
        usage.prompt_cache_hit_tokens,
    ),
    // OpenRouter counts them in the details, Vercel beside them.
    ...(written > 0 && { cacheWriteInputTokens: written }),
    reasoningTokens: count(field(usage.completion_tokens_details, 'reasoning_tokens')),
  };
}

function hasCounts(value: unknown): boolean {
  return (
    isObject(value) &&
    (typeof value.prompt_tokens === 'number' || typeof value.completion_tokens === 'number')
  );
}

export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}
