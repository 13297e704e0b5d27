import { isObject } from '../../../protocol/json.ts';
import type { TokenUsage } from '../../../protocol/token-usage.ts';
import { count, field, readUsage } from '../read-usage.ts';

/** The usage of a response, or null when it has none. Counts that are no numbers read as 0. */
export function readResponseUsage(response: Record<string, unknown>): TokenUsage | null {
  const { usage } = response;
  if (!isObject(usage)) return null;
  // Some servers that translate chat completions do not rename these fields.
  if (typeof usage.input_tokens !== 'number' && typeof usage.output_tokens !== 'number')
    return readUsage(response);
  return {
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cachedInputTokens: count(field(usage.input_tokens_details, 'cached_tokens')),
    reasoningTokens: count(field(usage.output_tokens_details, 'reasoning_tokens')),
  };
}
